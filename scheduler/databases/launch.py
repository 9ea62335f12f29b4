"""Run a program as another account, on given CPUs, so that it dies with its parent.

Run as a script by path under `python -I -S` and imports the standard library only: no package of ours, no
site packages. A shim in a process of its own, and not `preexec_fn`, since Python must not run between
fork and exec in a process that has threads.

    launch.py PARENT_PID UID GID SIGNAL CPUS PROGRAM ARGUMENT...

CPUS is a comma-separated list, or `-` for all; UID -1 keeps the account.
"""

import ctypes
import os
import sys

_PR_SET_PDEATHSIG = 1  # prctl(2)


def main(words: list[str]) -> None:
    """Become the program; ends with status 127 when that is not possible."""
    parent, uid, gid, signal_number = (int(word) for word in words[:4])
    cpus, program = words[4], words[5:]
    if cpus != "-":
        os.sched_setaffinity(0, {int(cpu) for cpu in cpus.split(",")})
    if uid >= 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    # After the change of account: the kernel clears it then (prctl(2)).
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0):
        sys.exit(127)
    if os.getppid() != parent:  # it died before the line above
        sys.exit(127)
    os.umask(0o077)
    os.execv(program[0], program)


if __name__ == "__main__":
    main(sys.argv[1:])
