"""Keeping passwords in memory out of core files, and from other processes of the same account."""

import contextlib
import ctypes
import resource
import sys

_PR_SET_DUMPABLE = 4  # prctl(2)
_WITH_PASSWORDS = frozenset(
    {
        "run",
        "core",
        "try",
        "probe",
        "watch",
        "follow",
        "check-database",
        "check-clients",
        "apply",
        "revert",
        "persist",
        "restore",
        "trust",
    }
)


def protect_memory(word: str) -> None:
    """Write no core file, and where the word may be given a password let no other process of the account look in.

    Root's profilers still can. What we start is not concerned by the second: it ends with execve(2). Never raises.
    """
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if word in _WITH_PASSWORDS and sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
