"""Reading a child's output without ever holding the window up; the one POSIX-or-Windows fork of `app/`.

On POSIX a `QSocketNotifier` watches the pipe. Windows cannot watch pipes, so a thread reads there and hands
its chunks over by a queued signal. Either way the lines are delivered in slices of at most `BUDGET_S` per turn
of the event loop, and a child that says more than the window can take is slowed by its own full pipe.
"""

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import IO

from PySide6.QtCore import QObject, QSocketNotifier, Qt, QTimer, Signal

BUDGET_S = 0.004  # a quarter of a 60 Hz frame
_CHUNK_BYTES = 65_536  # the capacity of a Linux pipe
_WINDOWS = sys.platform == "win32"


class LineReader(QObject):
    """Delivers a pipe line by line, then says that it ended.

    Args:
        pipe: The read end, binary and unbuffered; closed here at its end.
        take: Called with each complete line, without its newline; what it costs counts against the budget.
        parent: Qt's parent.

    Signals:
        ended: The other side closed the pipe and every line was delivered (a last partial line included).
    """

    ended = Signal()
    _handed_over = Signal(bytes)

    def __init__(self, pipe: IO[bytes], take: Callable[[bytes], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pipe = pipe
        self._take = take
        self._partial = b""
        self._lines: deque[bytes] = deque()
        self._at_end = False
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._deliver)
        self._notifier: QSocketNotifier | None = None
        if _WINDOWS:
            self._room = threading.Semaphore(4)  # chunks on their way; more would pile up in memory
            self._handed_over.connect(self._from_thread, Qt.ConnectionType.QueuedConnection)
            threading.Thread(target=self._read_in_thread, name="pipe", daemon=True).start()
        else:
            os.set_blocking(pipe.fileno(), False)
            self._notifier = QSocketNotifier(pipe.fileno(), QSocketNotifier.Type.Read, self)
            self._notifier.activated.connect(self._read)

    def _read(self) -> None:
        try:
            chunk = os.read(self._pipe.fileno(), _CHUNK_BYTES)
        except BlockingIOError:
            return
        self._accept(chunk)
        self._deliver()

    def _read_in_thread(self) -> None:
        while True:
            self._room.acquire()
            chunk = os.read(self._pipe.fileno(), _CHUNK_BYTES)
            self._handed_over.emit(chunk)
            if not chunk:
                return

    def _from_thread(self, chunk: bytes) -> None:
        self._accept(chunk)
        self._deliver()

    def _accept(self, chunk: bytes) -> None:
        if not chunk:
            self._at_end = True
            self._lines.extend([self._partial] if self._partial else [])
            self._partial = b""
            return
        *lines, self._partial = (self._partial + chunk).split(b"\n")
        self._lines.extend(lines)

    def _deliver(self) -> None:
        """Hand out lines until the budget is used up; go on in a later turn if there are more."""
        until_s = time.monotonic() + BUDGET_S
        while self._lines and time.monotonic() < until_s:
            self._take(self._lines.popleft())
        if self._lines:
            self._watch(on=False)
            self._later.start()
        elif self._at_end:
            self.close()
            self.ended.emit()
        else:
            self._watch(on=True)
            if _WINDOWS:
                self._room.release()

    def _watch(self, *, on: bool) -> None:
        if self._notifier is not None:
            self._notifier.setEnabled(on)

    def close(self) -> None:
        """Stop listening; idempotent."""
        self._watch(on=False)
        self._later.stop()
        if not self._pipe.closed:
            self._pipe.close()
