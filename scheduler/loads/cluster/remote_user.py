"""User on another computer. Its lines pass through its share."""

import contextlib
import os
import threading
from collections import deque
from typing import Protocol

from scheduler.loads.user_lines import ClientComputer, UserLines
from scheduler.loads.user_messages import AlignClockOrder, BeginOrder, GoOrder, UserAnswer, UserOrder, encode_line
from scheduler.model.bounded_json import MOST_LINE_BYTES

_MOST_LINES = 1_000  # a user writes a line each second, and its lines are read each second


class CanSuperviseUsers(ClientComputer, Protocol):
    """Share of the users on one worker, as its users need it."""

    @property
    def ahead_s(self) -> float:
        """Seconds by which that computer's clock is ahead of ours."""
        ...

    def tell(self, number: int, line: bytes) -> None:
        """Pass a line to a user.

        Args:
            number: Number of the user.
            line: JSON line.
        """
        ...

    def refuse_lost(self) -> None:
        """Raise ClientLost when the share was lost."""
        ...

    def ask_to_end(self) -> None:
        """Ask all of its users to end; never raise."""
        ...

    def end(self) -> None:
        """End all of its users and wait for their end; never raise."""
        ...


class RemoteUser(UserLines):
    """User whose process runs under the supervisor of a share.

    Args:
        begin: First order of the user.
        share: The share.
        probe: True for the extra reader.
    """

    pid = 0  # unknown, because the process is on another computer

    def __init__(self, begin: BeginOrder, share: CanSuperviseUsers, *, probe: bool = False) -> None:
        super().__init__(begin, probe=probe, machine=share)
        self._share = share
        self._lines: deque[bytes] = deque()  # filled by the share's thread, emptied by the pool's thread
        self._woken, self._wake = os.pipe()
        self._closed = False
        self._closing = threading.Lock()  # a closed descriptor's number may belong to another file
        for end in (self._woken, self._wake):
            os.set_blocking(end, False)

    def fileno(self) -> int:
        """Return the descriptor that is readable when there are answers."""
        return self._woken

    def send(self, order: UserOrder) -> None:
        """Send an order; send the clock offset before a `GoOrder`."""
        if isinstance(order, GoOrder):
            self.align()
        self._share.tell(self.number, encode_line(order))

    def align(self) -> None:
        """Send the offset of the user's clock."""
        self._share.tell(self.number, encode_line(AlignClockOrder(self._share.ahead_s)))

    def hear(self, line: bytes) -> bool:
        """Take a line; return False when too many lines wait.

        The share's thread calls this.
        """
        if sum(map(len, self._lines)) + len(line) > MOST_LINE_BYTES or len(self._lines) >= _MOST_LINES:
            return False
        self._lines.append(line)
        self.wake()
        return True

    def wake(self) -> None:
        """Make the descriptor of `fileno` readable; the share's thread calls this."""
        with self._closing, contextlib.suppress(BlockingIOError):  # a full pipe is readable already
            if not self._closed:
                os.write(self._wake, b".")

    def answers(self) -> list[UserAnswer]:
        """Return the answers since the last call.

        Raises:
            ClientLost: The share was lost.
        """
        with contextlib.suppress(BlockingIOError):
            os.read(self._woken, 1024)
        said: list[UserAnswer] = []
        while self._lines:
            said += self.read(self._lines.popleft())
        self._share.refuse_lost()
        return said

    def ask_to_end(self) -> None:
        """Ask all users of the share to end; never raise."""
        self._share.ask_to_end()

    def end(self) -> None:
        """End the share; never raise. A second call does nothing."""
        self._share.end()
        with self._closing:
            if not self._closed:
                self._closed = True
                os.close(self._woken)
                os.close(self._wake)
