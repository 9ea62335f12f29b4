"""One user on another computer, as a crew knows it: its lines come and go through its share."""

import contextlib
import os
import threading
from collections import deque
from typing import Protocol

from scheduler.loads.user_lines import ClientComputer, UserLines
from scheduler.loads.user_messages import AlignClockOrder, BeginOrder, GoOrder, UserAnswer, UserOrder, encode_line
from scheduler.model.bounded_json import MOST_LINE_BYTES

_MOST_LINES = 1_000  # a user says a line each second, and is heard each second


class CanSuperviseUsers(ClientComputer, Protocol):
    """What a user needs of the share that it belongs to."""

    @property
    def ahead_s(self) -> float:
        """What that computer's clock is ahead of ours."""
        ...

    def tell(self, number: int, line: bytes) -> None:
        """Pass a line to a user."""
        ...

    def refuse_lost(self) -> None:
        """Raise ClientLost where the share was lost."""
        ...

    def ask_to_end(self) -> None:
        """Have all of its users end; never raises."""
        ...

    def end(self) -> None:
        """End it, and wait for that; never raises."""
        ...


class RemoteUser(UserLines):
    """A user whose process a share supervises.

    Args:
        begin: What it is to do.
        probe: True for the extra reader.
        share: The share.
    """

    pid = 0  # another computer's

    def __init__(self, begin: BeginOrder, share: CanSuperviseUsers, *, probe: bool = False) -> None:
        super().__init__(begin, probe=probe, machine=share)
        self._share = share
        self._lines: deque[bytes] = deque()  # the share's thread adds, the crew's takes
        self._woken, self._wake = os.pipe()
        self._closed = False
        self._closing = threading.Lock()  # a number that was closed may be another file's by now
        for end in (self._woken, self._wake):
            os.set_blocking(end, False)

    def fileno(self) -> int:
        """Return what to select on for answers."""
        return self._woken

    def send(self, order: UserOrder) -> None:
        """Give an order; before it is to go, it learns what the time is here."""
        if isinstance(order, GoOrder):
            self.align()
        self._share.tell(self.number, encode_line(order))

    def align(self) -> None:
        """Tell it what its clock is ahead of ours."""
        self._share.tell(self.number, encode_line(AlignClockOrder(self._share.ahead_s)))

    def hear(self, line: bytes) -> bool:
        """Take what it said; return False where more waits than any user says. Called by the share's thread."""
        if sum(map(len, self._lines)) + len(line) > MOST_LINE_BYTES or len(self._lines) >= _MOST_LINES:
            return False
        self._lines.append(line)
        self.wake()
        return True

    def wake(self) -> None:
        """Have whoever waits for it look; called by the share's thread."""
        with self._closing, contextlib.suppress(BlockingIOError):  # full: it is awake
            if not self._closed:
                os.write(self._wake, b".")

    def answers(self) -> list[UserAnswer]:
        """Return what it said since the last call. Raises ClientLost."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._woken, 1024)
        said: list[UserAnswer] = []
        while self._lines:
            said += self.read(self._lines.popleft())
        self._share.refuse_lost()
        return said

    def ask_to_end(self) -> None:
        """Have its whole share end; never raises."""
        self._share.ask_to_end()

    def end(self) -> None:
        """End its share; never raises, may be called twice."""
        self._share.end()
        with self._closing:
            if not self._closed:
                self._closed = True
                os.close(self._woken)
                os.close(self._wake)
