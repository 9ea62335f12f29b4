"""A run from recorded documents, with the buttons' effects: what `RunSession` is to the live page, without a core."""

from PySide6.QtCore import QObject, Signal

from scheduler.model.documents import Document, RunOutcome, RunState, RunStopped, StateChanged


class RecordedSession(QObject):
    """Plays documents when told to; pause, resume and abort answer as the engine would."""

    document = Signal(object)
    said = Signal(str, str, str)
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
        self.said.emit("error", "The measuring process ended unexpectedly (exit code -9).", "")
        reason = "was interrupted at trial 6 of 60"
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
