"""Title of the window: progress and host of a sweep, readable in the task bar."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.display_texts import format_rough_duration
from app.run_session import RunSession
from scheduler.model.documents import Document, RunStarted, StateChanged, TrialStarted
from scheduler.model.terminal_text import replace_controls
from scheduler.plans.study_plan import duration_s, simulation_time_s
from scheduler.translation import _

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
        self._trial = 0
        self._t_s = self._most_s = 0.0
        self._simulated = False
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
                self._trial, self._t_s, self._most_s = 0, 0.0, duration_s(document.spec)[1]
                self._simulated = document.facts.simulated
            case TrialStarted():
                self._trial, self._t_s = document.trial + 1, document.t_s
            case StateChanged():
                self._state = document.state.value
            case _:
                return
        if self._host:
            self._set_title(self._progress_text(), self._host)

    def _progress_text(self) -> str:
        """Return the number of the trial and the longest time left."""
        if self._state == "paused":
            return _("Paused")
        if not self._trial:
            return _("Preparing")
        left_s = self._most_s - self._t_s
        if left_s <= 0.0:  # pauses are not part of the estimate
            return _("trial {n}").format(n=self._trial)
        time = format_rough_duration(simulation_time_s(left_s) if self._simulated else left_s)
        return _("trial {n}, at most {time} left").format(n=self._trial, time=time)

    def _clear_sweep(self) -> None:
        self._host = self._state = ""
        self._set_title()

    def _set_title(self, *words: str) -> None:
        self._window.setWindowTitle(" \N{MIDDLE DOT} ".join(part for part in (*words, _NAME) if part))
