"""Atomic writing of files, so that a full disk never leaves half an export."""

import os
import secrets
from pathlib import Path

from scheduler.files import open_regular


def write_text(path: Path, text: str, *, executable: bool = False) -> Path:
    """Write UTF-8 text with LF line ends to a temporary file, then rename the file.

    Args:
        path: The file.
        text: Its text.
        executable: True for mode 755.

    Raises:
        OSError: The file could not be written; an older file remains.
    """
    # An unpredictable new name: in a folder like /tmp, an existing name could be a link of another user.
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
