"""Undo journal: one undo record per host, on disk before the first write.

The record is removed after the host was restored and verified. The existence of the file, not its content, means
"restore pending". Reading never moves, renames or removes the file. A lock file next to the record, held by flock(2)
while a process may write to the host, excludes a second run. The kernel releases the lock when that process dies.
"""

import contextlib
import fcntl
import os
import time
from pathlib import Path
from typing import Self
from urllib.parse import quote

from scheduler import places
from scheduler.errors import HostBusy, JournalError
from scheduler.files import UnfitFile, open_regular, read_regular
from scheduler.model.lock_owner import LockOwner, describe_lock, parse_lock_owner
from scheduler.run.record_folder import list_pending_records, secure_record_folder, sync_folder, unreadable_error
from scheduler.run.undo_record import UndoRecord, damaged_error, seal_record, unseal_record
from scheduler.translation import _

# A record holds the parameters of two domains and the adapter's context: a few kilobytes.
MOST_BYTES = 1_000_000

_MOST_NOTED = 32  # bytes of a lock: a process id and its purpose

# Checking a lock takes microseconds, so a sweep retries instead of failing.
_LOOKS, _LOOK_S = 5, 0.02


class UndoJournal:
    """Undo record of one host.

    Args:
        folder: Folder of undo records.
        host_id: The host's identity.
    """

    def __init__(self, folder: Path, host_id: str) -> None:
        self.path = folder / f"{quote(host_id, safe='')}.json"

    def arm(self, undo: UndoRecord) -> None:
        """Write the record; it is on disk when this returns.

        Raises:
            JournalError: The record could not be written.
        """
        fresh = self.path.with_suffix(".tmp")
        try:
            secure_record_folder(self.path.parent)
            _write_synced(fresh, seal_record(undo))
            fresh.replace(self.path)
            sync_folder(self.path.parent)
        except OSError as error:
            raise JournalError(
                _("the undo record {path} could not be written: {strerror}; nothing was changed").format(
                    path=self.path, strerror=error.strerror or error
                ),
                hint=_("Free disk space or set DOMTUNE_HOME to a folder that can be written."),
            ) from error

    def read(self) -> UndoRecord | None:
        """Return the record; None when there is none. Change nothing.

        Raises:
            JournalCorrupt: The record is damaged, or a damaged record of an earlier sweep exists.
            JournalError: The record cannot be read, or a newer version wrote it.
        """
        undo = self.record()
        for path in self.aside():
            raise damaged_error(path, _("an earlier version of DomTune found it damaged and renamed it"))
        return undo

    def record(self) -> UndoRecord | None:
        """Return the record as `read` does, but ignore damaged records of earlier sweeps."""
        try:
            body = read_regular(self.path, MOST_BYTES, ours=True)
        except FileNotFoundError:
            return None
        except UnfitFile as error:
            raise damaged_error(self.path, error.why) from error
        except OSError as error:
            raise unreadable_error(_("the undo record {path}").format(path=self.path), error) from error
        return unseal_record(body, self.path)

    def aside(self) -> list[Path]:
        """Return damaged records that earlier versions renamed, oldest first.

        Raises:
            JournalUnreadable: The folder cannot be read.
        """
        return [path for path in self.files() if path != self.path]

    def files(self) -> list[Path]:
        """Return all records of this host; while any exists, a restore is pending.

        Raises:
            JournalUnreadable: The folder cannot be read.
        """
        return [path for path in list_pending_records(self.path.parent) if places.record_name(path) == self.path.stem]

    def disarm(self) -> None:
        """Remove the record after every original value was restored and verified.

        Raises:
            JournalError: The record cannot be removed.
        """
        try:
            self.path.unlink(missing_ok=True)
            sync_folder(self.path.parent)
        except OSError as error:
            raise JournalError(
                _("the undo record {path} cannot be removed: {strerror}").format(
                    path=self.path, strerror=error.strerror
                )
            ) from error


class HostLock:
    """The right to write to a host, held by one process at a time.

    Args:
        folder: Folder of the locks.
        host_id: The host's identity.
        holder: Purpose, shown to a process that finds the host busy.
    """

    def __init__(self, folder: Path, host_id: str, holder: LockOwner = LockOwner.UNKNOWN) -> None:
        self._path = folder / f"{quote(host_id, safe='')}.lock"
        self._holder = holder
        self._fd: int | None = None

    def __enter__(self) -> Self:
        """Take the lock.

        Raises:
            HostBusy: Another process holds the lock.
            JournalError: The lock file cannot be created.
        """
        try:
            secure_record_folder(self._path.parent)
            fd = open_regular(self._path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise JournalError(
                _("the lock {path} cannot be made: {strerror}").format(path=self._path, strerror=error.strerror)
            ) from error
        try:
            _lock_exclusively(fd)
        except BlockingIOError as error:
            process, holder = read_lock_holder(fd)
            os.close(fd)
            raise HostBusy(
                _("{lock} (process {process})").format(lock=describe_lock(holder), process=process),
                hint=_("Wait for it, or stop it there; its host is restored when it ends."),
                holder=holder,
            ) from error
        self._fd = fd
        _write_holder(fd, self._holder)
        return self

    def __exit__(self, *_: object) -> None:
        """Release the lock."""
        if self._fd is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, 0)  # the next holder must not be mistaken for us
            os.close(self._fd)
            self._fd = None


def _lock_exclusively(fd: int) -> None:
    """Take the lock; retry, because a process that checks a lock holds it briefly.

    Raises:
        BlockingIOError: Another process holds the lock.
    """
    for _unused in range(_LOOKS):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(_LOOK_S)  # noqa: TID251 - too short to need an abort
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _write_holder(fd: int, holder: LockOwner) -> None:
    """Note our process id and purpose in the lock; ignore a full disk."""
    try:
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()} {holder}".strip().encode(), 0)
    except OSError:
        return


def read_lock_holder(fd: int) -> tuple[str, LockOwner]:
    """Return the process id and purpose in a lock; earlier versions note the id alone."""
    process, _, word = os.pread(fd, _MOST_NOTED, 0).decode(errors="replace").strip().partition(" ")
    return process or "unknown", parse_lock_owner(word)


def _write_synced(path: Path, body: bytes) -> None:
    """Write and sync a new file; an old file or link of that name is removed."""
    path.unlink(missing_ok=True)
    with os.fdopen(open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
