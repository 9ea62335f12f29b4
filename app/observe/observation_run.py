"""Child processes of `domtune watch` and `domtune follow`: output, consent, end.

A process that does not exit on request is killed after a grace period.
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
    ObservationStarted,
    ObservationWindow,
    WatchResult,
    decode_observation_line,
)


class ObservationRun(QObject):
    """Base of observation processes, which start at once and never block.

    Subclasses handle lines in `_take` and the end in `_end`.

    Args:
        words: Command with its arguments.
        environment: Additional environment variables, the only way to pass a password.
        parent: Qt's parent.
        grace_ms: Maximum time to exit on request, milliseconds.

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
        """Ask the process to exit; its last line follows."""
        raise NotImplementedError

    def let_go(self) -> None:
        """Ask the process to exit and disconnect; no signal follows."""
        raise NotImplementedError

    def _let_go(self, *, end: bool) -> None:
        """Disconnect; with `end`, also ask the process to exit."""
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


_WATCH_GRACE_MS = 30_000  # time to finish reading a slow host


class WatchRun(ObservationRun):
    """Process that watches a host; starts at once and never blocks.

    Args:
        words: Arguments of `domtune watch`.
        environment: Additional environment variables, the only way to pass a password.
        parent: Qt's parent.

    Raises:
        OSError: The process could not be started.

    Signals:
        began: `ObservationStarted`.
        window: Each `ObservationWindow`.
        answered: `WatchResult`; the last signal.
        failed: SchedulerError with the reason for a missing result; the last signal.
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
        """Ask the process to exit; its result from the windows so far follows."""
        if self._child.running:
            self._child.terminate()
            self._limit.start()

    def let_go(self) -> None:
        """Ask the process to exit and disconnect; no signal follows."""
        self._let_go(end=True)

    def _take(self, line: bytes) -> None:
        try:
            told = decode_observation_line(line)
        except msgspec.MsgspecError:
            return  # `_end` reports a missing line
        match told:
            case ObservationStarted():
                self.began.emit(told)
            case ObservationWindow():
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


_FOLLOW_GRACE_MS = 180_000  # the guard restores even a slow host within this time


class FollowRun(ObservationRun):
    """Process that follows a host.

    The process reads the host at once and writes nothing before `agree`. It restores the host when its input is closed.

    Args:
        words: Arguments of `domtune follow`.
        environment: Additional environment variables, the only way to pass a password.
        parent: Qt's parent.

    Raises:
        OSError: The process could not be started.

    Signals:
        asking: `FollowStarted` with the intended changes; the process waits for `agree` or `stop`.
        told: Each further line except the last.
        ended: `FollowDone`; the last signal.
        died: SchedulerError: the process ended without a last line; the last signal.
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
        """Confirm: from now on the process writes to the host."""
        self.agreed = True
        self._child.write(b"yes\n")

    def stop(self) -> None:
        """Decline, or stop following: the process restores the host, then `ended` follows."""
        if not self._child.running:
            return
        if self.agreed:
            self._child.write(b"stop\n")
            self._limit.start()
        else:
            self._declined = True
            self._child.terminate()  # nothing is written before the consent

    def let_go(self) -> None:
        """Disconnect and let the process exit; no signal follows.

        The process restores the host if the user has agreed.
        """
        self._let_go(end=not self.agreed)

    def _take(self, line: bytes) -> None:
        try:
            told = decode_observation_line(line)
        except msgspec.MsgspecError:
            return  # `_end` reports a missing line
        match told:
            case FollowStarted():
                self.asking.emit(told)
            case FollowDone():
                self._done = told
            case ObservationWindow() | FollowMove() | FollowAudit() | FollowHold() | FollowPeriod():
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
