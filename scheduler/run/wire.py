"""The wire: documents to the window through a bounded queue, buttons from it.

A window that stands still must not hold a sweep up: when the queue is full, per-second samples are dropped (the
store has them); everything else waits a little and is then dropped as well. A window that is gone is an abort.
"""

import contextlib
import logging
import os
import queue
import threading
from typing import BinaryIO

import msgspec

from scheduler.errors import SchedulerError
from scheduler.model.codec import Abort, Begin, Pause, Resume, to_line, to_order
from scheduler.model.documents import Document, HostSample, LoadSample
from scheduler.model.lines import MOST_BYTES
from scheduler.run.control import Control

log = logging.getLogger(__name__)

_QUEUE = 1000
_PATIENCE_S = 1.0
_FLUSH_S = 5.0


class Sender:
    """Writes documents to the window from a thread of its own."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._queue: queue.Queue[bytes | None] = queue.Queue(_QUEUE)
        self._thread = threading.Thread(target=self._pump, name="wire-sender", daemon=True)
        self._thread.start()

    def send(self, document: Document) -> None:
        """Queue one document; never waits longer than a second."""
        line = to_line(document)
        with contextlib.suppress(queue.Full):
            if isinstance(document, LoadSample | HostSample):
                self._queue.put_nowait(line)
            else:
                self._queue.put(line, timeout=_PATIENCE_S)

    def close(self) -> None:
        """Send what is queued, within five seconds."""
        with contextlib.suppress(queue.Full):
            self._queue.put(None, timeout=_PATIENCE_S)
        self._thread.join(_FLUSH_S)

    def _pump(self) -> None:
        gone = False
        while (line := self._queue.get()) is not None:
            if not gone:
                gone = not self._write(line)

    def _write(self, line: bytes) -> bool:
        view = memoryview(line)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError:
            log.info("the window does not listen any more")
            return False
        return True


def read_begin(orders: BinaryIO) -> Begin:
    """Read the first line; raises msgspec.MsgspecError when it is not a Begin, SpecError when it cannot be one.

    Raises EOFError when there is none.
    """
    line = orders.readline(MOST_BYTES + 1)
    if not line:
        raise EOFError("no first line")
    order = to_order(line)
    if not isinstance(order, Begin):
        raise msgspec.ValidationError(f"the first line must begin a run, not {type(order).__name__.lower()} one")
    return order


def listen(orders: BinaryIO, control: Control) -> threading.Thread:
    """Obey the window's lines in a thread of their own; the end of its input is an abort."""
    thread = threading.Thread(target=_obey, args=(orders, control), name="wire-listener", daemon=True)
    thread.start()
    return thread


def _obey(orders: BinaryIO, control: Control) -> None:
    try:
        while line := orders.readline(MOST_BYTES + 1):  # what is longer is read in pieces, and no piece is an order
            _press(line, control)
    except (OSError, ValueError):
        log.info("the window's lines cannot be read any more")
    control.abort("the window is gone")


def _press(line: bytes, control: Control) -> None:
    try:
        order = to_order(line)
    except (msgspec.MsgspecError, SchedulerError) as error:
        log.warning("an order was not understood: %s", error)
        return
    match order:
        case Pause():
            control.pause()
        case Resume():
            control.resume()
        case Abort():
            control.abort()
        case Begin():
            log.warning("a second beginning was ignored")
