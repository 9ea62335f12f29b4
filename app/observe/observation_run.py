"""Child process of `domtune watch` or `domtune follow`: lines, consent, end."""

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from app.child_process import ChildProcess
from app.observe.observation_request import ObservationRequest
from scheduler.background_runs import AttachedProgram
from scheduler.errors import SchedulerError
from scheduler.model.observation_documents import (
    FollowDone,
    FollowEnd,
    ObservationLine,
    ObservationStarted,
    WatchResult,
    decode_observation_line,
)
from scheduler.translation import _

_WATCH_GRACE_MS = 30_000  # time to finish reading a slow host
_FOLLOW_GRACE_MS = 180_000  # the guard restores even a slow host within this time


class ObservationRun(QObject):
    """Process that observes a host; it starts at once and never blocks.

    A process that does not exit on request is killed after a grace period. The guards restore its host.

    Args:
        asked: Request to watch or to follow.
        secrets: Additional environment variables, the only way to pass a password.
        parent: Qt's parent.
        program: Process that already runs in the background; None to start a process.

    Raises:
        OSError: The process could not be started.

    Signals:
        began: `ObservationStarted`; a process that follows then waits for `agree` or `stop`.
        line_received: Each further line except the last.
        detached: Answer to `detach`: empty, or the reason why the process cannot continue without a window.
        ended: `WatchResult` or `FollowDone`; the last signal.
        died: SchedulerError: the process ended without a last line; the last signal.

    Attributes:
        agreed: True once the user allowed the process to change the host.
    """

    began = Signal(object)
    line_received = Signal(object)
    detached = Signal(str)
    ended = Signal(object)
    died = Signal(object)

    def __init__(
        self,
        asked: ObservationRequest,
        secrets: dict[str, str],
        parent: QObject | None = None,
        program: AttachedProgram | None = None,
    ) -> None:
        super().__init__(parent)
        self._follows = asked.follows
        self._last: WatchResult | FollowDone | None = None
        self._over = False
        self.agreed = asked.follows and program is not None
        self._child = ChildProcess(asked.words if program is None else program, self, secrets)
        self._child.line.connect(self._take)
        self._child.detached.connect(self.detached)
        self._child.ended.connect(self._handle_exit)
        self._limit = QTimer(self)
        self._limit.setSingleShot(True)
        self._limit.setInterval(_FOLLOW_GRACE_MS if self._follows else _WATCH_GRACE_MS)
        self._limit.timeout.connect(self._kill_child)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._child.pid

    def agree(self) -> None:
        """Confirm: from now on the process writes to the host."""
        self.agreed = True
        self._child.write(b"yes\n")

    def stop(self) -> None:
        """Ask the process to end; `ended` follows.

        A process that follows restores the host first. Before the consent, it declines.
        """
        if not self._child.running:
            return
        if self.agreed:
            self._child.write(b"stop\n")
        else:
            self._child.terminate()  # nothing was written
        if self._follows and not self.agreed:
            self._last = FollowDone(end=FollowEnd.DECLINED)
        else:
            self._limit.start()

    def detach(self) -> None:
        """Let the process continue without a window.

        `detached` follows. Then call `release`.
        """
        self._child.detach()

    def release(self) -> None:
        """Disconnect from a detached process; no signal follows."""
        self._over = True
        self._child.let_go()

    def let_go(self) -> None:
        """Disconnect and let the process end; no signal follows.

        The process restores the host if the user has agreed.
        """
        self._over = True
        self._limit.stop()
        if not self.agreed and self._child.running:
            self._child.terminate()
        self._child.let_go()

    def _take(self, line: bytes) -> None:
        try:
            document: ObservationLine = decode_observation_line(line)
        except msgspec.MsgspecError:
            return  # `_handle_exit` reports a missing line
        match document:
            case ObservationStarted():
                self.began.emit(document)
            case WatchResult() | FollowDone():
                self._last = document
            case _:
                self.line_received.emit(document)

    def _handle_exit(self, code: int) -> None:
        self._limit.stop()
        if self._over:
            return
        self._over = True
        if self._last is not None:
            self.ended.emit(self._last)
            return
        text = _("The observing process ended unexpectedly (exit code {code}).").format(code=code)
        died = SchedulerError(text, hint="" if self.agreed else _("Nothing was changed. Try again."))
        if self._child.error_text:
            died.add_note(self._child.error_text)
        self.died.emit(died)

    def _kill_child(self) -> None:
        if self._child.running:
            self._child.kill()
