"""One stretch of following, in a process of its own: the question, then what happens, then how it ended."""

from collections.abc import Mapping, Sequence

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from app.child import Child
from scheduler.errors import SchedulerError
from scheduler.model.following import FollowBegan, FollowDone, FollowEnd, to_follow_line

_GRACE_MS = 180_000  # a slow host is waited for; whoever looks after the host would have put it back by then


class FollowRun(QObject):
    """Begins at once to look; writes nothing before `agree`; never blocks. Its input closed, it gives the host back.

    Args:
        words: What `domtune follow` is to be told.
        environment: Variables that the process gets beside ours: the one way for a password.
        parent: Qt's parent.

    Raises:
        OSError: The process could not be started.

    Signals:
        asking: `FollowBegan`: what would be done; `agree` or `stop` is waited for.
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
        super().__init__(parent)
        self._done: FollowDone | None = None
        self._over = self._declined = False
        self.agreed = False
        self._child = Child(["follow", "--json", "--ask", *words], self, environment)
        self._child.line.connect(self._take)
        self._child.ended.connect(self._end)
        self._limit = QTimer(self)
        self._limit.setSingleShot(True)
        self._limit.setInterval(_GRACE_MS)
        self._limit.timeout.connect(self._kill)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._child.pid

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
        self._over = True
        self._limit.stop()
        if self._child.running and not self.agreed:
            self._child.terminate()
        self._child.let_go()

    def _take(self, line: bytes) -> None:
        try:
            told = to_follow_line(line)
        except msgspec.MsgspecError:
            return  # what is missing then shows at the end
        match told:
            case FollowBegan():
                self.asking.emit(told)
            case FollowDone():
                self._done = told
            case _:
                self.told.emit(told)

    def _end(self, code: int) -> None:
        self._limit.stop()
        if self._over:
            return
        self._over = True
        if self._done is not None or self._declined:
            self.ended.emit(self._done or FollowDone(end=FollowEnd.DECLINED))
            return
        text = self.tr("The following process ended unexpectedly (exit code {code}).").format(code=code)
        died = SchedulerError(text, hint="" if self.agreed else self.tr("Nothing was written. Try again."))
        if self._child.error_text:
            died.add_note(self._child.error_text)
        self.died.emit(died)

    def _kill(self) -> None:
        if self._child.running:
            self._child.kill()
