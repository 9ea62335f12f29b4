"""Who holds which host of this account now, as the locks tell it; to look takes no lock for longer than an instant."""

import contextlib
import fcntl
import os
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from scheduler.files import UnfitFile, open_regular
from scheduler.model.lock_owner import LockOwner
from scheduler.run.journal import read_lock_holder
from scheduler.run.record_folder import unreadable_error

_SUFFIX = ".lock"


class HeldHost(NamedTuple):
    """A host that a process holds.

    Attributes:
        host_id: Its identity.
        pid: The process; 0 where its lock does not say.
        holder: What it is held for.
    """

    host_id: str
    pid: int
    holder: LockOwner


def list_held_hosts(folder: Path) -> list[HeldHost]:
    """Return the hosts that are held, by the names of their locks. Raises JournalUnreadable."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == _SUFFIX)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise unreadable_error(f"the folder of records {folder}", error) from error
    found = (_read_holder(path) for path in paths)
    return [held for held in found if held is not None]


def _read_holder(path: Path) -> HeldHost | None:
    try:
        fd = open_regular(path, os.O_RDONLY)
    except (OSError, UnfitFile):  # what cannot be looked at is told when somebody wants that host
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        process, holder = read_lock_holder(fd)
        return HeldHost(unquote(path.name.removesuffix(_SUFFIX)), int(process) if process.isdecimal() else 0, holder)
    finally:
        with contextlib.suppress(OSError):
            os.close(fd)
    return None
