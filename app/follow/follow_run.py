"""One stretch of following, in a process of its own: the question, then what happens, then how it ended."""

from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtCore import QObject, Signal

from app.watch.core_run import CoreRun
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
    decode_observation_line,
)

_GRACE_MS = 180_000  # a slow host is waited for; whoever looks after the host would have put it back by then


class FollowRun(CoreRun):
    """Begins at once to look; writes nothing before `agree`; never blocks. Its input closed, it gives the host back.

    Args:
        words: What `domtune follow` is to be told.
        environment: Variables that the process gets beside ours: the one way for a password.
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
        super().__init__(["follow", "--json", "--ask", *words], environment, parent, _GRACE_MS)
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
