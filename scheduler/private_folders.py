"""Temporary folders of mode 0700 for sockets and keys.

Folders of killed processes are removed.
"""

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from pathlib import Path

_LONGEST_PATH = 60  # a socket's path has at most 107 bytes, and ssh appends to it for a moment
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class PrivateFolder:
    """Private temporary folder of this process, locked while in use.

    Other processes recognise by the lock that the folder is in use. Unused folders of the same kind are removed first.

    Args:
        kind: Use of the folder: `ssh`, `key`, `relay`.

    Attributes:
        path: Path of the folder.

    Raises:
        OSError: The folder cannot be made.
    """

    def __init__(self, kind: str) -> None:
        usual = tempfile.gettempdir()
        base = Path(usual if len(usual) < _LONGEST_PATH else "/tmp")
        prefix = f"domtune-{kind}-"
        _remove_stale(base, prefix)
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=base))
            # Before the lock, another process may remove the folder as stale. Then the loop makes another folder.
            with contextlib.suppress(FileNotFoundError):
                self._lock = os.open(self.path, _FOLDER)
                fcntl.flock(self._lock, fcntl.LOCK_SH)
                if os.fstat(self._lock).st_nlink:
                    return
                os.close(self._lock)

    def close(self) -> None:
        """Remove the folder with its content; never raise an error.

        The function may be called twice.
        """
        if self._lock >= 0:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1


def _remove_stale(base: Path, prefix: str) -> None:
    used = ""
    for path in filter(_is_ours, base.glob(f"{prefix}*")):
        handle = _lock_if_unused(path)
        if handle is None:
            continue
        used = used or _list_command_lines()
        if str(path) not in used:  # without a lock up to version 0.1.0, but its ssh names the folder
            shutil.rmtree(path, ignore_errors=True)  # under the lock, so that its maker waits and notices
        os.close(handle)


def _is_ours(path: Path) -> bool:
    try:
        facts = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o077


def _lock_if_unused(path: Path) -> int | None:
    """Lock an unused folder and return its descriptor; None when used or gone.

    Closing the descriptor unlocks the folder.
    """
    try:
        handle = os.open(path, _FOLDER)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _list_command_lines() -> str:
    import psutil

    found: list[str] = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            found += process.cmdline()
    return "\n".join(found)
