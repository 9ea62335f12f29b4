"""Rename, tag, delete and undelete stored runs with `domtune runs`."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.core_process import CommandRunner, OneShotCommand
from app.pages.home_page import HomePage
from app.pages.labels_dialog import LabelsDialog
from app.pages.sweep_rows import SweepRow, default_name
from app.theme.theme import Theme
from app.widgets.dialog_layout import show_dialog
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import CommandRefusal
from scheduler.model.results import Results
from scheduler.model.run_labels import RunLabels
from scheduler.translation import _

_TIMEOUT_S = 60.0


class RunManager(QObject):
    """Editor of stored runs; it does not block the window.

    Args:
        theme: Colours of the dialog.
        runner: Starts `domtune runs`.
        home: Lists the sweeps, and shows deleted ones.
        window: Parent of the dialog.

    Signals:
        changed: Ids of the runs that were renamed, deleted or undeleted.
        failed: The error.
    """

    changed = Signal(tuple)
    failed = Signal(object)

    def __init__(self, theme: Theme, runner: CommandRunner, home: HomePage, window: QWidget) -> None:
        super().__init__(window)
        self._theme, self._runner, self._home, self._window = theme, runner, home, window
        home.sweeps.footer.edit.connect(self.edit)
        home.sweeps.footer.delete.connect(self.delete)
        home.deleted.undo.connect(self._undelete_runs)

    def edit(self, row: SweepRow) -> None:
        """Ask for name, tags and note of a sweep; they apply to all its runs."""
        self._ask_labels(row.run_ids, row.labels, row.newest.plan.name or default_name(row.newest.plan))

    def edit_shown(self, results: Results) -> None:
        """Ask for name, tags and note of the run on the result page.

        A deleted run is not in the list.
        """
        row = self._home.row_of(results.run_id)
        if row is not None:
            self.edit(row)
        else:
            labels = RunLabels(title=results.name, tags=results.tags, note=results.note)
            self._ask_labels((results.run_id,), labels, results.name)

    def delete(self, rows: Sequence[SweepRow]) -> None:
        """Delete sweeps with all their runs; the user can undo the deletion."""
        run_ids = tuple(run_id for row in rows for run_id in row.run_ids)
        text = _("{n} sweeps are deleted.").format(n=len(rows))
        if len(rows) == 1:
            text = _("Deleted: {name}, {date}").format(name=rows[0].name, date=rows[0].date)
        self._change_runs(run_ids, ["--delete"], lambda: self._home.deleted.show_deleted(text, run_ids))

    def _undelete_runs(self, run_ids: Sequence[str]) -> None:
        self._change_runs(run_ids, ["--undelete"], self._home.deleted.show_undone)

    def _ask_labels(self, run_ids: Sequence[str], labels: RunLabels, unnamed: str) -> None:
        asking = LabelsDialog(self._theme, labels, unnamed, self._window)
        asking.accepted.connect(lambda: self._store_labels(run_ids, asking.labels()))
        show_dialog(asking)

    def _store_labels(self, run_ids: Sequence[str], labels: RunLabels) -> None:
        self._change_runs(run_ids, [f"--rename={labels.title}", f"--note={labels.note}", "--tag", *labels.tags])

    def _change_runs(
        self, run_ids: Sequence[str], words: Sequence[str], then: Callable[[], None] | None = None
    ) -> None:
        job = self._runner.run_once(["runs", *run_ids, "--json", *words], timeout_s=_TIMEOUT_S)
        job.finished.connect(lambda _output, code: self._finish_change(job, code, tuple(run_ids), then))

    def _finish_change(
        self, job: OneShotCommand, code: int, run_ids: tuple[str, ...], then: Callable[[], None] | None
    ) -> None:
        if code:
            self._home.deleted.button.setEnabled(True)
            self.failed.emit(_read_refusal(job))
            return
        if then is not None:
            then()
        self.changed.emit(run_ids)


def _read_refusal(job: OneShotCommand) -> SchedulerError:
    try:
        refused = job.read(CommandRefusal)
    except SchedulerError as error:
        return error
    return SchedulerError(refused.error, hint=refused.hint)
