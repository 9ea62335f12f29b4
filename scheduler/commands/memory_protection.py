"""Protection of passwords in memory from core files and other processes."""

import contextlib
import ctypes
import resource
import sys

_PR_SET_DUMPABLE = 4  # prctl(2)
_WITH_PASSWORDS = frozenset(
    {
        "run",
        "lesson",
        "core",
        "try",
        "probe",
        "watch",
        "follow",
        "check-database",
        "check-clients",
        "apply",
        "revert",
        "restore",
        "trust",
    }
)


def protect_memory(word: str) -> None:
    """Disable core files; for commands with passwords, also deny access to our memory.

    Other processes of the same account cannot read our memory then; profilers of root can. Processes that we start are
    not affected, because execve(2) ends this protection. Never raises.
    """
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if word in _WITH_PASSWORDS and sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
