"""The journal: one undo record per host, on disk before the first write, gone after the last read-back.

The file's existence is the only definition of "restore is due". A lock file beside it, held by flock for as
long as a process may write to the host, keeps a second run out; the kernel drops it when that process dies.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Self
from urllib.parse import quote

import msgspec

from scheduler.errors import HostBusy, JournalCorrupt, JournalError
from scheduler.model.params import SchedParams
from scheduler.model.split import DomainId

FORMAT = "domtune-undo/1"


class Undo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What brings a host back.

    Attributes:
        host_url: The URL it was opened by.
        host_id: Its stable identity.
        context: What the adapter needs to find the same parameters again.
        originals: Domain to its parameters as found; None for a domain that did not exist.
        armed_unix_s: When the record was written, seconds since 1970.
        pid: Process that wrote it.
        format: Version of this record.
    """

    host_url: str
    host_id: str
    context: Mapping[str, str]
    originals: Mapping[DomainId, SchedParams | None]
    armed_unix_s: float
    pid: int
    format: str = FORMAT


class _Stamp(msgspec.Struct, frozen=True):
    """The part of a record that every version can read."""

    format: str = ""


# A look at a lock takes microseconds; a sweep that meets one need not give up.
_LOOKS, _LOOK_S = 5, 0.02


class Journal:
    """The undo record of one host."""

    def __init__(self, folder: Path, host_id: str) -> None:
        self.path = folder / f"{quote(host_id, safe='')}.json"

    def arm(self, undo: Undo) -> None:
        """Write the record; it is on disk when this returns. Raises JournalError."""
        fresh = self.path.with_suffix(".tmp")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            _write_synced(fresh, msgspec.json.encode(undo))
            fresh.replace(self.path)
            _sync_folder(self.path.parent)
        except OSError as error:
            raise JournalError(
                f"the undo record {self.path} could not be written: {error.strerror or error}; nothing was changed",
                hint="Free disk space or set DOMTUNE_HOME to a folder that can be written.",
            ) from error

    def read(self) -> Undo | None:
        """Return the record, None when the host is as found. Raises JournalCorrupt, JournalError."""
        try:
            body = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise JournalError(f"the undo record {self.path} cannot be read: {error.strerror}") from error
        try:
            _refuse_newer(self.path, msgspec.json.decode(body, type=_Stamp).format)
            return msgspec.json.decode(body, type=Undo)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            kept = keep_aside(self.path)
            raise JournalCorrupt(
                f"the undo record {self.path.name} is damaged ({error}); it was kept as {kept}",
                kept,
                hint="Look into that file for the host's original parameters and check the host by hand.",
            ) from error

    def disarm(self) -> None:
        """Remove the record: every original has been read back. Raises JournalError."""
        try:
            self.path.unlink(missing_ok=True)
            _sync_folder(self.path.parent)
        except OSError as error:
            raise JournalError(f"the undo record {self.path} cannot be removed: {error.strerror}") from error


class HostLock:
    """The right to write to a host, held by one process at a time."""

    def __init__(self, folder: Path, host_id: str) -> None:
        self._path = folder / f"{quote(host_id, safe='')}.lock"
        self._fd: int | None = None

    def __enter__(self) -> Self:
        """Take the lock; raises HostBusy when another process keeps it."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise JournalError(f"the lock {self._path} cannot be made: {error.strerror}") from error
        try:
            _lock(fd)
        except BlockingIOError as error:
            holder = os.pread(fd, 32, 0).decode(errors="replace").strip() or "unknown"
            os.close(fd)
            raise HostBusy(
                f"another sweep holds this host (process {holder})",
                hint="Wait for it, or stop it there; its host is restored when it ends.",
            ) from error
        self._fd = fd
        _note_holder(fd)
        return self

    def __exit__(self, *_: object) -> None:
        """Let go."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def armed(folder: Path) -> Iterator[Path]:
    """Yield the undo records in `folder`, oldest first."""
    ages: dict[Path, float] = {}
    for path in folder.glob("*.json"):
        with contextlib.suppress(FileNotFoundError):  # its sweep may end at this moment
            if path.is_file():
                ages[path] = path.stat().st_mtime
    yield from sorted(ages, key=ages.__getitem__)


def keep_aside(path: Path) -> Path:
    """Rename a damaged file so that it is kept and no longer in the way; return its new path."""
    kept = path.with_name(f"{path.name}.corrupt-{time.time_ns()}")
    path.replace(kept)
    return kept


def _lock(fd: int) -> None:
    """Take the lock; who only looks whether a host is free holds it for an instant. Raises BlockingIOError."""
    for _ in range(_LOOKS):
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(_LOOK_S)  # noqa: TID251 - too short for anybody to interrupt
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _refuse_newer(path: Path, written: str) -> None:
    """Refuse a record of a later version, and leave it where that version finds it. Raises JournalError."""
    name, _, number = written.partition("/")
    if written != FORMAT and name == FORMAT.partition("/")[0] and number.isdecimal():
        raise JournalError(
            f"the undo record {path} was written by a newer DomTune ({written}, this one knows {FORMAT}); it was kept",
            hint="Restore with the version that swept this host.",
        )


def _note_holder(fd: int) -> None:
    """Leave our process id for people; a full disk must not keep a host from being restored."""
    try:
        os.ftruncate(fd, 0)
        os.pwrite(fd, str(os.getpid()).encode(), 0)
    except OSError:
        return


def _write_synced(path: Path, body: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(body)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
