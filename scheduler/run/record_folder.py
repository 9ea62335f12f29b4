"""Folder of undo records, which no other account may write to."""

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import unquote

from scheduler import places
from scheduler.errors import JournalError, JournalUnreadable
from scheduler.files import make_private_folder, refuse_foreign_above, secure_folder
from scheduler.translation import _


def list_pending_records(folder: Path) -> list[Path]:
    """Return the records in `folder`, oldest first, without reading them.

    Raises:
        JournalUnreadable: The folder cannot be read, or another account could write to it.
    """
    ages: dict[Path, float] = {}
    try:
        if not _folder_exists(folder):
            return []
        _require_secure_folder(folder)
        for path in places.list_records(folder):
            with contextlib.suppress(FileNotFoundError):  # the record's sweep may end at this moment
                ages[path] = path.lstat().st_mtime
    except OSError as error:
        raise unreadable_error(_("the folder of records {folder}").format(folder=folder), error) from error
    return sorted(ages, key=ages.__getitem__)


def host_ids(paths: Iterable[Path]) -> list[str]:
    """Return the hosts of these records, each once, in the order of the paths."""
    return list(dict.fromkeys(unquote(places.record_name(path)) for path in paths))


def quarantine_record(path: Path) -> Path:
    """Rename a record, so that it is kept but its restore is no longer pending.

    The caller holds the host's lock. Return the new path.

    Raises:
        JournalError: The record cannot be renamed.
    """
    kept = path.with_name(f"{places.record_name(path)}.json.forgotten-{time.time_ns()}")
    try:
        path.rename(kept)
        sync_folder(kept.parent)
    except OSError as error:
        raise JournalError(
            _("{path} cannot be renamed to {kept}: {strerror}").format(
                path=path, kept=kept.name, strerror=error.strerror
            )
        ) from error
    return kept


def secure_record_folder(folder: Path) -> None:
    """Create a folder for records that only this account can write to.

    Raises:
        OSError: Another account could write to the folder.
    """
    make_private_folder(folder)
    refuse_foreign_above(folder)


def unreadable_error(what: str, error: OSError) -> JournalUnreadable:
    """Return the error for a file or folder that the system does not let us read.

    Args:
        what: Name of the file or folder, with its path.
        error: Error of the system.
    """
    return JournalUnreadable(
        _("{what} cannot be read: {strerror}; DomTune cannot check if a host is still changed").format(
            what=what, strerror=error.strerror or error
        ),
        hint=_(
            "Records belong to the account that made the sweep: run 'domtune restore' as that one (root's: with "
            "sudo), with the same DOMTUNE_HOME."
        ),
    )


def sync_folder(folder: Path) -> None:
    """Sync the names in a folder to the disk.

    Raises:
        OSError: The folder cannot be synced.
    """
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _folder_exists(folder: Path) -> bool:
    try:
        folder.lstat()
    except FileNotFoundError:
        return False
    return True


def _require_secure_folder(folder: Path) -> None:
    """Raise OSError for a folder into which another account could put records."""
    secure_folder(folder)
    refuse_foreign_above(folder)
