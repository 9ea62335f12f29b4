"""Dialogs that open and save plan files; the file work is done in the background."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from app.background import BackgroundJob, BackgroundWorker
from app.settings import Settings
from app.studies.text_registry import is_asked
from app.widgets.dialog_layout import show_dialog
from app.widgets.save_dialog import ask_save_path
from scheduler.errors import SpecError
from scheduler.model.own_plans import list_own_plans, read_own_plan
from scheduler.model.plan_file import read_plan_file, write_plan
from scheduler.model.spec import RunSpec
from scheduler.translation import _

_SUFFIX = "toml"


class PlanFiles(QObject):
    """Dialogs for plan files; they do not block.

    Args:
        settings: Stores the last folder.
        background: Reads and writes the files.
        parent: Parent widget of the dialogs.

    Signals:
        opened: The sweep of a plan file.
        saved: The sweep that was written.
        notified: Level, text and hint of a message.
    """

    opened = Signal(object)
    saved = Signal(object)
    notified = Signal(str, str, str)

    def __init__(self, settings: Settings, background: BackgroundWorker, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self._settings = settings
        self._background = background
        jobs: list[BackgroundJob] = []
        self._jobs = jobs
        self.destroyed.connect(lambda: _cancel_jobs(jobs))  # a late answer must not reach a deleted object

    def ask_open(self) -> None:
        """Ask for a plan file, then read the plan."""
        folder = str(self._settings.export_dir)
        dialog = QFileDialog(self._parent, _("Open a plan"), folder, _("Plans (*.toml)"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda path: self.open(Path(path)))
        show_dialog(dialog)

    def offer_templates(self, place: QPoint) -> None:
        """Show the menu of templates and recent plans; they are read in the background.

        Args:
            place: Position of the menu's upper left corner on the screen.
        """
        self._jobs.append(
            self._background.submit(lambda _: read_templates(), partial(self._show_menu, place), self._report_failure)
        )

    def _show_menu(self, place: QPoint, templates: Sequence[RunSpec]) -> None:
        self.menu = menu = QMenu(self._parent)
        menu.aboutToHide.connect(menu.deleteLater)
        _add_heading(menu, _("Templates"))
        for spec in templates:
            menu.addAction(_menu_text(spec.name), partial(self._take_plan, spec))
        if self._settings.recent_plans:
            menu.addSeparator()
            _add_heading(menu, _("Recent plans"))
        for path in self._settings.recent_plans:
            menu.addAction(_menu_text(path), partial(self.open, Path(path)))
        menu.popup(place - QPoint(0, menu.sizeHint().height()))

    def ask_save(self, spec: RunSpec | None) -> None:
        """Ask for a file name, then write the plan; do nothing for None."""
        if spec is None:
            return
        name, kinds = f"{_file_name(spec)}.{_SUFFIX}", {_SUFFIX: _("Plans")}
        ask_save_path(self._parent, _("Save this plan"), name, kinds, lambda path: self.save(spec, path))

    def open(self, path: Path) -> None:
        """Read a plan; `opened` or `said` follows."""
        self._remember_folder(path)
        self._jobs.append(
            self._background.submit(lambda _: read_plan_file(path), self._take_plan, self._report_failure)
        )

    def _take_plan(self, spec: RunSpec) -> None:
        """Emit `opened` for a study of the wizard, else report the command to use.

        The wizard would lose the question of other studies.
        """
        if is_asked(spec.kind.name):
            self.opened.emit(spec)
            return
        words = _("The wizard cannot show a plan for this question: {question}")
        hint = _("Run the plan with 'domtune run PLAN'.")
        self.notified.emit("error", words.format(question=spec.kind.question), hint)

    def save(self, spec: RunSpec, path: Path) -> None:
        """Write a plan; `said` follows.

        Args:
            spec: Plan to write.
            path: File to write.
        """
        self._remember_folder(path)
        text = write_plan(spec)
        job = self._background.submit(
            lambda _: path.write_text(text, encoding="utf-8"),
            lambda _: self._report_saved(spec, path),
            self._report_failure,
        )
        self._jobs.append(job)

    def _report_saved(self, spec: RunSpec, path: Path) -> None:
        self.saved.emit(spec)
        self.notified.emit("good", _("Saved as {path}").format(path=path), "")

    def _remember_folder(self, path: Path) -> None:
        self._settings.export_dir = path.parent
        self._settings.remember_plan(path)

    def _report_failure(self, error: Exception) -> None:
        hint = error.hint if isinstance(error, SpecError) else _("Choose another folder or another name.")
        self.notified.emit("error", str(error), hint)


def read_templates() -> list[RunSpec]:
    """Return the plans that come with DomTune, by name."""
    return sorted(map(read_own_plan, list_own_plans()), key=lambda spec: spec.name)


def _add_heading(menu: QMenu, text: str) -> None:
    menu.addAction(text).setEnabled(False)


def _menu_text(text: str) -> str:
    return text.replace("&", "&&")


def _cancel_jobs(jobs: list[BackgroundJob]) -> None:
    for job in jobs:
        job.cancel()


def _file_name(spec: RunSpec) -> str:
    """Return a file name without suffix from a plan's name, with safe characters only."""
    letters = "".join(letter if letter.isalnum() or letter in " -_" else " " for letter in spec.name)
    return "-".join(letters.split()).lower() or "plan"
