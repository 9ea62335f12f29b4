"""What a child is told and says until it has ended, within a time and a size."""

import os
import selectors
import subprocess
import time
from typing import IO

MOST_BYTES = 16 << 20  # of one output; the longest that we ask for is a few hundred kilobytes
_PIECE_BYTES = 65_536


class OutputTooLong(Exception):
    """An output is longer than `MOST_BYTES`; the rest was not read."""


class OutputBuffer:
    """One output, as far as it was read."""

    def __init__(self) -> None:
        self._data = bytearray()

    def add(self, piece: bytes) -> None:
        """Add what was read; raises TooMuch."""
        if len(self._data) + len(piece) > MOST_BYTES:
            raise OutputTooLong
        self._data += piece

    def go_on(self, descriptor: int) -> bool:
        """Read what there is; True at the end. Raises TooMuch."""
        piece = os.read(descriptor, _PIECE_BYTES)
        self.add(piece)
        return not piece

    def end(self) -> None:
        """Nothing: whoever started the child closes its pipes."""

    def tail(self, size: int) -> bytes:
        """Return the last bytes."""
        return bytes(self._data[-size:])

    @property
    def text(self) -> str:
        """All of it; what is no text is replaced."""
        return self._data.decode(errors="replace")


def exchange_data(child: subprocess.Popen[bytes], told: bytes, timeout_s: float) -> tuple[str, str]:
    """Tell a child something, and return both of its outputs once it has ended.

    Raises:
        TimeoutError: It has not ended in time.
        TooMuch: It says more than anybody asked for.
    """
    end_s = time.monotonic() + timeout_s
    if child.stdin is None or child.stdout is None or child.stderr is None:
        raise AssertionError("pipes are asked for where the child is started")
    os.set_blocking(child.stdin.fileno(), False)
    out, err = OutputBuffer(), OutputBuffer()
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdin, selectors.EVENT_WRITE, _PendingInput(child.stdin, told))
        selector.register(child.stdout, selectors.EVENT_READ, out)
        selector.register(child.stderr, selectors.EVENT_READ, err)
        while selector.get_map():
            left_s = end_s - time.monotonic()
            ready = selector.select(left_s) if left_s > 0 else []
            if not ready:
                raise TimeoutError
            for key in [key for key, _ in ready if key.data.go_on(key.fd)]:
                selector.unregister(key.fileobj)
                key.data.end()
    try:
        child.wait(max(0.0, end_s - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise TimeoutError from error
    return out.text, err.text


class _PendingInput:
    """What a child is still to be told.

    Args:
        pipe: Its standard input, not blocking.
        told: All of it.
    """

    def __init__(self, pipe: IO[bytes], told: bytes) -> None:
        self._pipe = pipe
        self._rest = memoryview(told)

    def go_on(self, descriptor: int) -> bool:
        """Write as much as is taken; True at the end. A child that does not listen any more is told no more."""
        try:
            self._rest = self._rest[os.write(descriptor, self._rest[:_PIECE_BYTES]) :]
        except BlockingIOError:
            return False
        except BrokenPipeError:
            self._rest = self._rest[:0]
        return not self._rest

    def end(self) -> None:
        """Let the child see the end."""
        self._pipe.close()
