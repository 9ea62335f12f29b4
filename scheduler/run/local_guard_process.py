"""Local guard, which restores this computer's host when process PID is dead.

    python -I -S local_guard_process.py PID LIMIT_S HARD_S RECORD COMMAND...

This program imports no module of DomTune. A process PID that is stuck counts as dead.

Process PID sends a byte to standard input for each finished window, and the guard answers each byte. `q` ends the
guard. With `t`, process PID declares that it could not restore every domain and writes no more. Then the guard runs
COMMAND..., `domtune restore` for that host.

The guard also takes over at the end of the input, after LIMIT_S seconds without a byte, or after HARD_S seconds in all.
Then it first kills PID, which may be stopped and continue later. PID holds the lock of the host until it is dead, and
cannot write afterwards.

RECORD is the descriptor of a file in memory with a copy of the undo record. COMMAND has the file as standard input.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time

_QUIT, _TAKE = b"q", b"t"
_TICKS = 12
_LAST_S = 5.0  # a process that closed the pipe is already ending
_KILLED_S = 30.0
_PAUSES_S = (1, 2, 4, 8, 16, 32, 60, 60, 60, 60)
_RESTORE_S = 300.0


def main() -> int:
    """Wait for bytes; return 0 after `q` or after a complete restore."""
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)  # such a signal is meant for process PID, which restores the host itself
    pid, limit_s, hard_s = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
    record, words = int(sys.argv[4]), sys.argv[5:]
    process = _open_process(pid)
    _write_answer(b"r")
    said = _wait_for_byte(limit_s, _now_s() + hard_s)
    if said == _QUIT:
        return 0
    if said != _TAKE:
        _kill_process(process)
    return _run_restore(record, words)


def _open_process(pid: int) -> int | None:
    """Return a handle of the process; None when the process ended.

    A later process with the same id never has this handle.
    """
    try:
        process = os.pidfd_open(pid)
    except OSError:
        return None
    if os.getppid() != pid:
        os.close(process)
        return None
    return process


def _now_s() -> float:
    """Return seconds that include time in which the computer sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _wait_for_byte(limit_s: float, ends_s: float) -> bytes:
    """Return the last order: `q`, `t`, or nothing from a dead, stuck or late process.

    Time in which this process was paused as well (a paused machine) does not count.
    """
    tick_s, silent_s = limit_s / _TICKS, 0.0
    while silent_s < limit_s and _now_s() < ends_s:
        looked_s = time.monotonic()
        if not select.select([0], [], [], tick_s)[0]:
            silent_s += min(time.monotonic() - looked_s, 2 * tick_s)
            continue
        said = os.read(0, 4096)
        for word in (_QUIT, _TAKE):
            if word in said:
                return word
        if not said:
            return b""
        silent_s = 0.0
        _write_answer(b".")
    return b""


def _write_answer(what: bytes) -> None:
    with contextlib.suppress(OSError):
        os.write(1, what)


def _kill_process(process: int | None) -> None:
    if process is None or _wait_for_exit(process, _LAST_S if select.select([0], [], [], 0)[0] else 0.0):
        return
    with contextlib.suppress(OSError):
        signal.pidfd_send_signal(process, signal.SIGKILL)
    _wait_for_exit(process, _KILLED_S)


def _wait_for_exit(process: int, limit_s: float) -> bool:
    return bool(select.select([process], [], [], limit_s)[0])


def _run_restore(record: int, words: list[str]) -> int:
    code = 1
    for pause_s in _PAUSES_S:
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            os.lseek(record, 0, os.SEEK_SET)  # the previous attempt moved the shared offset
            code = subprocess.run(
                words,
                env=dict(os.environ),  # the environment of this process has no passwords
                stdin=record,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_RESTORE_S,
                check=False,
            ).returncode
        if code == 0:
            return 0
        select.select([], [], [], pause_s)
    return code


if __name__ == "__main__":
    sys.exit(main())
