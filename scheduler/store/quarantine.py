"""Quarantine of a damaged file: once, and never while a process writes to it.

Every writer holds a shared lock on `NAME.lock` for as long as it has the file open. Quarantine takes the lock
exclusively. SQLite removes `NAME-wal` by its name when it closes a file, and would remove the new file's.
"""

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from scheduler.errors import StoreError
from scheduler.files import open_regular
from scheduler.translation import _

FileIdentity = tuple[int, int]
"""Device and number of a file: tells it from a new one of that name."""

# A writer that only looks holds the lock for as long as its check takes; the one that renames, for an instant.
_LONGEST_S, _LOOK_S = 10.0, 0.05


def read_file_identity(path: Path) -> FileIdentity | None:
    """Return the identity of the file; None when there is none."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def lock_shared(path: Path) -> int:
    """Prevent quarantine until the returned descriptor is closed.

    Raises:
        StoreError: Another process quarantines the file now.
        OSError: The lock cannot be opened.
    """
    fd = _acquire_lock(path, alone=False, needless=lambda: False)
    if fd is None:
        raise StoreError(
            _("{path} is locked by a process that keeps it aside and does not get on").format(path=path),
            hint=_("Does one hang? 'fuser {lock_path}' names it.").format(lock_path=_lock_path(path)),
        )
    return fd


def quarantine_file(path: Path, seen: FileIdentity | None, why: object) -> Path | None:
    """Rename the file and SQLite's files of the same name.

    Args:
        path: The file. This process must not have it open.
        seen: Identity of the file that was found damaged.
        why: The damage, for the error.

    Returns:
        The new path; None when the file is no longer there.

    Raises:
        StoreError: Another process writes to it.
        OSError: It cannot be renamed.
    """
    fd = _acquire_lock(path, alone=True, needless=lambda: read_file_identity(path) != seen)
    if fd is None:
        if read_file_identity(path) != seen:
            return None
        raise StoreError(
            _("{path} is damaged ({why}), and another sweep still writes to it").format(path=path, why=why),
            hint=_(
                "After that sweep, the next one moves the file to {path}.corrupt-NUMBER and starts a new store."
            ).format(path=path.name),
        )
    try:
        return _rename_files(path) if read_file_identity(path) == seen else None
    finally:
        os.close(fd)


def _rename_files(path: Path) -> Path:
    """Rename SQLite's files first and the main file last; return the new path.

    After an interruption the main file is found damaged again, and no new file meets the old log.
    """
    kept = path.with_name(f"{path.name}.corrupt-{time.time_ns()}")
    for suffix in ("-shm", "-wal", ""):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.replace(kept.with_name(kept.name + suffix))
    return kept


def _lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _acquire_lock(path: Path, *, alone: bool, needless: Callable[[], bool]) -> int | None:
    """Return the lock's descriptor; None after `_LONGEST_S`, or when not needed."""
    import fcntl  # readers are also on Windows, which has none

    fd = open_regular(_lock_path(path), os.O_RDWR | os.O_CREAT)
    deadline_s = time.monotonic() + _LONGEST_S
    while not needless():
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(fd, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
            return fd
        if time.monotonic() > deadline_s:
            break
        time.sleep(_LOOK_S)  # noqa: TID251 - bounded, and before anything is swept
    os.close(fd)
    return None
