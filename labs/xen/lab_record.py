"""Record of the running lab, for later commands."""

import contextlib
import fcntl
import os
import time
from collections.abc import Generator, Mapping
from pathlib import Path

import msgspec

from labs import own_folder
from labs.xen import folders
from scheduler.errors import HostBusy
from scheduler.files import open_regular
from scheduler.waiting import wait_until

_FILE = "lab.json"
_LOOK_S = 1.0  # a look at the lab holds it for a moment


class LabRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One lab.

    Attributes:
        scheduler: Scheduler that it was started with.
        ports: On 127.0.0.1, by name.
        images: Folder of its images.
        started_unix_s: When it was started, seconds since 1970.
        ready: True when everything in it has answered once.
        saved_state: Folder of the state that it was resumed from; empty when it was booted.
        guests: Number of guests.
        cpus: Number of CPUs of the machine, and of vCPUs of Dom0 and each guest.
    """

    scheduler: str
    images: str
    ports: Mapping[str, int] = {}
    started_unix_s: float = 0.0
    ready: bool = False
    saved_state: str = ""
    guests: int = 1
    cpus: int = 1

    @property
    def age_s(self) -> float:
        """Seconds since the start, never negative."""
        return max(0.0, time.time() - self.started_unix_s)


def save_record(folder: Path, record: LabRecord) -> None:
    """Write the record atomically.

    Args:
        folder: The running lab's folder.
        record: The lab.
    """
    fresh = folder / f"{_FILE}.new"
    fresh.write_bytes(msgspec.json.encode(record))
    fresh.replace(folder / _FILE)


def load_record(folder: Path) -> LabRecord | None:
    """Return the record; None for a missing or unreadable one."""
    try:
        return msgspec.json.decode((folder / _FILE).read_bytes(), type=LabRecord)
    except (OSError, msgspec.DecodeError):
        return None


@contextlib.contextmanager
def hold_lab() -> Generator[None, None, None]:
    """Lock the lab for the block; raises HostBusy while another command has it."""
    path = folders.lock_path()
    own_folder.make_lab_folder(path.parent)
    with os.fdopen(open_regular(path, os.O_RDWR | os.O_CREAT), "r+b") as file:
        if not wait_until(lambda: _try_lock(file.fileno(), fcntl.LOCK_EX), _LOOK_S, every_s=0.2):
            raise HostBusy(
                "another `domtune lab` is building, starting or ending the Xen lab",
                hint="Wait until it has ended. `domtune lab xen status` shows its progress.",
            )
        yield


def is_lab_held() -> bool:
    """Return True while another command builds, starts or ends the lab."""
    try:
        with os.fdopen(open_regular(folders.lock_path()), "rb") as file:
            return not _try_lock(file.fileno(), fcntl.LOCK_SH)  # shared: another look is no command
    except FileNotFoundError:
        return False


def _try_lock(descriptor: int, how: int) -> bool:
    """Lock without waiting; closing the file or the process's end unlocks."""
    try:
        fcntl.flock(descriptor, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
