"""A user's own file with passwords, read as the databases' own clients do: only where nobody else can."""

import os
import stat
from pathlib import Path

_MOST_BYTES = 1_000_000


def private_text(path: Path) -> str:
    """Return its first megabyte without a byte order mark; empty where it is not there, or not its owner's alone."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        with os.fdopen(handle, "rb") as file:
            facts = os.fstat(handle)
            if not stat.S_ISREG(facts.st_mode) or facts.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                return ""
            return file.read(_MOST_BYTES).decode("utf-8-sig", "surrogateescape")
    except OSError:
        return ""
