"""Folders of mode 0700 among the temporary files, for sockets and keys; what killed processes left is removed."""

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from pathlib import Path

_LONGEST_PATH = 60  # a socket's path has at most 107 bytes, and ssh makes it longer for a moment
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class PrivateFolder:
    """One folder of this process; others may tell that it is in use by the lock that we hold on it.

    Args:
        kind: What it is for: `ssh`, `key`, `relay`. Folders of that kind that nobody uses any more are removed first.

    Raises:
        OSError: It cannot be made.
    """

    def __init__(self, kind: str) -> None:
        usual = tempfile.gettempdir()
        base = Path(usual if len(usual) < _LONGEST_PATH else "/tmp")
        prefix = f"domtune-{kind}-"
        _remove_stale(base, prefix)
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=base))
            # Until it is locked, another process may take it for stale and remove it: then another one is made.
            with contextlib.suppress(FileNotFoundError):
                self._lock = os.open(self.path, _FOLDER)
                fcntl.flock(self._lock, fcntl.LOCK_SH)
                if os.fstat(self._lock).st_nlink:
                    return
                os.close(self._lock)

    def close(self) -> None:
        """Remove it with everything in it; never raises, may be called twice."""
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
        if str(path) not in used:  # versions up to 0.1.0 held no lock, but their ssh names the folder
            shutil.rmtree(path, ignore_errors=True)  # locked: who has just made it waits, and sees that
        os.close(handle)


def _is_ours(path: Path) -> bool:
    try:
        facts = path.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o077


def _lock_if_unused(path: Path) -> int | None:
    """Lock a folder that nobody uses; None where somebody does, or it has gone. Closing what is returned unlocks it."""
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
