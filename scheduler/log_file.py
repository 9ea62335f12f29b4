"""Log file of this program, safe against FIFOs, links and other readers."""

import contextlib
import logging.handlers
import os
from io import TextIOWrapper
from pathlib import Path

from scheduler.files import make_private_folder, open_regular, refuse_foreign


class LogFile(logging.handlers.RotatingFileHandler):
    """Rotating log file of limited size.

    Args:
        path: The file; its folder is made, and closed to others.
        most_bytes: Size at which a new file begins, bytes.
        older: Number of older files to keep.

    Raises:
        OSError: The file cannot be written, is no regular file, or is another account's.
    """

    def __init__(self, path: Path, most_bytes: int, older: int) -> None:
        make_private_folder(path.parent)
        super().__init__(path, maxBytes=most_bytes, backupCount=older, encoding="utf-8")

    def _open(self) -> TextIOWrapper:
        path = Path(self.baseFilename)
        fd = open_regular(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            status = os.fstat(fd)
            if hasattr(os, "fchmod") and status.st_uid == os.geteuid():
                with contextlib.suppress(OSError):  # a file system without modes
                    os.fchmod(fd, 0o600)
            refuse_foreign(os.fstat(fd), path)
        except BaseException:
            os.close(fd)
            raise
        return os.fdopen(fd, "a", encoding="utf-8")
