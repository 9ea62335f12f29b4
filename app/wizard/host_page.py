"""Step 1: the question, the host, and the host's properties."""

from collections.abc import Sequence

from msgspec import structs
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLineEdit, QVBoxLayout

from app.core_process import CommandRunner
from app.settings import Settings
from app.studies.readiness import describe_own_computer, describe_readiness
from app.studies.text_registry import is_asked
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_XS
from app.widgets.card import Card
from app.widgets.card_columns import CardColumns
from app.widgets.inputs import StillComboBox
from app.widgets.labels import make_label, tooltip_text
from app.widgets.message_bar import MessageBar
from app.widgets.scroll_areas import scroll_into_view
from app.wizard.choice_card import ChoiceCard
from app.wizard.command_query import CommandQuery
from app.wizard.host_choice import HostChoice
from app.wizard.host_entry import HostEntry
from app.wizard.host_kinds import host_kind_of
from app.wizard.host_properties_card import HostPropertiesCard
from app.wizard.wizard_page import WizardPage
from app.wizard.wizard_state import WizardState
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import HostProbe
from scheduler.model.host_kinds import is_near, is_this_computer
from scheduler.model.host_properties import HostProperties
from scheduler.model.lock_owner import LockOwner
from scheduler.model.studies import STUDIES
from scheduler.model.study_concerns import select_findings
from scheduler.model.urls import redact_url
from scheduler.translation import _

_CARD_PX = 250


class QuestionChoice(CardColumns):
    """Cards of the studies' questions, as many side by side as the width allows.

    Args:
        theme: Colours.

    Signals:
        chosen: Name of the study that the user chose.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(_CARD_PX)
        self.cards: dict[str, ChoiceCard] = {}
        self._group = QButtonGroup(self)
        for name, kind in STUDIES.items():
            if not is_asked(name):
                continue
            self.cards[name] = card = ChoiceCard(theme, kind.question, kind.does, compact=True)
            self._group.addButton(card)
            card.toggled.connect(lambda on, name=name: on and self.chosen.emit(name))
            self.add(card)

    def take_focus(self) -> None:
        """Give the keyboard focus to the chosen card."""
        chosen = next(card for card in self.cards.values() if card.isChecked())
        chosen.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_readiness(self, facts: HostProperties | None, *, local: bool) -> None:
        """Show on each card if the host can answer.

        Args:
            facts: Properties of the host; None while unknown.
            local: True for this computer.
        """
        unknown = describe_own_computer() if local else ""
        for name, card in self.cards.items():
            card.set_lead(unknown if facts is None else describe_readiness(name, facts))

    def show_study(self, study: str) -> None:
        """Check the card of a study without emitting `chosen`."""
        self.blockSignals(True)
        self.cards[study].setChecked(True)
        self.blockSignals(False)


_LEAST_LETTERS = 12
_FILTER_FROM = 13  # guests; a shorter list is read at once


class GuestChoice(Card):
    """Card to choose the guest among the host's domains; hidden without a choice.

    A long list has a field that limits it to the names with a text.

    Signals:
        chosen: Name of the guest.
    """

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__(_("Which domain runs the database?"))
        self.names = StillComboBox()
        self.names.setAccessibleName(_("Guest"))
        self.names.setSizeAdjustPolicy(StillComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.names.setMinimumContentsLength(_LEAST_LETTERS)
        self.names.currentTextChanged.connect(lambda name: self.names.setToolTip(tooltip_text(name)))
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(_("Part of the name"))
        self.filter.setAccessibleName(_("Part of the guest's name"))
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._show_matching)
        self._all_names: tuple[str, ...] = ()
        row = QHBoxLayout()
        row.setSpacing(SPACE_M)
        row.addWidget(make_label(_("Guest"), "dim"))
        row.addWidget(self.filter, 1)
        row.addWidget(self.names, 1)
        self.body.addLayout(row)
        self.names.textActivated.connect(self.chosen)
        self.hide()

    @property
    def name(self) -> str:
        """Name of the chosen guest; empty without a choice."""
        return self.names.currentText()

    def show_names(self, names: Sequence[str]) -> None:
        """Offer these guests and keep the choice; hide the card for none."""
        if tuple(names) == self._all_names:
            return
        self._all_names = tuple(names)
        self.filter.clear()
        self.filter.setVisible(len(names) >= _FILTER_FROM)
        self._show_matching()
        text = _("{n} guests run on this host. The sweep uses one of them.").format(n=len(names))
        self.set_title(self.heading.text(), text)
        self.setVisible(bool(names))

    def _show_matching(self) -> None:
        """Offer the guests whose name has the filter's text; keep a matching choice."""
        wanted, chosen = self.filter.text().strip().casefold(), self.names.currentText()
        matching = [name for name in self._all_names if wanted in name.casefold()]
        self.names.clear()
        self.names.addItems(matching)
        if chosen in matching:
            self.names.setCurrentText(chosen)
        self.names.setEnabled(bool(matching))


_PROBE_S = 180.0  # XAPI may delay a login by 120 s; other slow steps have limits of their own


class HostPage(WizardPage):
    """Page for the question and the host, with a test that does not block."""

    def __init__(self, theme: Theme, state: WizardState, settings: Settings, runner: CommandRunner) -> None:
        super().__init__("host", theme, state, _("Question"), "")
        self._settings, self._runner = settings, runner
        self._probe: CommandQuery[HostProbe] = CommandQuery(runner, HostProbe, _PROBE_S, self)
        self._asked = ""
        self._busy: dict[str, LockOwner] = {}  # last probed host and the process that uses it
        self._pressed = False
        self._make_parts()
        self._connect_signals()

    def _make_parts(self) -> None:
        """Make the cards of the question, of the host and of its properties."""
        self.question = QuestionChoice(self.theme)
        self.question.chosen.connect(self._ask_question)
        self.body.addWidget(self.question)
        self.refusal = MessageBar(self.theme, closable=False)
        self.body.addWidget(self.refusal)
        self.body.addLayout(self._make_heading())
        self.choice = HostChoice(self.theme, self._settings)
        self.body.addWidget(self.choice)
        self.url, self.test = self.choice.url, self.choice.test
        self.fields["host"] = self.url
        self.message = MessageBar(self.theme, closable=False)
        self.guests = GuestChoice()
        for part in (self.message, self.guests):
            self.body.addWidget(part)
        self.facts = HostPropertiesCard(self.theme)
        self.body.addWidget(self.facts)

    def _connect_signals(self) -> None:
        self.entry = HostEntry(self.theme, self._runner, self)
        self.entry.again.connect(self.ask)
        self.entry.failed.connect(self._show_failure)
        self.guests.chosen.connect(self._choose_guest)
        self.choice.typed.connect(self._store_input)
        self.choice.picked.connect(lambda _: self.ask_if_unknown())
        self.test.clicked.connect(self.ask)
        self._probe.began.connect(self._show_testing)
        self._probe.answered.connect(self._store_answer)
        self._probe.failed.connect(self._show_failure)
        self._probe.ended.connect(self._finish_test)

    def fill(self) -> None:
        """Show the form's question and host."""
        self._pressed = False
        self.question.show_study(self.state.form.study)
        self.choice.show_url(self.state.form.host)

    def ask_question(self, study: str) -> None:
        """Choose a question and focus its card."""
        self._ask_question(study)
        self.question.take_focus()

    def _make_heading(self) -> QVBoxLayout:
        head = QVBoxLayout()
        head.setSpacing(SPACE_XS)
        head.addWidget(make_label(_("Host"), "title", wrap=True))
        head.addWidget(make_label(_("Testing changes nothing on the host."), "dim", wrap=True))
        return head

    def _ask_question(self, study: str) -> None:
        self.state.form.ask(study)
        self.state.replace(self.state.form)  # every page has other fields or other texts

    def refresh(self) -> None:
        """Show the known properties of the typed host."""
        super().refresh()
        self._show_missing_name()
        self._show_refusal()
        known, spec = self.state.facts, self.state.corrected
        if known is not None and spec is not None:  # other studies have other findings
            known = structs.replace(known, findings=select_findings(spec, known.findings))
        self.facts.show_facts(known, busy=self._busy.get(self.state.form.host.strip()))
        url = self.state.form.host.strip()
        self.question.show_readiness(self.state.facts, local=is_this_computer(url))
        other = url != self._asked
        if known or other:
            self.message.clear()
        if other:
            self.guests.show_names(())
        self.test.setEnabled(self._probe.busy or "host" not in self.state.messages)

    def on_page_shown(self) -> None:
        """Probe this computer or a simulated host without a request."""
        url = self.state.form.host.strip()
        if host_kind_of(url) and is_near(url):  # a host of the cards: the probe reaches no other computer
            self.ask_if_unknown()

    def take_focus(self) -> None:
        """Focus a missing part of the host, else the URL."""
        self.choice.take_focus()

    def ready(self) -> bool:
        """Return True if the page is complete.

        The page requires a host name, and uses the guest that is shown.
        """
        self._pressed = True
        if not self.choice.empty_host_field:
            if self.guests.name and self.state.facts is None and not self._probe.busy:
                self._choose_guest(self.guests.name)
            scroll_into_view(self.refusal)
            return super().ready()
        self.refresh()
        self.choice.take_focus()
        return False

    def _show_refusal(self) -> None:
        """Show why the host cannot answer the chosen question."""
        why, facts = self.state.messages.get("study", ""), self.state.facts
        if why and facts is not None:
            hint = facts.missing_reason(self.state.form.kind)[1]
            self.refusal.say("error", why.removesuffix(hint).rstrip(), hint)
        else:
            self.refusal.clear()

    def _show_missing_name(self) -> None:
        """Show a missing host name at its field, after the user tried to continue."""
        field = self.choice.empty_host_field
        if field is None:
            self.choice.fields.texts["host"].say("")
            return
        field.say(self.state.messages.get("host", "") if self._pressed else "")
        field.reveal()
        self.url.say("")

    def ask_if_unknown(self) -> None:
        """Probe the host unless its answer is known or pending."""
        url = self.state.form.host.strip()
        if self.state.facts is None and "host" not in self.state.messages and self._asked != url:
            self._probe.cancel()
            self.ask()

    def ask(self) -> None:
        """Probe the typed host, or stop a running probe."""
        if self._probe.busy:
            self._asked = ""
            self._probe.cancel()
            return
        self._asked = self.state.form.host.strip()
        form = self.state.form
        named = (("--io", form.texts["domains.io"].strip()), ("--guest", form.texts["domains.guest"].strip()))
        words = [word for option, name in named if name for word in (f"{option}={name}",)]
        self._probe.ask("probe", self._asked, "--json", *words)

    def _store_input(self, text: str) -> None:
        self.state.form.host = text
        if self._probe.busy:
            self._asked = ""
            self._probe.cancel()
        self.entry.close()
        self.state.touch()

    def _show_testing(self) -> None:
        self.state.store_host_answer(self._asked, None)
        self.message.say("info", _("Testing {url}\N{HORIZONTAL ELLIPSIS}").format(url=redact_url(self._asked)))
        self.test.setText(_("S&top"))

    def _finish_test(self) -> None:
        self.test.setText(_("&Test"))
        if not self._asked:
            self.message.clear()
        self.refresh()

    def show_answer(self, url: str, probe: HostProbe) -> None:
        """Show the answer of a host.

        Args:
            url: The host's URL.
            probe: Answer of the host.
        """
        self.choice.show_url(url)
        self._store_input(url)
        self._asked = url
        self._store_answer(probe)

    def _store_answer(self, probe: HostProbe) -> None:
        self._busy = {self._asked: probe.held_by} if probe.busy else {}
        self.state.store_host_answer(self._asked, probe.facts, probe.error)
        if probe.facts is not None:
            self._settings.remember_host(self._asked)
        elif probe.choices:
            self.message.clear()
            self.guests.show_names(probe.choices)
        else:
            self.message.say("error", probe.error, probe.hint)
            self.guests.show_names(())
        if probe.facts is None:
            self.entry.open_entry_dialog(self._asked, probe)

    def _show_failure(self, error: SchedulerError) -> None:
        self.state.store_host_answer(self._asked, None, str(error))
        self.message.show_error(error)

    def _choose_guest(self, name: str) -> None:
        self.state.form.texts["domains.guest"] = name
        self.state.replace(self.state.form)  # the page of the domains shows the guest as well
        self.ask()
