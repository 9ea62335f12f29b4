"""Mark that all offspring of a supervisor inherit, to find them if it was killed.

The mark is a resource limit that DomTune does not need otherwise, of POSIX message queues (getrlimit(2),
RLIMIT_MSGQUEUE). It survives fork, exec, a new session and an empty environment. It finds processes that a program
left
by mistake. A program that wants to hide can lower the limit.
"""

import contextlib
import os
import re
import resource
import secrets
import signal
from collections.abc import Iterator
from pathlib import Path

from scheduler.waiting import wait_until

_PROC = Path("/proc")
_USUAL_BYTES = 819_200  # the kernel's default
_LINE = re.compile(rb"^Max msgqueue size +(\d+)", re.MULTILINE)
_STATE = re.compile(rb"\) ([A-Z]) ")
_ENDED = {b"Z", b"X"}
_LIMIT_S = 2.0


def choose_mark() -> int:
    """Return a random limit in bytes, at most a tenth below the current limit.

    It is unlikely that another process has the same limit.
    """
    hard = resource.getrlimit(resource.RLIMIT_MSGQUEUE)[1]
    most = _USUAL_BYTES if hard == resource.RLIM_INFINITY else hard
    return most - 1 - secrets.randbelow(max(1, most // 10))


def apply_mark(mark: int) -> None:
    """Mark this process and all processes that it starts later.

    Raises:
        OSError: The kernel refuses the limit.
        ValueError: The limit is above the hard limit.
    """
    resource.setrlimit(resource.RLIMIT_MSGQUEUE, (mark, mark))


def kill_marked(mark: int) -> bool:
    """Kill all processes with a mark; return True when none is left within 2 s."""

    def none_left() -> bool:
        found = list(_marked_pids(mark))
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        return not found

    return wait_until(none_left, _LIMIT_S)


def _marked_pids(mark: int) -> Iterator[int]:
    for entry in _PROC.iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                line = _LINE.search((entry / "limits").read_bytes())
                if line is not None and int(line[1]) == mark and not _has_ended(entry):
                    yield int(entry.name)


def _has_ended(process: Path) -> bool:
    state = _STATE.search((process / "stat").read_bytes())
    return state is None or state[1] in _ENDED
