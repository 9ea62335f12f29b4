"""Input and output of a child process until its end, with limits on time and size."""

import os
import selectors
import subprocess
import time
from typing import IO

MOST_BYTES = 16 << 20  # bytes of one output; the longest expected output has a few hundred kilobytes
_PIECE_BYTES = 65_536


class OutputTooLong(Exception):
    """Output longer than `MOST_BYTES`; the rest was not read."""


class OutputBuffer:
    """One output as read so far."""

    def __init__(self) -> None:
        self._data = bytearray()

    def add(self, piece: bytes) -> None:
        """Add a piece; raise OutputTooLong."""
        if len(self._data) + len(piece) > MOST_BYTES:
            raise OutputTooLong
        self._data += piece

    def go_on(self, descriptor: int) -> bool:
        """Read the available data; return True at the end. Raise OutputTooLong."""
        piece = os.read(descriptor, _PIECE_BYTES)
        self.add(piece)
        return not piece

    def end(self) -> None:
        """Do nothing: the caller that started the child closes its pipes."""

    def tail(self, size: int) -> bytes:
        """Return the last bytes of the output."""
        return bytes(self._data[-size:])

    @property
    def text(self) -> str:
        """The output as text; bytes that are not UTF-8 are replaced."""
        return self._data.decode(errors="replace")


def exchange_data(child: subprocess.Popen[bytes], told: bytes, timeout_s: float) -> tuple[str, str]:
    """Send a child its input, and return both of its outputs after its end.

    Args:
        child: The child, started with three pipes.
        told: The whole input.
        timeout_s: Time limit, seconds.

    Raises:
        TimeoutError: The child has not ended in time.
        OutputTooLong: An output exceeds the limit.
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
    """Input that the child has yet to receive.

    Args:
        pipe: Standard input of the child, not blocking.
        told: The whole input.
    """

    def __init__(self, pipe: IO[bytes], told: bytes) -> None:
        self._pipe = pipe
        self._rest = memoryview(told)

    def go_on(self, descriptor: int) -> bool:
        """Write as much as the pipe accepts; return True at the end.

        A child that closed its input receives no more.
        """
        try:
            self._rest = self._rest[os.write(descriptor, self._rest[:_PIECE_BYTES]) :]
        except BlockingIOError:
            return False
        except BrokenPipeError:
            self._rest = self._rest[:0]
        return not self._rest

    def end(self) -> None:
        """Close the pipe, which ends the child's input."""
        self._pipe.close()
