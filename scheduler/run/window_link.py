"""Link to the window: documents through a bounded queue, and buttons.

A frozen window must not stop a sweep. When the queue is full, per-second samples are dropped (the store has them).
Other documents wait for up to a second and are then dropped as well. If the window ends, the run is aborted.
"""

import contextlib
import logging
import os
import queue
import threading
from typing import BinaryIO

import msgspec

from scheduler.errors import SchedulerError
from scheduler.model.bounded_json import MOST_LINE_BYTES
from scheduler.model.codec import AbortRun, BeginRun, PauseRun, ResumeRun, decode_order, encode_line
from scheduler.model.documents import Document, HostSample, LoadSample
from scheduler.run.control import RunControl

log = logging.getLogger(__name__)

_QUEUE = 1000
_PATIENCE_S = 1.0
_FLUSH_S = 5.0


class DocumentSender:
    """Sender of documents to the window, with a thread of its own."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._queue: queue.Queue[bytes | None] = queue.Queue(_QUEUE)
        self._thread = threading.Thread(target=self._send_queued, name="wire-sender", daemon=True)
        self._thread.start()

    def send(self, document: Document) -> None:
        """Queue one document; wait for at most a second."""
        line = encode_line(document)
        with contextlib.suppress(queue.Full):
            if isinstance(document, LoadSample | HostSample):
                self._queue.put_nowait(line)
            else:
                self._queue.put(line, timeout=_PATIENCE_S)

    def close(self) -> None:
        """Send the queued documents, for at most five seconds."""
        with contextlib.suppress(queue.Full):
            self._queue.put(None, timeout=_PATIENCE_S)
        self._thread.join(_FLUSH_S)

    def _send_queued(self) -> None:
        gone = False
        while (line := self._queue.get()) is not None:
            if not gone:
                gone = not self._write_line(line)

    def _write_line(self, line: bytes) -> bool:
        view = memoryview(line)
        try:
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError:
            log.info("the window does not listen any more")
            return False
        return True


def read_begin(orders: BinaryIO) -> BeginRun:
    """Read the first line, which begins a run.

    Raises:
        EOFError: There is no line.
        msgspec.MsgspecError: The line does not begin a run.
        SpecError: The line has a study that cannot be run.
    """
    line = orders.readline(MOST_LINE_BYTES + 1)
    if not line:
        raise EOFError("no first line")
    order = decode_order(line)
    if not isinstance(order, BeginRun):
        raise msgspec.ValidationError(f"the first line must begin a run, not {type(order).__name__.lower()} one")
    return order


def listen_for_orders(orders: BinaryIO, control: RunControl) -> threading.Thread:
    """Carry out the window's orders in a new thread; the end of the input is an abort.

    Args:
        orders: Lines of the window.
        control: Control of the run.
    """
    thread = threading.Thread(target=_read_orders, args=(orders, control), name="wire-listener", daemon=True)
    thread.start()
    return thread


def _read_orders(orders: BinaryIO, control: RunControl) -> None:
    try:
        while line := orders.readline(MOST_LINE_BYTES + 1):  # no piece of a longer line is an order
            _carry_out_order(line, control)
    except (OSError, ValueError):
        log.info("the window's lines cannot be read any more")
    control.abort("the window is gone")


def _carry_out_order(line: bytes, control: RunControl) -> None:
    try:
        order = decode_order(line)
    except (msgspec.MsgspecError, SchedulerError) as error:
        log.warning("an order was not understood: %s", error)
        return
    match order:
        case PauseRun():
            control.pause()
        case ResumeRun():
            control.resume()
        case AbortRun():
            control.abort()
        case BeginRun():
            log.warning("the window sent the order 'begin' twice; the second one was ignored")
