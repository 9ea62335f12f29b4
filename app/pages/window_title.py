"""Title of the window: progress and host of a sweep, readable in the task bar."""

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QWidget

from app.display_texts import format_percent
from app.run_session import RunSession
from scheduler.model.documents import Document, RunStarted, StateChanged, TrialDone
from scheduler.model.terminal_text import replace_controls
from scheduler.plans.study_plan import usual_s

_NAME = "DomTune"


class WindowTitle(QObject):
    """Title that follows a sweep on every page.

    Args:
        window: Window to name.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._host = self._state = ""
        self._part_frac = 0.0
        self._usual_s = 0.0
        self.show_place()

    def show_place(self, *words: str) -> None:
        """Name the window after the displayed page, unless a sweep runs."""
        if not self._host:
            self._set_title(*words)

    def follow(self, session: RunSession) -> None:
        """Show a sweep's progress in the title until it ends."""
        session.document.connect(self._track_document)
        session.ended.connect(self._clear_sweep)

    def _track_document(self, document: Document) -> None:
        match document:
            case RunStarted():
                self._host = replace_controls(document.spec.name or document.facts.title)
                self._part_frac, self._usual_s = 0.0, usual_s(document.spec)
            case TrialDone():
                self._part_frac = document.t_s / self._usual_s if self._usual_s else 0.0
            case StateChanged():
                self._state = document.state.value
            case _:
                return
        if self._host:
            self._set_title(self._progress_text(), self._host)

    def _progress_text(self) -> str:
        """Return the passed part of the usual time, at most 99 %."""
        if self._state == "paused":
            return QCoreApplication.translate("title", "Paused")
        return format_percent(min(0.99, round(self._part_frac, 2)))

    def _clear_sweep(self) -> None:
        self._host = self._state = ""
        self._set_title()

    def _set_title(self, *words: str) -> None:
        self._window.setWindowTitle(" \N{MIDDLE DOT} ".join(part for part in (*words, _NAME) if part))
