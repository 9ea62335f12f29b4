"""Result page: headline, plot, costs, reasons, and conditions of the measurement."""

from collections.abc import Callable, Collection
from typing import NamedTuple

import msgspec
from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from app.background import BackgroundJob, BackgroundWorker
from app.core_process import CommandRunner
from app.display_texts import capitalise_first, first_line
from app.pages import exports
from app.pages.apply_dialog import ApplyDialog
from app.pages.capacity_plans import next_capacity_plan
from app.pages.decision_texts import doubt_words, rank_words
from app.pages.export_question import ask_despite_doubt
from app.pages.origin_texts import origin_words
from app.pages.result_data import ResultData, read_run
from app.pages.result_parts import ResultParts
from app.plots.knee_bars import knees_in
from app.plots.live_texts import host_words, predicted_points
from app.plots.plot_tables import points_table
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L
from app.widgets.dialog_layout import show_dialog
from app.widgets.draw_queue import DrawQueue
from app.widgets.part_height import height_at
from app.widgets.table import TableData
from scheduler.model.protocols import PROTOCOLS, STANDARD_PROTOCOL
from scheduler.model.results import Answer, Recommendation, Results, leading_points
from scheduler.model.run_paths import RUN_FILE
from scheduler.model.setting import split_of
from scheduler.model.spec import RunSpec
from scheduler.model.studies import Setting
from scheduler.stats.replay import RunMoment, moment_title
from scheduler.stats.stalls import first_of_each_trial
from scheduler.translation import _

_AGAIN = ", longer"


def longer_run(spec: RunSpec, answer: Recommendation) -> RunSpec:
    """Return a plan that compares the best splits again in a longer run.

    It has twice the trials, three times the measuring time and another random order. The original settings are included
    for the gain. After an adaptive sweep all splits are measured equally often. After a calibration the plan is a sweep
    of every split.

    Args:
        spec: Plan of the run.
        answer: Displayed answer.
    """
    if not spec.protocol.decides:
        return msgspec.structs.replace(spec, protocol=PROTOCOLS[STANDARD_PROTOCOL], weights=dict(answer.weights))
    likely = {row.setting for row in answer.regret if row.p_worse < 0.95}
    found = (
        answer.setting,
        answer.runner_up,
        *answer.equivalent,
        *answer.possible,
        *likely,
        *_reference_splits(answer),
    )
    wanted = {setting for setting in found if setting is not None}
    added = sorted(wanted - set(spec.settings), key=lambda setting: setting.label)
    settings = (*(setting for setting in spec.settings if setting in wanted), *added)
    protocol = PROTOCOLS["grid"] if spec.adapts else spec.protocol
    longer = msgspec.structs.replace(
        protocol, repeats=min(1000, 2 * protocol.repeats), measure_s=min(86_400, 3 * protocol.measure_s)
    )
    weights = dict(answer.weights)
    name = _longer_name(spec.name)
    return msgspec.structs.replace(
        spec, name=name, settings=settings, protocol=longer, weights=weights, seed=spec.seed + 1, baseline=True
    )


def confirming_run(spec: RunSpec, answer: Answer) -> RunSpec:
    """Return a plan that compares the proposed split, the best one and the baseline.

    Without a proposal the plan is returned unchanged.

    Args:
        spec: Plan of the run.
        answer: Displayed answer.
    """
    split = answer.recommendation
    if split is None or split.proposal is None:
        return spec
    protocol = spec.protocol if spec.adapts else PROTOCOLS[STANDARD_PROTOCOL]
    return msgspec.structs.replace(
        spec,
        settings=(split.regret[0].setting, split.proposal.setting),
        protocol=msgspec.structs.replace(protocol, refine=False),
        weights=dict(split.weights),
        seed=spec.seed + 1,
        baseline=True,
    )


def _longer_name(name: str) -> str:
    """Return the name of the longer run; empty for a sweep without a name."""
    return name if not name or name.endswith(_AGAIN) else f"{name}{_AGAIN}"


def _reference_splits(answer: Recommendation) -> set[Setting]:
    """Return splits within the tolerance of a load's own best.

    Empty for objectives that weigh loads.
    """
    if answer.objective.weighs:
        return set()
    tolerance = answer.tolerance_frac
    return {row.setting for row in answer.regret if any(loss <= tolerance for loss in row.loss_frac.values())}


class StatusMessage(NamedTuple):
    """Message for a `MessageBar`.

    Attributes:
        level: Kind of message: `info`, `good`, `warning` or `error`.
        text: Message.
        hint: Advice; may be empty.
        details: Further lines; may be empty.
    """

    level: str
    text: str
    hint: str = ""
    details: str = ""


def run_status_of(finding: ResultData, due: Collection[str]) -> StatusMessage | None:
    """Return the message about a run's end and its host; None if all is well.

    The message is an error only while an undo record exists: it disappears when any process restores the host.

    Args:
        finding: The run.
        due: Ids of hosts with a pending restore.
    """
    results = finding.results
    if finding.run.facts.host_id in due and not results.restored:
        hint = _("Use Restore now in the red banner, or run 'domtune restore'.")
        return StatusMessage("error", _("The host still has settings of this sweep."), hint)
    if not finding.ended:
        text = _("The outcome of this sweep is not recorded yet. Another process may still be measuring.")
        return StatusMessage("info", text, _measured_text(finding))
    if results.interrupted:
        text = f"{capitalise_first(results.reason)}. {host_words(results)}"
        return StatusMessage("warning", text, _measured_text(finding))
    if not (results.restored or results.busy):
        text = _("The host was not restored when this sweep ended.")
        hint = _("No undo record exists. The host was restored since, or the record was dismissed.")
        return StatusMessage("warning", text, hint, results.reason)
    if not finding.unfinished:
        return None
    why, details = first_line(results.reason)
    why = f"{capitalise_first(why)}. " if results.restored_unix_s and why else capitalise_first(why)
    return StatusMessage(
        "info", _measured_text(finding), f"{why}{host_words(results)}" if results.restored_unix_s else why, details
    )


def _measured_text(finding: ResultData) -> str:
    text = _("This sweep is unfinished: {n} of {all} trials were measured.")
    if finding.run.spec.adapts:
        text = _("This sweep is unfinished: {n} trials were measured, and the best is not known yet.")
    return text.format(n=len(first_of_each_trial(finding.trials)), all=finding.run.trials)


_PLOT_PX = 330
_SLIDER_PX = 26  # height of a slider below the plot, one per load for three or more loads
_MANY_PX = 60  # further height for the marks, names and intervals of many loads
_ROOMY_PX = 1000  # minimum page width for text on the plot's buttons
NEXT_PX = 56  # visible height of the card below the plot: its heading shows that the page continues


class ResultPage(ResultParts):
    """Page with the result of a run.

    Signals:
        confirm_wanted: Plan of the next run.
        continue_wanted: Id of the run to continue.
        lengthen_wanted: Id of the run to continue, and the minutes.
        replay_wanted: Id of the run to replay.
        other_wanted: Plan to repeat with another scheduler.
        edit_wanted: The user wants to change name, tags and note.
        host_changed: A split was applied or reverted.

    Args:
        theme: Colours.
        background: Reads runs and writes exports.
        runner: Starts `apply` and `revert`.
        parent: Qt's parent.
    """

    help_key = "result"

    confirm_wanted = Signal(object)
    continue_wanted = Signal(str)
    lengthen_wanted = Signal(str, float)
    replay_wanted = Signal(str)
    other_wanted = Signal(object)
    edit_wanted = Signal()
    host_changed = Signal()

    def __init__(
        self, theme: Theme, background: BackgroundWorker, runner: CommandRunner, parent: QWidget | None = None
    ) -> None:
        super().__init__(theme, background, runner, parent)
        self._job: BackgroundJob | None = None
        self._due: frozenset[str] = frozenset()
        self._wanted = ""
        self.finding: ResultData | None = None
        self.answer: Answer | None = None
        self.moment: RunMoment | None = None  # the earlier time that is shown
        self._final_parts: list[QWidget] = []  # hidden during a replay
        self._queue = DrawQueue(self)
        shown = (self._mark_split, self._show_proposal)
        self._plot_steps = (self._fill_points, *shown, self._fill_study, self._fill_table)
        self._inside.hide()  # hidden until a run is shown
        self._connect_signals()

    def _connect_signals(self) -> None:
        self.area.viewport().installEventFilter(self)
        self.weights.changed.connect(self._apply_weights)
        self._theme.changed.connect(self._fit_height)
        self.head.edit.clicked.connect(self.edit_wanted)
        self.head.replay.clicked.connect(self._start_replay)
        self.replay.moment_ready.connect(self._show_moment)
        self.replay.failed.connect(self.message.show_error)
        self.replay.closed.connect(self._end_replay)
        self.regret.table.source.modelReset.connect(self._fit_table)
        self.applied.changed.connect(self.host_changed)
        self.applied.dismiss.clicked.connect(self._fit_height)
        self.footer.apply_wanted.connect(self._open_apply_dialog)
        self.footer.export_wanted.connect(self._export_result)
        self.footer.confirm_wanted.connect(lambda: self._request_plan(self._further_plan))
        self.footer.measure_wanted.connect(lambda: self._request_plan(confirming_run))
        self.footer.other_wanted.connect(lambda: self.finding and self.other_wanted.emit(self.finding.run.spec))
        self.footer.continue_wanted.connect(lambda: self.continue_wanted.emit(self._wanted))
        self.footer.lengthen_wanted.connect(lambda minutes: self.lengthen_wanted.emit(self._wanted, minutes))
        self.footer.replay_wanted.connect(lambda: self.replay_wanted.emit(self._wanted))

    @property
    def complete(self) -> bool:
        """True when a run is shown."""
        return self.finding is not None

    def go_to_headline(self) -> None:
        """Scroll to the headline and take the keyboard focus, as on opening the page."""
        self.area.verticalScrollBar().setValue(0)
        self.area.setFocus()

    def show_run(self, run_id: str) -> None:
        """Read a stored run in the background, then show it."""
        if run_id != self._wanted:
            self._inside.hide()
        self._wanted = run_id
        if self._job is not None:
            self._job.cancel()
        self.message.clear()
        self._leave_replay()
        self.finding = self.answer = None
        self.footer.setEnabled(False)
        self._job = self._background.submit(read_run(run_id), self.show_finding, self.message.show_error)

    def show_finding(self, finding: ResultData) -> None:
        """Show a run."""
        results, answer = finding.results, finding.results.answer
        self._leave_replay()
        self.finding, self.answer, self._wanted = finding, answer, results.run_id
        self._queue.clear()
        self._fill_head(finding)
        self.plot.prepare(finding.run.spec)
        for draw in self._plot_steps:
            draw()
        self.why.show_reasons(answer)
        self.why.show_models(results.model)
        self.why.show_points(results.points, max(1, len(finding.run.facts.shared_cpus)))
        self.papers.show_papers(finding.besides)
        self.measured.show_finding(finding)
        self._inside.show()
        self._fit_height()

    def _fill_head(self, finding: ResultData) -> None:
        results = finding.results
        self.footer.setEnabled(True)
        self.ribbon.setVisible(results.simulated)
        self.frame.set_simulated(results.simulated)
        self.each.show_study(results.study)
        self.head.show_run(results)
        self._show_run_status(finding)
        self.head.show_answer(results.answer, finding.run.spec)
        self.footer.show_finding(finding, results.answer)
        self.weights.set_sweep(finding.run.spec)

    def _fill_points(self) -> None:
        if (results := self._shown_results) is None:
            return
        self.model.show_models(results.model)
        self.plot.set_points({(point.label, point.load): point for point in leading_points(results.points)})
        self.plot.set_knees(knees_in(results.answer))
        self.frame.refresh_table()

    def _fill_study(self) -> None:
        moment = moment_title(self.moment) if self.moment is not None else ""
        self.each.mark_moment(moment)
        if (results := self._shown_results) is not None:
            self.frame.setVisible(not self.study.show_results(results, moment))

    def _fill_table(self) -> None:
        if self.finding is not None and (answer := self._shown_answer) is not None:
            self.regret.show_result(self.finding.run.spec, answer)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the parts when window, ribbon or footer change the viewport."""
        if event.type() == QEvent.Type.Resize:
            self._fit_height()
        return super().eventFilter(watched, event)

    def _fit_height(self) -> None:
        """Fill the first screen with head and plot, down to the next card's heading."""
        if layout := self.layout():
            layout.activate()  # the ribbon may have reduced the viewport since
        room = self.area.viewport().size()
        above = [part for part in (self.state, self.applied, self.head) if not part.isHidden()]
        taken_px = sum(height_at(part, room.width() - 2 * SPACE_L) + SPACE_L for part in above)
        self.frame.set_compact(room.width() < _ROOMY_PX)
        many = len(self.weights.weights)
        least_px = _PLOT_PX + (_SLIDER_PX * many + _MANY_PX if many > 2 else 0)
        height_px = max(least_px, room.height() - taken_px - 2 * SPACE_L - NEXT_PX)
        for part in (self.frame, self.regret):  # both have the same height
            part.setFixedHeight(height_px)
        self.study.set_height(height_px)
        self._fit_table()

    def _fit_table(self) -> None:
        """Give the table the width of its columns, but leave the plot its minimum."""
        others_px = self._middle.minimumSize().width() - self.regret.minimumWidth()
        self.regret.ask_for_width(self.area.viewport().width() - 2 * SPACE_L - others_px)

    def _show_answer(self, answer: Answer) -> None:
        """Show an answer for other weights."""
        if self.finding is None:
            return
        self.answer = answer
        self._queue.add(self._fill_answer, self._fill_footer, self._mark_split, self._show_proposal, self._fill_table)
        self.why.show_answer(answer)

    def _fill_answer(self) -> None:
        if self.finding is not None and (answer := self._shown_answer) is not None:
            self.head.show_answer(answer, self.finding.run.spec)

    def _fill_footer(self) -> None:
        if self.finding is not None and self.answer is not None:
            self.footer.show_finding(self.finding, self.answer)

    @property
    def _shown_answer(self) -> Answer | None:
        """The answer on the page: during a replay the earlier one, else the final one."""
        return self.moment.results.answer if self.moment is not None else self.answer

    @property
    def _shown_results(self) -> Results | None:
        if self.moment is not None:
            return self.moment.results
        return self.finding.results if self.finding is not None else None

    @property
    def _split_answer(self) -> Recommendation | None:
        return answer.recommendation if (answer := self._shown_answer) else None

    def _mark_split(self) -> None:
        """Mark the recommended split in the plot."""
        if split := self._split_answer:
            self.plot.mark(split.setting, split.equivalent, rank_words(split, split.setting))
        else:
            self.plot.mark(None)

    def _show_proposal(self) -> None:
        """Show the expected throughput of an interpolated split in plot and table."""
        split = self._split_answer
        if self.plot.propose(split.proposal if split else None):
            self.frame.refresh_table()

    def _apply_weights(self, weights: dict[str, float]) -> None:
        if self.finding is not None:
            self._show_answer(self.finding.weighted(weights))

    def _start_replay(self) -> None:
        """Show the time cursor, and hide the parts that explain only the final answer."""
        if self.finding is not None:
            self.go_to_headline()
            self.head.replay.setEnabled(False)
            final = (self.why, self.papers, self.measured, self.weights)
            self._final_parts = [part for part in final if not part.isHidden()]
            for part in self._final_parts:
                part.hide()
            self.footer.hide_orders()
            self.replay.start(self.finding.documents)

    def _show_moment(self, moment: RunMoment) -> None:
        """Show the answer of an earlier time; the moment of the end is the final answer."""
        self.moment = None if moment.final else moment
        self.head.setMinimumHeight(self.head.height())  # a shorter answer does not move the plot
        self._queue.add(self._fill_answer, *self._plot_steps)

    def _end_replay(self) -> None:
        self._leave_replay()
        self._queue.add(self._fill_answer, self._fill_footer, *self._plot_steps)
        self.head.replay.setFocus()

    def _leave_replay(self) -> None:
        """Hide the time cursor; the page is not drawn again."""
        self.moment = None
        self.replay.stop()
        self.head.replay.setEnabled(True)
        self.head.setMinimumHeight(0)
        for part in self._final_parts:
            part.show()
        self._final_parts = []

    def _show_run_status(self, finding: ResultData) -> None:
        """Show the message about the run's end and its host."""
        if finding.origin is not None:
            self.state.say("info", *origin_words(finding.origin), finding.results.reason)
            return
        status = run_status_of(finding, self._due)
        if status is None:
            self.state.clear()
        else:
            self.state.say(*status)

    def note_pending_restores(self, due: frozenset[str], recorded: tuple[str, ...] = ()) -> None:
        """Update the message about the host; read the run again if its record changed.

        Args:
            due: Ids of hosts with a pending restore.
            recorded: Ids of runs whose end was recorded just now.
        """
        before, self._due = self._due, due
        left = self.finding is not None and not self.finding.results.restored
        if self._wanted in recorded or (left and before != due):
            self.show_run(self._wanted)

    def _open_apply_dialog(self) -> None:
        if self.finding is None or self.answer is None:
            return
        decision = self.answer.decision
        split = split_of(decision.setting)
        if split is None:
            return
        dialog = ApplyDialog(self._theme, self._runner, self.finding.results, split, self)
        dialog.show_doubt(doubt_words(decision))
        dialog.applied.connect(self.applied.show_applied)
        dialog.applied.connect(self._fit_height)
        show_dialog(dialog)

    def _export_result(self, kind: str) -> None:
        if self.finding is None or self.answer is None:
            return
        export = exports.run_file_export if kind == RUN_FILE else exports.sweep_export
        asked = export(self, kind, self.finding, self.answer)

        def ask() -> None:
            exports.ask_and_export(asked, self._background, self.message)

        doubt = doubt_words(self.answer.decision) if kind == "bundle" else ""
        if doubt:
            ask_despite_doubt(self, self.answer.decision.label, doubt, ask)
        else:
            ask()

    def paper_page(self) -> Callable[[], str] | None:
        """Return a function that makes the report for paper; None while no run is shown."""
        return exports.paper_page(self.finding, self.answer) if self.finding and self.answer else None

    def _request_plan(self, plan: Callable[[RunSpec, Answer], RunSpec]) -> None:
        if self.finding is not None and self.answer is not None:
            self.confirm_wanted.emit(plan(self.finding.run.spec, self.answer))

    def _further_plan(self, spec: RunSpec, answer: Answer) -> RunSpec:
        """Return the plan of the next run: a capacity follow-up, or a longer run."""
        if answer.recommendation:
            return longer_run(spec, answer.recommendation)
        return next_capacity_plan(spec, knees_in(answer)) or spec

    def _table(self) -> TableData:
        if self.finding is None:
            return points_table(())
        results = self._shown_results or self.finding.results
        predicted = predicted_points(self.plot.proposal, self.finding.run.spec.loads)
        return points_table((*results.points, *predicted), results.model)
