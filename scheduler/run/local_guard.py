"""The keeper of this computer, seen from the process that it looks after: started before the first write."""

import contextlib
import os
import select
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from scheduler.children import abandon, close_pipes, python_environment, python_script, terminate
from scheduler.errors import HostError, HostNotUsable

LIMIT_S = 60.0
"""Without a byte for so long, the keeper takes over."""

_PROGRAM = Path(__file__).with_name("local_guard_process.py")
_START_S = 20.0  # a starved computer may take its time; nothing is changed yet
_END_S = 3.0


class LocalGuard:
    """A process in a session of its own.

    Args:
        words: What restores the host, `python -m scheduler restore ...`; run without our passwords, with a copy of the
            undo record as standard input.
        hard_s: When it takes over in any case, from its start.
        limit_s: How long it waits for a byte.
    """

    def __init__(self, words: Sequence[str], hard_s: float, limit_s: float = LIMIT_S) -> None:
        self._words, self._hard_s = list(words), hard_s
        self._limit_s = limit_s
        self._child: subprocess.Popen[bytes] | None = None
        self._answered_s: float | None = None
        self._record: int | None = None  # a file in memory, which both processes have

    def start(self) -> None:
        """Start it, and return when it listens. Raises HostNotUsable: then nothing may be changed."""
        limits = (f"{self._limit_s:.3f}", f"{self._hard_s:.3f}")
        self._record = os.memfd_create("record")
        command = python_script(_PROGRAM, str(os.getpid()), *limits, str(self._record), *self._words)
        try:
            self._child = child = subprocess.Popen(
                command,
                env=python_environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(self._record,),
                bufsize=0,
            )
        except OSError as error:
            self._close_record()
            raise HostNotUsable(f"the keeper does not start: {error.strerror}; nothing was changed") from error
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
        if not self._read_answer(_START_S):
            self.release()
            raise HostNotUsable(
                f"the keeper did not begin to listen within {_START_S:.0f} s; nothing was changed",
                hint="Is this computer out of memory, or of processes?",
            )

    def beat(self) -> None:
        """Say that a window is finished. Raises HostError when the keeper is gone, or has not answered for too long."""
        child, now_s = self._child, time.monotonic()
        if child is None:
            return
        if child.poll() is not None:
            raise HostError(f"the keeper of this computer ended by itself (code {child.returncode})", hint=_WITHOUT)
        if self._read_answer(0.0) or self._answered_s is None:
            self._answered_s = now_s
        if now_s - self._answered_s > self._limit_s:
            silent_s = now_s - self._answered_s
            raise HostError(f"the keeper of this computer has not answered for {silent_s:.0f} s", hint=_WITHOUT)
        _send_byte(child, b".")

    def hand_record(self, record: bytes) -> None:
        """Leave a copy of the undo record with the keeper, for the case that the file is damaged. Never raises.

        Args:
            record: The text of the record; empty when the host is restored.
        """
        if self._record is None:
            return
        with contextlib.suppress(OSError):  # without memory, the file alone has to do
            os.ftruncate(self._record, 0)
            os.pwrite(self._record, record, 0)

    def release(self) -> None:
        """Let it end without putting anything back: that was done. Never raises, may be called twice."""
        child, self._child = self._child, None
        self._close_record()
        if child is None:
            return
        _send_byte(child, b"q")
        terminate(child, _END_S, 0.0, _END_S)  # one that is stopped hears neither of a word nor of SIGTERM
        close_pipes(child)

    def hand_over(self) -> None:
        """Leave the host to it, which tries for some minutes; we write no more. Never raises."""
        child, self._child = self._child, None
        self._close_record()
        if child is not None:
            _send_byte(child, b"t")
            close_pipes(child)
            abandon(child)

    def _close_record(self) -> None:
        """Close our handle; the keeper has its own."""
        if self._record is not None:
            os.close(self._record)
            self._record = None

    def _read_answer(self, limit_s: float) -> bool:
        """Read what it said; return whether that was anything."""
        if self._child is None or self._child.stdout is None:
            return False
        out = self._child.stdout.fileno()
        if not select.select([out], [], [], limit_s)[0]:
            return False
        try:
            return bool(os.read(out, 4096))
        except OSError:
            return False


def _send_byte(child: subprocess.Popen[bytes], what: bytes) -> None:
    """Say it, unless it ended or does not read, which is seen by its silence."""
    with contextlib.suppress(OSError):
        if child.stdin is not None:
            os.write(child.stdin.fileno(), what)


_WITHOUT = "Without it nobody would restore the host if this process died; so it is restored now."
