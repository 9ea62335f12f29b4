"""Run `domtune watch` or `domtune follow` in a process of its own: its lines, the question, its end.

A process that is asked to end and does not is killed after a while.
"""

from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from app.child_process import ChildProcess
from scheduler.errors import SchedulerError
from scheduler.model.observation_documents import (
    FollowAudit,
    FollowDone,
    FollowEnd,
    FollowHold,
    FollowMove,
    FollowPeriod,
    FollowStarted,
    FollowWindow,
    WatchResult,
    WatchStarted,
    WatchWindow,
    decode_observation_line,
)


class ObservationRun(QObject):
    """Looks at the host at once; never blocks. Derive from it, and take its lines in `_take` and its end in `_end`.

    Args:
        words: The command.
        environment: Variables that the process gets in addition to ours; the only way to pass a password.
        parent: Qt's parent.
        grace_ms: How long it may take to end once it was asked to.

    Raises:
        OSError: The process could not be started.
    """

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str] | None, parent: QObject | None, grace_ms: int
    ) -> None:
        super().__init__(parent)
        self._over = False
        self._child = ChildProcess([*words], self, environment)
        self._child.line.connect(self._take)
        self._child.ended.connect(self._handle_exit)
        self._limit = QTimer(self)
        self._limit.setSingleShot(True)
        self._limit.setInterval(grace_ms)
        self._limit.timeout.connect(self._kill_child)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._child.pid

    def stop(self) -> None:
        """Ask it to end; its last line follows."""
        raise NotImplementedError

    def let_go(self) -> None:
        """Have it end and stop listening: none of its signals follows."""
        raise NotImplementedError

    def _let_go(self, *, end: bool) -> None:
        """Stop listening, and ask it to end if that is wanted; nothing of it follows."""
        self._over = True
        self._limit.stop()
        if end and self._child.running:
            self._child.terminate()
        self._child.let_go()

    def _handle_exit(self, code: int) -> None:
        self._limit.stop()
        if not self._over:
            self._over = True
            self._end(code)

    def _kill_child(self) -> None:
        if self._child.running:
            self._child.kill()

    def _take(self, line: bytes) -> None:
        raise NotImplementedError

    def _end(self, code: int) -> None:
        raise NotImplementedError


_WATCH_GRACE_MS = 30_000  # time for a look at a slow host to finish


class WatchRun(ObservationRun):
    """Looks at the host at once; never blocks.

    Args:
        words: Arguments of `domtune watch`.
        environment: Variables that the process gets in addition to ours; the only way to pass a password.
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
        super().__init__(["watch", "--json", "--windows", *words], environment, parent, _WATCH_GRACE_MS)
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
            told = decode_observation_line(line)
        except msgspec.MsgspecError:
            return  # what is missing then shows at the end
        match told:
            case WatchStarted():
                self.began.emit(told)
            case WatchWindow():
                self.window.emit(told)
            case WatchResult():
                self._answer = told
            case _:
                pass

    def _end(self, code: int) -> None:
        if self._answer is not None:
            self.answered.emit(self._answer)
            return
        text = self.tr("Watching ended with exit code {code} and no answer.").format(code=code)
        failed = SchedulerError(text, hint=self.tr("Try again."))
        if self._child.error_text:
            failed.add_note(self._child.error_text)
        self.failed.emit(failed)


_FOLLOW_GRACE_MS = 180_000  # by then the guard has restored a slow host


class FollowRun(ObservationRun):
    """Looks at the host at once, writes nothing before `agree`, and restores the host when its input is closed.

    Args:
        words: Arguments of `domtune follow`.
        environment: Variables that the process gets in addition to ours; the only way to pass a password.
        parent: Qt's parent.

    Raises:
        OSError: The process could not be started.

    Signals:
        asking: `FollowStarted`: what would be done; `agree` or `stop` is waited for.
        told: Each further line but the last.
        ended: `FollowDone`; nothing follows.
        died: A SchedulerError: the process ended without a last line; nothing follows.
    """

    asking = Signal(object)
    told = Signal(object)
    ended = Signal(object)
    died = Signal(object)

    def __init__(
        self, words: Sequence[str], environment: Mapping[str, str] | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(["follow", "--json", "--ask", *words], environment, parent, _FOLLOW_GRACE_MS)
        self._done: FollowDone | None = None
        self._declined = False
        self.agreed = False

    def agree(self) -> None:
        """Say yes: from now on it writes to the host."""
        self.agreed = True
        self._child.write(b"yes\n")

    def stop(self) -> None:
        """Say no, or end it: the host is given back, then `ended` follows."""
        if not self._child.running:
            return
        if self.agreed:
            self._child.write(b"stop\n")
            self._limit.start()
        else:
            self._declined = True
            self._child.terminate()  # it only looks, or waits for an answer

    def let_go(self) -> None:
        """Have it end and stop listening: neither `ended` nor `died` follows. What was set is given back."""
        self._let_go(end=not self.agreed)

    def _take(self, line: bytes) -> None:
        try:
            told = decode_observation_line(line)
        except msgspec.MsgspecError:
            return  # what is missing then shows at the end
        match told:
            case FollowStarted():
                self.asking.emit(told)
            case FollowDone():
                self._done = told
            case FollowWindow() | FollowMove() | FollowAudit() | FollowHold() | FollowPeriod():
                self.told.emit(told)
            case _:
                pass

    def _end(self, code: int) -> None:
        if self._done is not None or self._declined:
            self.ended.emit(self._done or FollowDone(end=FollowEnd.DECLINED))
            return
        text = self.tr("The following process ended unexpectedly (exit code {code}).").format(code=code)
        died = SchedulerError(text, hint="" if self.agreed else self.tr("Nothing was written. Try again."))
        if self._child.error_text:
            died.add_note(self._child.error_text)
        self.died.emit(died)
