"""The journal: one undo record per host, on disk before the first write, gone after the last read-back.

The file's existence is the only definition of "restore is due", whatever it holds: looking never moves, renames or
removes it. A lock file beside it, held by flock for as long as a process may write to the host, keeps a second run
out; the kernel drops it when that process dies.
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

# A record is two domains' parameters and what an adapter needs to find them: a few kilobytes.
MOST_BYTES = 1_000_000

_MOST_NOTED = 32  # bytes of a lock: a process id and a word

# A look at a lock takes microseconds; a sweep that meets one need not give up.
_LOOKS, _LOOK_S = 5, 0.02


class UndoJournal:
    """The undo record of one host."""

    def __init__(self, folder: Path, host_id: str) -> None:
        self.path = folder / f"{quote(host_id, safe='')}.json"

    def arm(self, undo: UndoRecord) -> None:
        """Write the record; it is on disk when this returns. Raises JournalError."""
        fresh = self.path.with_suffix(".tmp")
        try:
            secure_record_folder(self.path.parent)
            _write_synced(fresh, seal_record(undo))
            fresh.replace(self.path)
            sync_folder(self.path.parent)
        except OSError as error:
            raise JournalError(
                f"the undo record {self.path} could not be written: {error.strerror or error}; nothing was changed",
                hint="Free disk space or set DOMTUNE_HOME to a folder that can be written.",
            ) from error

    def read(self) -> UndoRecord | None:
        """Return the record, None when the host is as found; touches nothing.

        Raises:
            JournalCorrupt: It is damaged, or a damaged one of an earlier sweep is there beside it.
            JournalError: It cannot be read, or a newer version wrote it.
        """
        undo = self.record()
        for path in self.aside():
            raise damaged_error(path, "an earlier version of DomTune found it damaged and renamed it")
        return undo

    def record(self) -> UndoRecord | None:
        """Return the record, as `read` does, whatever is there beside it."""
        try:
            body = read_regular(self.path, MOST_BYTES, ours=True)
        except FileNotFoundError:
            return None
        except UnfitFile as error:
            raise damaged_error(self.path, error.why) from error
        except OSError as error:
            raise unreadable_error(f"the undo record {self.path}", error) from error
        return unseal_record(body, self.path)

    def aside(self) -> list[Path]:
        """Return the damaged records that earlier versions renamed, oldest first. Raises JournalUnreadable."""
        return [path for path in self.files() if path != self.path]

    def files(self) -> list[Path]:
        """Return all there is of this host: while anything is, it is due. Raises JournalUnreadable."""
        return [path for path in list_pending_records(self.path.parent) if places.record_name(path) == self.path.stem]

    def disarm(self) -> None:
        """Remove the record: every original has been read back. Raises JournalError."""
        try:
            self.path.unlink(missing_ok=True)
            sync_folder(self.path.parent)
        except OSError as error:
            raise JournalError(f"the undo record {self.path} cannot be removed: {error.strerror}") from error


class HostLock:
    """The right to write to a host, held by one process at a time.

    Args:
        folder: Where locks live.
        host_id: The host's identity.
        holder: What it is held for, for whoever meets it.
    """

    def __init__(self, folder: Path, host_id: str, holder: LockOwner = LockOwner.UNKNOWN) -> None:
        self._path = folder / f"{quote(host_id, safe='')}.lock"
        self._holder = holder
        self._fd: int | None = None

    def __enter__(self) -> Self:
        """Take the lock; raises HostBusy when another process keeps it."""
        try:
            secure_record_folder(self._path.parent)
            fd = open_regular(self._path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise JournalError(f"the lock {self._path} cannot be made: {error.strerror}") from error
        try:
            _lock_exclusively(fd)
        except BlockingIOError as error:
            process, holder = read_lock_holder(fd)
            os.close(fd)
            raise HostBusy(
                f"{describe_lock(holder)} (process {process})",
                hint="Wait for it, or stop it there; its host is restored when it ends.",
                holder=holder,
            ) from error
        self._fd = fd
        _write_holder(fd, self._holder)
        return self

    def __exit__(self, *_: object) -> None:
        """Let go."""
        if self._fd is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, 0)  # who takes it next is not taken for us until that is noted
            os.close(self._fd)
            self._fd = None


def _lock_exclusively(fd: int) -> None:
    """Take the lock; who only looks whether a host is free holds it for an instant. Raises BlockingIOError."""
    for _ in range(_LOOKS):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(_LOOK_S)  # noqa: TID251 - too short for anybody to interrupt
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _write_holder(fd: int, holder: LockOwner) -> None:
    """Leave our process id, and what we do, for people; a full disk must not keep a host from being restored."""
    try:
        os.ftruncate(fd, 0)
        os.pwrite(fd, f"{os.getpid()} {holder}".strip().encode(), 0)
    except OSError:
        return


def read_lock_holder(fd: int) -> tuple[str, LockOwner]:
    """Return process id and purpose of who holds a lock; earlier versions note the id alone."""
    process, _, word = os.pread(fd, _MOST_NOTED, 0).decode(errors="replace").strip().partition(" ")
    return process or "unknown", parse_lock_owner(word)


def _write_synced(path: Path, body: bytes) -> None:
    """Write a file anew: what was left under that name, a link perhaps, is removed and not followed."""
    path.unlink(missing_ok=True)
    with os.fdopen(open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())
