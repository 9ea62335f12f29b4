"""Reader of a child's output that never blocks the window.

Only this module of `app/` differs between POSIX and Windows. On POSIX, a `QSocketNotifier` watches the pipe. Windows
cannot watch pipes, so a thread reads and passes the chunks on by a queued signal. On both, one turn of the event loop
handles lines for at most `BUDGET_S`. A child with too much output is slowed by its full pipe.
"""

import contextlib
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import IO

from PySide6.QtCore import QObject, QSocketNotifier, Qt, QTimer, Signal

from scheduler.model.bounded_json import MOST_LINE_BYTES

BUDGET_S = 0.004  # a quarter of a 60 Hz frame
_CHUNK_BYTES = 65_536  # the capacity of a Linux pipe
_WINDOWS = sys.platform == "win32"


class LineReader(QObject):
    """Reader that passes the lines of a pipe on.

    Args:
        pipe: Read end, binary and unbuffered; the reader closes it at its end.
        take: Called with each complete line, without its newline. Its run time counts against the budget.
        parent: Qt's parent.

    Signals:
        ended: The other side closed the pipe, and all lines were passed on, also an incomplete last line.
        flooded: A line is longer than `MOST_LINE_BYTES`. Earlier lines were passed on, reading has stopped, and `ended`
            does not follow.
    """

    ended = Signal()
    flooded = Signal()
    _handed_over = Signal(bytes)

    def __init__(self, pipe: IO[bytes], take: Callable[[bytes], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pipe = pipe
        self._take = take
        self._partial: list[bytes] = []  # pieces of the incomplete line
        self._partial_bytes = 0
        self._lines: deque[bytes] = deque()
        self._at_end = False
        self._flood = False
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._deliver_lines)
        self._notifier: QSocketNotifier | None = None
        if _WINDOWS:
            self._room = threading.Semaphore(4)  # chunks in transit; limits the memory
            self._handed_over.connect(self._from_thread, Qt.ConnectionType.QueuedConnection)
            threading.Thread(target=self._read_in_thread, name="pipe", daemon=True).start()
        else:
            os.set_blocking(pipe.fileno(), False)
            self._notifier = QSocketNotifier(pipe.fileno(), QSocketNotifier.Type.Read, self)
            self._notifier.activated.connect(self._read_chunk)

    def _read_chunk(self) -> None:
        try:
            chunk = os.read(self._pipe.fileno(), _CHUNK_BYTES)
        except BlockingIOError:
            return
        except ConnectionResetError:  # the process at the other end of a socket was killed
            chunk = b""
        self._accept_chunk(chunk)
        self._deliver_lines()

    def _read_in_thread(self) -> None:
        while True:
            self._room.acquire()
            chunk = os.read(self._pipe.fileno(), _CHUNK_BYTES)
            self._handed_over.emit(chunk)
            if not chunk:
                return

    def _from_thread(self, chunk: bytes) -> None:
        self._accept_chunk(chunk)
        self._deliver_lines()

    def _accept_chunk(self, chunk: bytes) -> None:
        if not chunk:
            self._at_end = True
            if self._partial_bytes:
                self._end_line()
            return
        first, *others = chunk.split(b"\n")
        self._append_piece(first)
        for piece in others:
            self._end_line()
            self._append_piece(piece)

    def _append_piece(self, piece: bytes) -> None:
        self._partial.append(piece)
        self._partial_bytes += len(piece)
        self._flood = self._flood or self._partial_bytes > MOST_LINE_BYTES

    def _end_line(self) -> None:
        if not self._flood:
            self._lines.append(b"".join(self._partial))
        self._partial, self._partial_bytes = [], 0

    def _deliver_lines(self) -> None:
        """Pass lines on until the budget is used; continue in a later turn."""
        until_s = time.monotonic() + BUDGET_S
        while self._lines and time.monotonic() < until_s:
            self._take(self._lines.popleft())
        if self._pipe.closed:  # by `take`
            self._lines.clear()
        elif self._lines:
            self._set_watching(on=False)
            self._later.start()
        elif self._flood:
            self.close()
            self.flooded.emit()
        elif self._at_end:
            self.close()
            self.ended.emit()
        else:
            self._set_watching(on=True)
            if _WINDOWS:
                self._room.release()

    def finish(self) -> None:
        """Pass the remaining lines on and end.

        The writer has exited, but another process keeps the pipe open.
        """
        if self._pipe.closed or self._at_end:
            return
        if not _WINDOWS:  # on Windows, the thread has read everything
            with contextlib.suppress(BlockingIOError):
                while chunk := os.read(self._pipe.fileno(), _CHUNK_BYTES):
                    self._accept_chunk(chunk)
        self._accept_chunk(b"")
        self._deliver_lines()

    def _set_watching(self, *, on: bool) -> None:
        if self._notifier is not None:
            self._notifier.setEnabled(on)

    def close(self) -> None:
        """Stop reading; further calls do nothing."""
        self._set_watching(on=False)
        self._later.stop()
        if not self._pipe.closed:
            self._pipe.close()
