"""Program start as another account, on given CPUs, bound to the parent's life.

The module runs as a script by path under `python -I -S`, and imports the standard library only. `preexec_fn` is no
alternative: Python must not run between fork and exec in a process that has threads.

    launch.py PARENT_PID UID GID SIGNAL CPUS PROGRAM ARGUMENT...

CPUS is a comma-separated list, or `-` for all; UID -1 keeps the account.
"""

import ctypes
import os
import sys

_PR_SET_PDEATHSIG = 1  # prctl(2)


def main(words: list[str]) -> None:
    """Replace this process by the program; exit with status 127 on failure."""
    parent, uid, gid, signal_number = (int(word) for word in words[:4])
    cpus, program = words[4], words[5:]
    if cpus != "-":
        os.sched_setaffinity(0, {int(cpu) for cpu in cpus.split(",")})
    if uid >= 0:
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    # After the change of account, which clears the setting (prctl(2)).
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0):
        sys.exit(127)
    if os.getppid() != parent:  # the parent died before the line above
        sys.exit(127)
    os.umask(0o077)
    os.execv(program[0], program)


if __name__ == "__main__":
    main(sys.argv[1:])
