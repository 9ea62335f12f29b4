"""List of hosts that processes of this account hold, from the locks.

Checking a lock takes it only for an instant.
"""

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
from scheduler.translation import _

_SUFFIX = ".lock"


class HeldHost(NamedTuple):
    """Host that a process holds.

    Attributes:
        host_id: The host's identity.
        pid: Id of the process; 0 when the lock does not contain it.
        holder: Purpose for which the host is held.
    """

    host_id: str
    pid: int
    holder: LockOwner


def list_held_hosts(folder: Path) -> list[HeldHost]:
    """Return the hosts that are held, sorted by the names of their locks.

    Raises:
        JournalUnreadable: The folder cannot be read.
    """
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == _SUFFIX)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise unreadable_error(_("the folder of records {folder}").format(folder=folder), error) from error
    found = (_read_holder(path) for path in paths)
    return [held for held in found if held is not None]


def _read_holder(path: Path) -> HeldHost | None:
    try:
        fd = open_regular(path, os.O_RDONLY)
    except (OSError, UnfitFile):  # reported when a command uses that host
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
