"""The keeper: puts this computer's host back when the process that follows it is gone, or stuck. No module of ours.

    python -I -S local_guard_process.py PID LIMIT_S HARD_S RECORD WORD...

Standard input brings a byte for each window that the process PID has finished; each is answered. `q` ends the keeper.
`t` is said by a process that writes no more, and could not put everything back: then WORD... is run, `domtune restore`
for that host. The end of the input, LIMIT_S without a byte, or HARD_S in all, first ends PID, which may be stopped, and
wake up later: the lock of the host lies with it until it is dead, and nothing of it can be written afterwards.
RECORD is the descriptor of a file in memory with a copy of the undo record. WORD... has it as standard input.
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
_LAST_S = 5.0  # what closed its end of the pipe is dying already
_KILLED_S = 30.0
_PAUSES_S = (1, 2, 4, 8, 16, 32, 60, 60, 60, 60)
_RESTORE_S = 300.0


def main() -> int:
    """Wait for bytes; return 0 when told to end or when everything was put back."""
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)  # who ends us so means the process that we look after, and that gives back
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
    """Return a handle of the process, which no later process of its number is behind; None when it is gone."""
    try:
        process = os.pidfd_open(pid)
    except OSError:
        return None
    if os.getppid() != pid:
        os.close(process)
        return None
    return process


def _now_s() -> float:
    """Return seconds that go on while the computer sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def _wait_for_byte(limit_s: float, ends_s: float) -> bytes:
    """Return what was said at the end: `q`, `t`, or nothing where nobody is there any more, or it is too late.

    Time in which this process was held, too (a machine that was paused), says nothing of the other one.
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
            os.lseek(record, 0, os.SEEK_SET)  # shared with the attempt before
            code = subprocess.run(
                words,
                env=dict(os.environ),  # as this process was given it: without passwords
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
