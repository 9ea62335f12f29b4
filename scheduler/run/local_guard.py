"""Local guard, as seen from the process that it watches.

The guard starts before the first write.
"""

import contextlib
import os
import select
import time
from collections.abc import Sequence
from pathlib import Path

from scheduler.children import ChildProgram, python_environment, python_script
from scheduler.errors import HostError, HostNotUsable
from scheduler.translation import _

LIMIT_S = 60.0
"""Seconds without a heartbeat after which the guard restores the host."""

_PROGRAM = Path(__file__).with_name("local_guard_process.py")
_START_S = 20.0  # long, because a starved computer is slow; nothing is changed yet
_END_S = 3.0


class LocalGuard:
    """Guard process in a session of its own.

    Args:
        words: Command that restores the host, `python -m scheduler restore ...`. It runs without our passwords, with a
            copy of the undo record as standard input.
        hard_s: Time after which the guard restores in any case, seconds from its start.
        limit_s: Longest time without a heartbeat, seconds.
    """

    def __init__(self, words: Sequence[str], hard_s: float, limit_s: float = LIMIT_S) -> None:
        self._words, self._hard_s = list(words), hard_s
        self._limit_s = limit_s
        self._child: ChildProgram | None = None
        self._answered_s: float | None = None
        self._record: int | None = None  # file in memory, shared by both processes

    def start(self) -> None:
        """Start the guard, and return when it listens.

        Raises:
            HostNotUsable: The guard did not start; nothing may be changed.
        """
        limits = (f"{self._limit_s:.3f}", f"{self._hard_s:.3f}")
        self._record = os.memfd_create("record")
        command = python_script(_PROGRAM, str(os.getpid()), *limits, str(self._record), *self._words)
        try:
            self._child = child = ChildProgram(command, python_environment(), passed=(self._record,))
        except OSError as error:
            self._close_record()
            raise HostNotUsable(
                _("the local guard does not start: {strerror}; nothing was changed").format(strerror=error.strerror)
            ) from error
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
        if not self._read_answer(_START_S):
            self.release()
            raise HostNotUsable(
                _("the local guard did not start within {start_s:.0f} s; nothing was changed").format(start_s=_START_S),
                hint=_("Check the memory and the process limit of this computer."),
            )

    def beat(self) -> None:
        """Send a heartbeat to the guard after a finished window.

        Raises:
            HostError: The guard has ended, or has not answered for too long.
        """
        child, now_s = self._child, time.monotonic()
        if child is None:
            return
        if child.poll() is not None:
            raise HostError(
                _("the local guard ended unexpectedly (code {returncode})").format(returncode=child.returncode),
                hint=_WITHOUT,
            )
        if self._read_answer(0.0) or self._answered_s is None:
            self._answered_s = now_s
        if now_s - self._answered_s > self._limit_s:
            silent_s = now_s - self._answered_s
            raise HostError(
                _("the local guard has not answered for {silent_s:.0f} s").format(silent_s=silent_s), hint=_WITHOUT
            )
        child.write(b".")  # a guard that does not read is noticed by its silence

    def hand_record(self, record: bytes) -> None:
        """Give the guard a copy of the undo record; never raise.

        The guard uses the copy when the file is missing or damaged.

        Args:
            record: Text of the record; empty after the host was restored.
        """
        if self._record is None:
            return
        with contextlib.suppress(OSError):  # without memory, only the file on disk is left
            os.ftruncate(self._record, 0)
            os.pwrite(self._record, record, 0)

    def release(self) -> None:
        """End the guard without a restore, because the host is restored; never raise.

        A second call does nothing.
        """
        child, self._child = self._child, None
        self._close_record()
        if child is None:
            return
        child.write(b"q")
        child.end(_END_S, 0.0, _END_S)  # a stopped process reacts neither to `q` nor to SIGTERM
        child.close_pipes()

    def hand_over(self) -> None:
        """Leave the restore to the guard, which tries for some minutes; never raise.

        The caller writes to the host no more.
        """
        child, self._child = self._child, None
        self._close_record()
        if child is not None:
            child.write(b"t")
            child.close_pipes()
            child.abandon()

    def _close_record(self) -> None:
        """Close our descriptor of the record; the guard has its own."""
        if self._record is not None:
            os.close(self._record)
            self._record = None

    def _read_answer(self, limit_s: float) -> bool:
        """Read the guard's answers; return True when there was one."""
        if self._child is None or self._child.stdout is None:
            return False
        out = self._child.stdout.fileno()
        if not select.select([out], [], [], limit_s)[0]:
            return False
        try:
            return bool(os.read(out, 4096))
        except OSError:
            return False


_WITHOUT = _("Without the local guard a crash would leave the host changed, so DomTune restores the host now.")
