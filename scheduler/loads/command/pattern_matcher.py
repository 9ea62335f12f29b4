"""Matching of a plan's pattern, in a child process with a time limit."""

import contextlib
import os
import select
import signal
import subprocess
import time
from typing import Any

import msgspec

from scheduler.children import close_pipes, python_environment, python_module, terminate
from scheduler.errors import LoadDied, LoadError
from scheduler.loads.command.line_figures import PatternMatch
from scheduler.loads.command.matcher import LIMIT_S

LONGEST_LINE = 1_000
"""Letters of a line that are matched. The time of matching can grow with a power of this number."""

_MODULE = "scheduler.loads.command.matcher"
_PATIENCE_S = 10.0  # in addition to the CPU limit, for a busy computer
_END_STEPS_S = (0.2, 0.5, 5.0)
_HINT = "Write it without repetitions of repetitions, as (a+)+, and without several .* in a row."


class PatternMatcher:
    """Child process that matches one pattern. The constructor starts it.

    Args:
        pattern: Valid regular expression.

    Raises:
        LoadError: The process cannot be started.
    """

    def __init__(self, pattern: str) -> None:
        try:
            self._process = subprocess.Popen(
                python_module(_MODULE),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                env=python_environment(),
                start_new_session=True,  # Ctrl-C in a terminal must reach only the core
            )
        except OSError as error:
            raise LoadError(f"no process that reads the command's lines can be started: {error}") from error
        self._rest = b""
        self._send_text(pattern)

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def find(self, text: str) -> PatternMatch | None:
        """Return the first match in a line; None without a match.

        Raises:
            LoadDied: The match takes too long. The process is ended.
        """
        self._send_text(text[:LONGEST_LINE])
        answer = self._read_answer()
        if answer is None:
            raise self._timeout_error(text)
        return msgspec.json.decode(answer, type=PatternMatch | None)

    def close(self) -> None:
        """End the process; never raise. A second call does nothing."""
        terminate(self._process, *_END_STEPS_S)
        close_pipes(self._process)

    def _send_text(self, text: str) -> None:
        pipe: Any = self._process.stdin
        whole = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate cannot be encoded
        with contextlib.suppress(OSError, ValueError):  # a missing answer shows that the process has ended
            pipe.write(msgspec.json.encode(whole) + b"\n")

    def _read_answer(self) -> bytes | None:
        """Wait for one line; return None at the time limit or at the end of the process."""
        pipe: Any = self._process.stdout
        deadline_s = time.monotonic() + LIMIT_S + _PATIENCE_S
        while b"\n" not in self._rest:
            left_s = deadline_s - time.monotonic()
            if pipe.closed or left_s <= 0 or not select.select([pipe], [], [], left_s)[0]:
                return None
            chunk = os.read(pipe.fileno(), 65_536)
            if not chunk:
                return None
            self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _timeout_error(self, text: str) -> LoadDied:
        self.close()
        slow = self._process.returncode == -signal.SIGVTALRM
        shown = text[:80] + ("..." if len(text) > 80 else "")
        if slow:
            return LoadDied(f"the pattern takes more than {LIMIT_S:g} s of CPU for the line {shown!r}", hint=_HINT)
        return LoadDied(
            f"the pattern gave no answer within {LIMIT_S + _PATIENCE_S:g} s for the line {shown!r}", hint=_HINT
        )
