"""What the window is called: how far a sweep is, and of which host, can be read while another window is in front."""

from PySide6.QtCore import QCoreApplication, QObject
from PySide6.QtWidgets import QWidget

from app.display_texts import format_percent
from app.run_session import RunSession
from scheduler.model.documents import Document, RunStarted, StateChanged, TrialDone
from scheduler.model.terminal_text import replace_controls
from scheduler.plans.duration import usual_s

_NAME = "DomTune"


class WindowTitle(QObject):
    """Follows a sweep; what is shown meanwhile does not matter to it.

    Args:
        window: The window that is named.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._host = self._state = ""
        self._part_frac = 0.0
        self._usual_s = 0.0
        self.show_place()

    def show_place(self, *words: str) -> None:
        """Name the window after what is shown, unless a sweep runs: its progress matters more."""
        if not self._host:
            self._set_title(*words)

    def follow(self, session: RunSession) -> None:
        """Name the window after this sweep until it ends."""
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
        """Return how much of its usual time has passed; the last percent is the end's, whenever that comes."""
        if self._state == "paused":
            return QCoreApplication.translate("title", "Paused")
        return format_percent(min(0.99, round(self._part_frac, 2)))

    def _clear_sweep(self) -> None:
        self._host = self._state = ""
        self._set_title()

    def _set_title(self, *words: str) -> None:
        self._window.setWindowTitle(" \N{MIDDLE DOT} ".join(part for part in (*words, _NAME) if part))
