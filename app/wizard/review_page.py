"""Step 6: the whole plan, preflight findings, commands and time of the end."""

import time
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from msgspec import structs
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPlainTextEdit, QVBoxLayout

from app.core_process import CommandRunner
from app.display_texts import format_clock, join_list, name_host
from app.studies.text_registry import study_texts_of
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_S, SPACE_XS
from app.widgets.buttons import secondary_button
from app.widgets.card import Card
from app.widgets.fold_button import FoldButton
from app.widgets.labels import make_label, make_selectable
from app.widgets.message_bar import MessageBar
from app.widgets.scroll_areas import scroll_to_top
from app.widgets.simulated_ribbon import SimulatedRibbon
from app.wizard.command_query import CommandQuery
from app.wizard.consent_card import ConsentCard
from app.wizard.field import FormField
from app.wizard.findings_list import FindingsList
from app.wizard.load_plan_texts import loads_sentence
from app.wizard.one_trial_plans import ways_sentence
from app.wizard.plan_texts import (
    cpus_text,
    domain_names,
    mode_sentence,
    objective_sentences,
    review_paragraph,
    time_needed,
    trials_text,
)
from app.wizard.plan_texts import protocol_sentence as trials_sentence
from app.wizard.step_texts import problem_lines
from app.wizard.sweep_estimate import adapt_to_host, estimate_sweep
from app.wizard.wizard_page import WizardPage
from app.wizard.wizard_state import WizardState
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import DryRun
from scheduler.model.host_kinds import is_reached_by_ssh, is_simulated, is_this_computer
from scheduler.model.host_properties import HostProperties, PreflightFinding, Severity
from scheduler.model.plan_file import write_plan
from scheduler.model.sentence_texts import list_names
from scheduler.model.setting import is_host_changed
from scheduler.model.spec import RunSpec
from scheduler.model.terminal_text import replace_controls
from scheduler.translation import _

ROWS = 8
_GUARD_S = 60  # see docs/explanation/guard.md


class ReviewRow(NamedTuple):
    """Row of the review.

    Attributes:
        name: Name of the row.
        text: Sentence or sentences.
    """

    name: str
    text: str


def build_review_rows(spec: RunSpec, facts: HostProperties | None) -> tuple[ReviewRow, ...]:
    """Return the `ROWS` rows of the review.

    Args:
        spec: The plan.
        facts: The host; None while unknown.
    """
    return (
        ReviewRow(_("Host"), _host_text(spec, facts)),
        ReviewRow(_("Changes"), _changes_text(spec, facts)),
        ReviewRow(*_settings_row(spec)),
        ReviewRow(_("Loads"), loads_sentence(spec)),
        ReviewRow(_("Trials"), trials_sentence(spec)),
        ReviewRow(_("Objective"), objective_sentences(spec)),
        ReviewRow(_("Afterwards"), _afterwards_text(spec)),
        ReviewRow(_("If interrupted"), _interruption_text(spec)),
    )


def _host_text(spec: RunSpec, facts: HostProperties | None) -> str:
    name = name_host(spec.host_url)
    return f"{replace_controls(facts.title)} ({name})" if facts and facts.title else name


def _settings_row(spec: RunSpec) -> tuple[str, str]:
    words = study_texts_of(spec.kind.name)
    if words is not None:
        return words.setting_row(spec)
    return _("Splits"), join_list(
        [setting.label for setting in sorted(spec.measured_settings, key=lambda s: s.position)]
    )


def _afterwards_text(spec: RunSpec) -> str:
    if not any(map(is_host_changed, spec.settings)):
        return _("The original settings are verified.")
    return _("The original settings are restored and verified.")


def _changes_text(spec: RunSpec, facts: HostProperties | None) -> str:
    words = study_texts_of(spec.kind.name)
    if words and (own := words.changes_sentences(spec, facts)):
        return own
    if not spec.splits:
        return _("Nothing. The shares of the CPU stay unchanged.")
    return f"{_shared_text(spec, facts)} {mode_sentence(spec, facts)}"


def _shared_text(spec: RunSpec, facts: HostProperties | None) -> str:
    if facts is None:
        return _("Only the CPU shares of the I/O domain and the guest.")
    io, guest = domain_names(spec, facts)
    if facts.confined:
        away = [each.name for each in facts.others if each.away]
        text = _("Only the CPUs of {io} (I/O domain) and {guest} (guest), and their shares of {cpus}.")
        if away:
            text = _(
                "The CPUs of {io} (I/O domain) and {guest} (guest), and their shares of {cpus}. The CPUs of other "
                "guests: {others}."
            )
            return text.format(cpus=cpus_text(facts.shared_cpus), io=io, guest=guest, others=list_names(away))
        return text.format(cpus=cpus_text(facts.shared_cpus), io=io, guest=guest)
    text = _("Only the shares of {cpus} for {io} (I/O domain) and {guest} (guest).")
    return text.format(cpus=cpus_text(facts.shared_cpus), io=io, guest=guest)


def _interruption_text(spec: RunSpec) -> str:
    """Return the way back after an interruption, see docs/explanation/restore.md."""
    if is_simulated(spec.host_url):
        return _("Nothing to restore: the simulated host ends with the sweep.")
    if is_reached_by_ssh(spec.host_url):
        text = _(
            "If DomTune, this computer or the connection fails, a guard on the host restores the host after {n} s."
        )
        return text.format(n=_GUARD_S)
    text = _(
        "If DomTune is killed, the undo record remains. 'domtune restore' or the next start of DomTune "
        "restores the host."
    )
    return (
        " ".join((text, _("A power cut also removes the control groups."))) if is_this_computer(spec.host_url) else text
    )


_DRY_RUN_S = 60.0
_MINUTE_MS = 60_000


class ReviewPage(WizardPage):
    """Page with the plan, the preflight and a field for the sweep's name."""

    def __init__(self, theme: Theme, state: WizardState, runner: CommandRunner) -> None:
        super().__init__(
            "review",
            theme,
            state,
            _("Review"),
            _("Nothing has been changed so far. Check the plan, then start the sweep."),
        )
        self._dry_run: CommandQuery[DryRun] = CommandQuery(runner, DryRun, _DRY_RUN_S, self)
        self._checked: RunSpec | None = None
        self.answer: DryRun | None = None
        self._dry_run.answered.connect(self._show_dry_run)
        self._dry_run.failed.connect(self._show_failure)
        self._minute = QTimer(self)
        self._minute.setInterval(_MINUTE_MS)
        self._make_parts()
        self._minute.timeout.connect(self.show_time)
        self._minute.start()

    def _make_parts(self) -> None:
        """Make the card of the plan, then the card of the host."""
        theme = self.theme
        self.ribbon = SimulatedRibbon(theme)
        self.problems = MessageBar(theme, closable=False)
        for part in (self.ribbon, self.problems):
            self.body.addWidget(part)
        self.time = make_label("", "title", wrap=True)
        self.until = make_label("", "dim", wrap=True)
        self.ways = make_label("", "dim", wrap=True)
        self.facts = [(make_label("", "dim"), make_selectable(make_label("", wrap=True))) for _ in range(ROWS)]
        self.plan = make_selectable(make_label("", wrap=True))
        self.as_text = FoldButton(theme, _("As te&xt, for a ticket"), self.plan)
        self.name = FormField(_("Na&me of this sweep"))
        self.name.edit.setPlaceholderText(_("optional"))
        self.plan_card = self._lay_out_plan()
        self.body.addWidget(self.plan_card)
        self.consent = ConsentCard(self.state)
        self.body.addWidget(self.consent)
        self.consent.changed.connect(self.check)
        self.name.typed.connect(partial(self.state.store_text, "name"))
        self.checking = make_label("", "dim", wrap=True)
        self.again = secondary_button(theme, _("Check a&gain"), "refresh")
        self.error = MessageBar(theme, closable=False)
        self.findings = FindingsList(theme)
        self.commands = QPlainTextEdit()
        self.fold = FoldButton(theme, _("Comman&ds that will be issued"), self.commands)
        self.host_card = self._lay_out_host()
        self.body.addWidget(self.host_card)
        self.again.clicked.connect(self.check)

    @property
    def may_start(self) -> bool:
        """True unless a mistake or a refusal is known."""
        refused = self.answer is not None and self.answer.error and self._checked == self._nameless_spec()
        return self.state.spec is not None and not refused

    @property
    def current_findings(self) -> Sequence[PreflightFinding]:
        """Findings of preflight for the current plan; empty until the host has answered."""
        if self.answer is None or self._checked != self._nameless_spec():
            return ()
        return self.answer.findings

    def show_findings(self) -> None:
        """Scroll to the preflight findings."""
        scroll_to_top(self.host_card)

    def fill(self) -> None:
        """Show the form's name of the sweep."""
        self.name.set_text(self.state.form.texts["name"])

    def refresh(self) -> None:
        """Show the current plan."""
        super().refresh()
        spec = self.state.spec
        if spec is None:
            wrong = problem_lines(self.state.messages, self.state.form.study)
            self.problems.say("error", _("Some entries need your attention."), wrong)
        else:
            self.problems.clear()
            facts = self._host_properties()
            ahead = adapt_to_host(spec, facts)
            self.plan.setText(review_paragraph(ahead, facts))
            for parts, row in zip(self.facts, build_review_rows(ahead, facts), strict=True):
                for part, text in zip(parts, row, strict=True):
                    part.setText(text)
        self.ribbon.setVisible(spec is not None and is_simulated(spec.host_url))
        for part in (self.plan_card, self.host_card):
            part.setVisible(spec is not None)
        self.consent.refresh()
        self.show_time()

    def on_page_shown(self) -> None:
        """Check the plan against the host unless it was checked."""
        if self.state.spec is not None and self._checked != self._nameless_spec():
            self.check()

    def check(self) -> None:
        """Start a dry run of the plan; nothing is changed."""
        if self.state.spec is None:
            return
        self._checked = self._nameless_spec()
        self.answer = None
        self.error.clear()
        self.findings.show_findings(())
        self.commands.setPlainText("")
        self.fold.setEnabled(False)
        self.again.setEnabled(False)
        self._show_state(_("Checking the host\N{HORIZONTAL ELLIPSIS}"))
        plan, host = write_plan(self.state.spec).encode(), self.state.spec.host_url
        self._dry_run.ask("run", "-", "--dry-run", "--json", stdin=plan, hosts=(host,))

    def show_time(self) -> None:
        """Show duration and time of the end."""
        if self.state.spec is None:
            return
        spec = adapt_to_host(self.state.spec, self._host_properties())
        found, now_s = estimate_sweep(spec), time.time()
        first, last = (
            format_clock(now_s + (found.usual_s if spec.adapts else found.best_s)),
            format_clock(now_s + found.worst_s),
        )
        if is_simulated(spec.host_url):
            text = _("{trials}, faster than real time")
        elif first == last:
            text = _("{trials}, done at about {first}")
        elif spec.adapts:
            text = _("{trials}. If you start now, usually done at about {first}, at the latest {last}")
        else:
            text = _("{trials}. If you start now, done between {first} and {last}")
        self.time.setText(_("Takes {time}").format(time=time_needed(spec)))
        self.until.setText(text.format(trials=trials_text(spec), first=first, last=last))
        ways = ways_sentence(spec)
        self.ways.setText(ways)
        self.ways.setVisible(bool(ways))

    def _facts_grid(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACE_L)
        grid.setVerticalSpacing(SPACE_S)
        grid.setColumnStretch(1, 1)
        for at, row in enumerate(self.facts):
            for column, part in enumerate(row):
                grid.addWidget(part, at, column, Qt.AlignmentFlag.AlignTop)
        return grid

    def _lay_out_plan(self) -> Card:
        plan = Card()
        times = QVBoxLayout()
        times.setSpacing(SPACE_XS)
        times.addWidget(self.time)
        times.addWidget(self.until)
        times.addWidget(self.ways)
        plan.body.setSpacing(SPACE_L)
        plan.body.addLayout(times)
        plan.body.addLayout(self._facts_grid())
        line = QHBoxLayout()
        line.addWidget(self.as_text)
        line.addStretch(1)
        plan.body.addLayout(line)
        plan.body.addWidget(self.plan)
        plan.body.addWidget(self.name)
        return plan

    def _lay_out_host(self) -> Card:
        host = Card(_("Preflight"))
        host.corner.addWidget(self.again)
        host.body.addWidget(self.checking)
        host.body.addWidget(self.error)
        host.body.addWidget(self.findings)
        fold = QHBoxLayout()
        fold.addWidget(self.fold)
        fold.addStretch(1)
        host.body.addLayout(fold)
        host.body.addWidget(self.commands)
        self.commands.setReadOnly(True)
        self.commands.setFont(self.theme.mono_font())
        self.commands.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.commands.setFixedHeight(220)
        self.commands.setAccessibleName(_("Commands that will be issued"))
        return host

    def _nameless_spec(self) -> RunSpec | None:
        """Return the plan without its name, which does not affect the check."""
        return None if self.state.spec is None else _without_name(self.state.spec)

    def _host_properties(self) -> HostProperties | None:
        """Return the host of the last check, which includes the plan's database.

        Until then, return the host that the first page found.
        """
        answer = self.answer if self._checked == self._nameless_spec() else None
        return self.state.placed if answer is None or answer.facts is None else answer.facts

    def _show_dry_run(self, answer: DryRun) -> None:
        self.answer = answer
        self.again.setEnabled(True)
        self.fold.setEnabled(bool(answer.commands))
        self.findings.show_findings(answer.findings)
        if answer.error:
            self.error.say("error", answer.error, answer.hint)
        serious = answer.error or any(finding.level is not Severity.INFO for finding in answer.findings)
        self._show_state("" if serious else _("The host is ready. You can start the sweep."))
        self.commands.setPlainText(_as_script(answer))
        self.state.changed.emit()

    def _show_failure(self, error: SchedulerError) -> None:
        self.again.setEnabled(True)
        self._show_state("")
        self.error.show_error(error)

    def _show_state(self, text: str) -> None:
        self.checking.setText(text)
        self.checking.setVisible(bool(text))


def _without_name(spec: RunSpec) -> RunSpec:
    return spec if not spec.name else structs.replace(spec, name="")


def _as_script(answer: DryRun) -> str:
    parts = [[f"# {row.setting}", *(row.commands or [_("# nothing to write")])] for row in answer.commands]
    return "\n\n".join("\n".join(lines) for lines in parts)
