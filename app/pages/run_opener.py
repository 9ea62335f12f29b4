"""Opening of run files and results: dialog, drop on the window, command line."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QObject, Signal
from PySide6.QtWidgets import QFileDialog

from app.core_process import OneShotCommand
from app.pages.home_page import HomePage
from app.pages.window_frame import WindowFrame
from app.widgets.dialog_layout import show_dialog
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import ImportAnswer, RefusedFile
from scheduler.model.run_paths import RESULTS_SUFFIX, RUN_FILE_SUFFIX, is_run_path
from scheduler.store.results_file import read_results_file
from scheduler.translation import _

_TIMEOUT_S = 600.0
_MOST_NAMES = 5


def dropped_files(data: QMimeData) -> list[Path]:
    """Return the run files and results among dropped data; empty for none."""
    paths = (url.toLocalFile() for url in data.urls() if url.isLocalFile())
    return [Path(path) for path in paths if is_run_path(path)]


class RunOpener(QObject):
    """Opener of files with runs; `domtune import` checks and stores them.

    Args:
        window: Window with the messages.
        home: Page that lists the runs.

    Signals:
        opened: Id of the only run of the files, once Home lists it.
        results: List of `Results` of the JSON files, which are not stored.
    """

    opened = Signal(str)
    results = Signal(list)

    def __init__(self, window: WindowFrame, home: HomePage) -> None:
        super().__init__(window)
        self._window, self._home = window, home
        self._awaited = ""  # run to show when Home lists it
        home.loaded.connect(self._show_awaited)

    def ask(self) -> None:
        """Ask for files, without blocking, then open them."""
        folder, kinds = str(self._window.settings.export_dir), f"*{RUN_FILE_SUFFIX} *{RESULTS_SUFFIX}"
        filters = _("Runs and results ({kinds})").format(kinds=kinds)
        dialog = QFileDialog(self._window, _("Open runs"), folder, filters)
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.filesSelected.connect(lambda paths: self.open([Path(path) for path in paths]))
        show_dialog(dialog)

    def open(self, paths: Sequence[Path]) -> None:
        """Import files in a process of their own; messages and signals follow."""
        if not paths:
            return
        self._window.message.say("info", _("Opening {files}\N{HORIZONTAL ELLIPSIS}").format(files=_names(paths)))
        words = ["import", "--json", "--", *(str(path.absolute()) for path in paths)]
        job = self._window.runner.run_once(words, timeout_s=_TIMEOUT_S)
        job.finished.connect(lambda _output, _code: self._finish(job))

    def _finish(self, job: OneShotCommand) -> None:
        try:
            answer = job.read(ImportAnswer)
        except SchedulerError as error:
            self._window.message.show_error(error)
            return
        self._say_outcome(answer)
        if len(answer.runs) == 1 and not answer.results:
            self._awaited = answer.runs[0].run_id
        self._home.refresh()
        if answer.results:
            paths = [Path(file) for file in answer.results]
            self._window.background.submit(
                lambda _: [read_results_file(path) for path in paths],
                self.results.emit,
                self._window.message.show_error,
            )

    def _say_outcome(self, answer: ImportAnswer) -> None:
        """Report imported and refused files; a single good file needs no message."""
        if answer.refused:
            good = len(answer.runs) + len(answer.results)
            self._window.message.say("error", *_refusal_words(answer.refused, good))
        elif len(answer.runs) > 1:
            new = sum(not run.already for run in answer.runs)
            words = _("{new} runs were imported, {old} were already here.")
            self._window.message.say("good", words.format(new=new, old=len(answer.runs) - new))
        else:
            self._window.message.clear()

    def _show_awaited(self) -> None:
        run_id = self._awaited
        if run_id and self._home.row_of(run_id) is not None:
            self._awaited = ""
            self.opened.emit(run_id)


def _refusal_words(refused: Sequence[RefusedFile], good: int) -> tuple[str, str, str]:
    """Return text, hint and details of a message about refused files."""
    if len(refused) == 1 and not good:
        return f"{refused[0].error}.", refused[0].hint, ""
    text = _("{n} files were opened, {bad} were not: {files}.")
    details = "\n".join(f"{each.error}. {each.hint}".rstrip() for each in refused)
    return text.format(n=good, bad=len(refused), files=_names(Path(each.file) for each in refused)), "", details


def _names(paths: Iterable[Path]) -> str:
    names = [path.name for path in paths]
    more = "" if len(names) <= _MOST_NAMES else f" \N{HORIZONTAL ELLIPSIS} (+{len(names) - _MOST_NAMES})"
    return ", ".join(names[:_MOST_NAMES]) + more
