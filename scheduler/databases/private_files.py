"""A user's own password files, read only if no other account has rights to them.

The databases' own clients apply the same rule.
"""

import os
import stat
from pathlib import Path

from scheduler.translation import _

_MOST_BYTES = 1_000_000
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def explain_ignored(path: Path) -> str:
    """Return the reason why an existing file is not read; empty if read or missing."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return ""
    except OSError as error:
        return _("{path} is not used: {strerror}.").format(path=path, strerror=error.strerror)
    if not stat.S_ISREG(mode):
        return _("{path} is not used, because it is not a regular file.").format(path=path)
    if mode & _OTHERS:
        return _("{path} is not used: others have rights to it (mode {mode:04o}). Run chmod 600 {path}.").format(
            path=path, mode=stat.S_IMODE(mode)
        )
    return "" if os.access(path, os.R_OK) else _("{path} is not used: you have no right to read it.").format(path=path)


def read_private_text(path: Path) -> str:
    """Return the first megabyte of a private file, without a byte order mark.

    Empty for a missing file, and for a file with rights for other accounts.
    """
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode) or facts.st_mode & _OTHERS:
                return ""
            return file.read(_MOST_BYTES).decode("utf-8-sig", "surrogateescape")
    except OSError:
        return ""
