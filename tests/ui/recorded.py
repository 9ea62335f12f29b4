"""Recorded runs: with the buttons' effects, as `RunSession` for the live page, and as results for the result page."""

from typing import Any

from PySide6.QtCore import QObject, Signal

from app.pages.result_data import ResultData, result_data_of
from scheduler.model.documents import Document, RunOutcome, RunState, RunStopped, StateChanged
from tests.data_maker import make_documents


class RecordedSession(QObject):
    """Plays documents when told to; pause, resume and abort answer as the engine would."""

    document = Signal(object)
    notified = Signal(str, str, str)
    ended = Signal(object)

    def __init__(self, documents: list[Document]) -> None:
        super().__init__()
        self._left = list(documents)
        self._now_s = 0.0

    def play(self, count: int) -> None:
        """Emit the next documents."""
        for document in self._left[:count]:
            self._now_s = document.t_s
            self.document.emit(document)
            if isinstance(document, RunStopped):
                self.ended.emit(document)
        self._left = self._left[count:]

    def play_until(self, kind: type, number: int = 1) -> None:
        """Emit documents up to and including the `number`th of a kind."""
        places = [place for place, document in enumerate(self._left) if isinstance(document, kind)]
        self.play(places[number - 1] + 1)

    def die(self) -> None:
        """End as a core does that was killed and whose host could not be put back."""
        self.notified.emit("error", "The measuring process ended unexpectedly (exit code -9).", "")
        reason = "broke off at trial 6 of 60"
        last = RunStopped(t_s=self._now_s, outcome=RunOutcome.FAILED, restored=False, reason=reason, interrupted=True)
        self._say(last)
        self.ended.emit(last)

    def pause(self) -> None:
        self._say(StateChanged(t_s=self._now_s, state=RunState.PAUSED, text="the host is as it was found"))

    def resume(self) -> None:
        self._say(StateChanged(t_s=self._now_s, state=RunState.RUNNING))

    def abort(self) -> None:
        self._say(StateChanged(t_s=self._now_s, state=RunState.RESTORING, text="restoring the host"))
        last = RunStopped(t_s=self._now_s, outcome=RunOutcome.ABORTED, restored=True, reason="aborted by the user")
        self._say(last)
        self.ended.emit(last)

    def _say(self, document: Document) -> None:
        self.document.emit(document)


_results: dict[str, ResultData] = {}


def recorded_result(**options: Any) -> ResultData:
    """Return the result of the run that `make_documents` makes; the same options are summarised once."""
    key = repr(sorted(options.items()))
    if key not in _results:
        _results[key] = result_data_of(make_documents(**options))
    return _results[key]
