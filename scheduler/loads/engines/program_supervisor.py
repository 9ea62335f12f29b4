"""Supervisor of one program: ends with its parent, and ends all of the program.

    python -m scheduler.loads.engines.program_supervisor ASKED CPUS MARK PROGRAM ARGUMENT...

ASKED is the signal that asks the program to end, 0 for none. CPUS is a comma-separated list, or `-` for all. MARK is
the
mark of all processes that the program starts (`process_mark.py`).

A line on stdin sends the signal. The end of stdin ends the program and all its offspring by SIGINT, SIGTERM and
SIGKILL.
Stdin also ends with the parent, even if the parent was killed. If the supervisor is killed, the kernel kills the
program, and the parent kills the program's offspring by the mark. The program writes to the supervisor's output. The
exit status is the program's, or 128 plus the signal that killed the program.
"""

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from scheduler.children import environment_without_secrets
from scheduler.loads.engines.process_mark import apply_mark

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36  # prctl(2)
_LADDER = ((signal.SIGINT, 2.0), (signal.SIGTERM, 2.0), (signal.SIGKILL, 5.0))
_OFFSPRING_S = 2.0
_NAP_S = 0.02
CANNOT_START = 127
"""Exit status if the program cannot be started, as in a shell."""


def main(words: list[str]) -> int:
    """Supervise the program to its end; return the exit status."""
    asked, cpus, mark, program = int(words[0]), words[1], int(words[2]), words[3:]
    apply_mark(mark)
    if cpus != "-":
        os.sched_setaffinity(0, {int(cpu) for cpu in cpus.split(",")})
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _ignore_signal)  # SIG_IGN would be inherited by the program
    _call_prctl(_PR_SET_CHILD_SUBREAPER, 1)  # daemons among the offspring become our children
    ours = os.getpid()
    try:
        # preexec_fn is safe here, because this process has one thread.
        child = subprocess.Popen(
            program,
            stdin=subprocess.DEVNULL,
            env=environment_without_secrets(),
            close_fds=False,  # passes the descriptor of the password file
            process_group=0,
            preexec_fn=lambda: _die_with(ours),  # noqa: PLW1509 - one thread
        )
    except OSError as error:
        print(f"{program[0]} cannot be started: {error.strerror}", file=sys.stderr)  # noqa: T201 - the parent reads it
        return CANNOT_START
    _watch_program(child, asked)
    _end_offspring(child.pid)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def _watch_program(child: subprocess.Popen[bytes], asked: int) -> None:
    """Wait until the program has ended, by itself or because stdin ended."""
    over = os.pidfd_open(child.pid)
    while True:
        readable, _, _ = select.select([over, sys.stdin.fileno()], [], [])
        if over in readable:
            child.wait()
            return
        if not os.read(sys.stdin.fileno(), 4096):
            _end_program(child, over)
            return
        if asked:
            child.send_signal(asked)


def _end_program(child: subprocess.Popen[bytes], over: int) -> None:
    for number, patience_s in _LADDER:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        if select.select([over], [], [], patience_s)[0]:
            break
    child.wait()


def _end_offspring(group: int) -> None:
    """Kill the program's remaining offspring, daemons included.

    Orphans become our children.
    """
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
    deadline_s = time.monotonic() + _OFFSPRING_S
    while time.monotonic() < deadline_s:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            for orphan in _child_pids():
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(orphan, signal.SIGKILL)
            select.select([], [], [], _NAP_S)


def _child_pids() -> list[int]:
    try:
        return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    except OSError:  # a kernel without CONFIG_PROC_CHILDREN
        return []


def _die_with(parent: int) -> None:
    """Let the kernel kill this process when the supervisor dies."""
    _call_prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(CANNOT_START)


def _call_prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _ignore_signal(*_: object) -> None:
    """Ignore a signal from a terminal, because the parent ends us by closing stdin."""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
