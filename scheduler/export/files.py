"""Writing a file whole or not at all, so that a full disk never leaves half an export."""

import os
import secrets
from pathlib import Path

from scheduler.files import open_regular


def write_text(path: Path, text: str, *, executable: bool = False) -> Path:
    """Write UTF-8 text with LF line ends under a temporary name, then rename; raises OSError."""
    # A name that nobody can foresee, and never one that is there: in a folder like /tmp it would be a link of others.
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    fd = open_regular(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(fd, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        if executable:
            fresh.chmod(0o755)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
    return path
