"""Link to the windows of a run: lines out, orders in.

A frozen window must not stop a run: each window has a thread of its own, and all lines are kept for later windows. If
the last window ends, the run ends, unless the user let the run continue in the background.
"""

import contextlib
import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO, Self

import msgspec

from scheduler.background_runs import listen_for_windows
from scheduler.errors import SchedulerError
from scheduler.model.bounded_json import MOST_LINE_BYTES
from scheduler.model.codec import (
    AbortRun,
    BeginRun,
    DetachRun,
    PauseRun,
    ResumeRun,
    RunDetached,
    decode_order,
    encode_line,
)
from scheduler.run.control import RunControl
from scheduler.translation import _

log = logging.getLogger(__name__)

_QUEUE = 1000  # lines that a window is sent at once
_FLUSH_S = 5.0
_CHUNK_BYTES = 65_536
_MOST_SAMPLE_BYTES = 32 << 20  # samples kept for a later window: more than eight hours of a sweep with two loads
_SAMPLES = (b'{"$":"LoadSample"', b'{"$":"HostSample"')
_END = b"end of the output\n"  # in the pipe, behind the last line
_DETACH = encode_line(DetachRun())


class LineHistory:
    """All lines of a run so far, for the windows.

    The oldest samples are dropped above `most_sample_bytes`. All other lines are kept.

    Args:
        most_sample_bytes: Limit of the kept samples, bytes.
    """

    def __init__(self, most_sample_bytes: int = _MOST_SAMPLE_BYTES) -> None:
        self.changed = threading.Condition()
        self.ended = False
        self._lines: list[bytes] = []
        self._most_bytes, self._sample_bytes, self._oldest = most_sample_bytes, 0, 0

    def append(self, line: bytes) -> None:
        """Add one line, newline included."""
        with self.changed:
            self._lines.append(line)
            if line.startswith(_SAMPLES):
                self._sample_bytes += len(line)
                self._drop_samples()
            self.changed.notify_all()

    def end(self) -> None:
        """Add no more lines."""
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def has_lines(self, place: int) -> bool:
        """Return True when there are lines from a place on; call with `changed` held.

        Args:
            place: Number of the first line, from 0.
        """
        return place < len(self._lines)

    def read_from(self, place: int) -> tuple[bytes, int]:
        """Return the lines from a place on, and the next place; call with `changed` held.

        Args:
            place: Number of the first line, from 0.
        """
        return b"".join(self._lines[place : place + _QUEUE]), min(len(self._lines), place + _QUEUE)

    def _drop_samples(self) -> None:
        while self._sample_bytes > self._most_bytes:
            line = self._lines[self._oldest]
            if line.startswith(_SAMPLES):
                self._sample_bytes -= len(line)
                self._lines[self._oldest] = b""
            self._oldest += 1


class _Window:
    """One window: a thread sends the lines, another thread reads the orders.

    Args:
        history: The lines.
        write: Writes all bytes, may block; raises OSError when the window is gone.
    """

    def __init__(self, history: LineHistory, write: Callable[[bytes], object]) -> None:
        self._history, self._write = history, write
        self._answers = b""
        self.sender = threading.Thread(target=self._send_lines, name="window-sender", daemon=True)
        self.sender.start()

    def answer(self, line: bytes) -> None:
        """Send one line to this window only."""
        with self._history.changed:
            self._answers += line
            self._history.changed.notify_all()

    def _send_lines(self) -> None:
        history, place, at_end = self._history, 0, False
        while not at_end:
            with history.changed:
                while not (self._answers or history.ended or history.has_lines(place)):
                    history.changed.wait()
                lines, place = history.read_from(place)
                sent, self._answers = lines + self._answers, b""
                at_end = history.ended and not history.has_lines(place)
            try:
                self._write(sent)
            except OSError:
                log.info("a window does not listen any more")
                return


class WindowLink:
    """Link of this process to its windows.

    Standard output becomes a pipe to this link, so that every printed line reaches every window. The first window is
    connected by standard input and output. After its order to detach, others connect by a socket. The link never waits
    for a window. Without that order, the run ends with its last window.

    Args:
        kind: Kind of the run: `sweep`, `watch` or `follow`.
    """

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._history = LineHistory()
        self._windows: list[_Window] = []
        self._senders: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._detached = False
        self._listener: socket.socket | None = None
        self._acceptor = threading.current_thread()
        self._connections: list[socket.socket] = []
        self._socket_path: Path | None = None
        self._take_order: Callable[[bytes], object] = lambda _line: None
        self._end: Callable[[], object] = lambda: None

    def __enter__(self) -> Self:
        """Redirect standard output to the windows."""
        sys.stdout.flush()
        out = sys.stdout.fileno()
        self._saved = os.dup(out)
        reading, writing = os.pipe()
        os.dup2(writing, out)
        os.close(writing)
        self._pump = threading.Thread(target=self._read_output, args=(reading,), name="output", daemon=True)
        self._pump.start()
        self._first = self._add_window(lambda data: _write_all(self._saved, data))
        return self

    def __exit__(self, *_: object) -> None:
        """Send the last lines, for at most five seconds; restore standard output."""
        sys.stdout.flush()
        out = sys.stdout.fileno()
        os.write(out, _END)
        self._pump.join(_FLUSH_S)
        os.dup2(self._saved, out)
        self._close_listener()
        until_s = time.monotonic() + _FLUSH_S
        for sender in self._senders:  # also of a window that gives no orders any more: it may still read
            sender.join(max(0.0, until_s - time.monotonic()))
        for connection in self._connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        os.close(self._saved)

    @property
    def is_alone(self) -> bool:
        """True when the run continues in the background and no window is connected."""
        with self._lock:
            return self._detached and not self._windows

    def send(self, document: msgspec.Struct) -> None:
        """Send one document; safe in any thread."""
        self._history.append(encode_line(document))

    def listen(
        self, read_line: Callable[[], bytes | str], take_order: Callable[[bytes], object], end: Callable[[], object]
    ) -> threading.Thread:
        """Read the orders of all windows, in new threads.

        Args:
            read_line: Returns the next line of the first window; empty at its end.
            take_order: Carries an order out.
            end: Called when the last window is gone and no window has detached the run.

        Returns:
            The thread of the first window.
        """
        self._take_order, self._end = take_order, end
        return self._read_orders(self._first, read_line)

    def _read_orders(self, window: _Window, read_line: Callable[[], bytes | str]) -> threading.Thread:
        def read() -> None:
            try:
                while line := read_line():  # no piece of a longer line is an order
                    data = line.encode() if isinstance(line, str) else line
                    if data == _DETACH:
                        window.answer(encode_line(RunDetached(self._detach())))
                    else:
                        self._take_order(data)
            except (OSError, ValueError):
                log.info("the window's lines cannot be read any more")
            self._remove_window(window)

        thread = threading.Thread(target=read, name="window-listener", daemon=True)
        thread.start()
        return thread

    def _add_window(self, write: Callable[[bytes], object]) -> _Window:
        window = _Window(self._history, write)
        with self._lock:
            self._windows.append(window)
            self._senders.append(window.sender)
        return window

    def _remove_window(self, window: _Window) -> None:
        with self._lock:
            self._windows.remove(window)
            alone = not self._windows and not self._detached
        if alone:
            self._end()

    def _detach(self) -> str:
        """Let the run continue without a window; return the reason if this is impossible."""
        with self._lock:
            if self._detached:
                return ""
            try:
                self._listener, self._socket_path = listen_for_windows(self._kind)
            except OSError as error:
                log.warning("the run cannot continue without a window: %s", error)
                return error.strerror or str(error)
            self._acceptor = threading.Thread(target=self._accept, args=(self._listener,), name="windows", daemon=True)
            self._acceptor.start()
            self._detached = True
        return ""

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):  # closed at the end
            while True:
                connection, _ = listener.accept()
                self._connections.append(connection)
                orders = connection.makefile("rb")
                window = self._add_window(connection.sendall)
                self._read_orders(window, partial(orders.readline, MOST_LINE_BYTES + 1))

    def _close_listener(self) -> None:
        """Accept the windows that have connected, and no more."""
        with self._lock:
            listener, path = self._listener, self._socket_path
        if listener is None or path is None:
            return
        with contextlib.suppress(OSError):
            path.unlink()
            listener.shutdown(socket.SHUT_RDWR)  # ends `accept` after the waiting connections
        self._acceptor.join(_FLUSH_S)
        listener.close()

    def _read_output(self, reading: int) -> None:
        rest = b""
        try:
            while piece := os.read(reading, _CHUNK_BYTES):
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    if line + b"\n" == _END:
                        return
                    self._history.append(line + b"\n")
        finally:
            self._history.end()
            os.close(reading)


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def read_begin(orders: BinaryIO) -> BeginRun:
    """Read the first line, which begins a run.

    Raises:
        EOFError: There is no line.
        msgspec.MsgspecError: The line does not begin a run.
        SpecError: The line has a study that cannot be run.
    """
    line = orders.readline(MOST_LINE_BYTES + 1)
    if not line:
        raise EOFError(_("no first line"))
    order = decode_order(line)
    if not isinstance(order, BeginRun):
        raise msgspec.ValidationError(
            _("the first line must begin a run, not {order} one").format(order=type(order).__name__.lower())
        )
    return order


def carry_out_order(line: bytes, control: RunControl) -> None:
    """Carry out one order of a window; log any other line.

    Args:
        line: The line.
        control: Control of the run.
    """
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
