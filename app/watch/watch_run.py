"""One stretch of watching, in a process of its own: windows as they come, then the answer."""

from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtCore import QObject, Signal

from app.watch.core_run import CoreRun
from scheduler.errors import SchedulerError
from scheduler.model.watch_documents import WatchResult, WatchStarted, WatchWindow, decode_watch_line

_GRACE_MS = 30_000  # a look that is under way at a slow host is waited for; then it is ended


class WatchRun(CoreRun):
    """Begins at once; never blocks.

    Args:
        words: What `domtune watch` is to be told.
        environment: Variables that the process gets beside ours: the one way for a password.
        parent: Qt's parent.

    Raises:
        OSError: The process could not be started.

    Signals:
        began: `WatchStarted`.
        window: `WatchWindow`, each.
        answered: `Watched`; nothing follows.
        failed: A SchedulerError that says why there is no answer; nothing follows.
    """

    began = Signal(object)
    window = Signal(object)
    answered = Signal(object)
    failed = Signal(object)

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str] | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(["watch", "--json", "--windows", *words], environment, parent, _GRACE_MS)
        self._answer: WatchResult | None = None
        self._child.close_input()

    def stop(self) -> None:
        """Ask it to end; its answer, from what was seen so far, follows."""
        if self._child.running:
            self._child.terminate()
            self._limit.start()

    def let_go(self) -> None:
        """Ask it to end and stop listening: neither `answered` nor `failed` follows."""
        self._let_go(end=True)

    def _take(self, line: bytes) -> None:
        try:
            told = decode_watch_line(line)
        except msgspec.MsgspecError:
            return  # what is missing then shows at the end
        match told:
            case WatchStarted():
                self.began.emit(told)
            case WatchWindow():
                self.window.emit(told)
            case _:
                self._answer = told

    def _end(self, code: int) -> None:
        if self._answer is not None:
            self.answered.emit(self._answer)
            return
        text = self.tr("Watching ended with exit code {code} and no answer.").format(code=code)
        failed = SchedulerError(text, hint=self.tr("Try again."))
        if self._child.error_text:
            failed.add_note(self._child.error_text)
        self.failed.emit(failed)
