"""What one query cost the server: read of its back end, or thread, in /proc, before the query and after it.

Which that is tells `backends.py`; where it is not known, only the time is. PostgreSQL from 18 on reads through I/O
workers (`io_method = worker`), which all users share: what they cost is told beside it.
"""

import os
import re
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from scheduler.databases.base import UserSession
from scheduler.loads.tpch.backends import backend_of, text_of
from scheduler.model.figures import Figure

_TICKS = os.sysconf("SC_CLK_TCK")
_READ = re.compile(r"^read_bytes: ([0-9]{1,19})$", re.MULTILINE)
_BLOCKED_FIELD = 42  # delayacct_blkio_ticks of /proc/PID/stat; it stands still where the kernel does not account delays
_ACCOUNTS_DELAYS = Path("/proc/sys/kernel/task_delayacct")
_WORKERS = " of I/O workers"


class Spent(msgspec.Struct, frozen=True):
    """What a process or thread has used since it began; None where it may not be read.

    Attributes:
        user_s: CPU in user mode, in ticks of 10 ms; likewise system_s.
        cpu_s: CPU in both, exact.
        waited_s: Time in which it could have run, and did not.
        faults: Page faults, with and without reading.
        read_bytes: Bytes that it had read from a disk.
        blocked_s: Time in which it waited for a disk, in ticks; known where `kernel.task_delayacct` is 1.
    """

    user_s: float
    system_s: float
    faults: int
    cpu_s: float | None = None
    waited_s: float | None = None
    read_bytes: int | None = None
    blocked_s: float | None = None


class Counters:
    """What a user measures of its queries.

    Args:
        folder: That of the back end, or its thread, in /proc; None where it is not known.
        workers: Those of the server's I/O workers.
    """

    def __init__(self, folder: Path | None, workers: Sequence[Path] = ()) -> None:
        self._folder = folder
        self._workers = workers
        self._began_s = 0.0
        self._before: Spent | None = None
        self._workers_before: Spent | None = None

    def begin(self) -> None:
        """Look before a query."""
        self._before = spent(self._folder) if self._folder is not None else None
        self._workers_before = spent_together(self._workers)
        self._began_s = time.monotonic()

    def since(self, name: str) -> tuple[Figure, ...]:
        """Return what the query took that began when `begin` was called."""
        took = _time(f"{name} time", time.monotonic() - self._began_s)
        before, after = self._before, spent(self._folder) if self._folder is not None else None
        if before is None or after is None:
            return (took,)
        return (took, *costs(name, before, after), *self._of_workers(name))

    def _of_workers(self, name: str) -> tuple[Figure, ...]:
        """Return what the I/O workers cost meanwhile, whoever they worked for; what they wait for holds nobody up."""
        before, after = self._workers_before, spent_together(self._workers)
        if before is None or after is None:
            return ()
        cpu_s = after.user_s + after.system_s - before.user_s - before.system_s
        if before.cpu_s is not None and after.cpu_s is not None:
            cpu_s = after.cpu_s - before.cpu_s
        found = [
            _time(f"{name} CPU{_WORKERS}", cpu_s),
            Figure(f"{name} page faults{_WORKERS}", float(after.faults - before.faults), ""),
        ]
        if before.read_bytes is not None and after.read_bytes is not None:
            found.append(Figure(f"{name} read{_WORKERS}", float(after.read_bytes - before.read_bytes), "bytes"))
        return tuple(found)


def costs(name: str, before: Spent, after: Spent) -> tuple[Figure, ...]:
    """Return the differences, as far as they are known.

    User and system time have ticks of 10 ms; where their sum is known exactly, it is divided as they are.
    """
    user_s, system_s = after.user_s - before.user_s, after.system_s - before.system_s
    if before.cpu_s is not None and after.cpu_s is not None:
        cpu_s, ticks_s = after.cpu_s - before.cpu_s, user_s + system_s
        system_s = cpu_s * (system_s / ticks_s if ticks_s else 0.0)
        user_s = cpu_s - system_s
    found = [
        _time(f"{name} user CPU", user_s),
        _time(f"{name} system CPU", system_s),
        Figure(f"{name} page faults", float(after.faults - before.faults), ""),
    ]
    if before.waited_s is not None and after.waited_s is not None:
        found.append(_time(f"{name} waiting for the CPU", after.waited_s - before.waited_s))
    if before.blocked_s is not None and after.blocked_s is not None:
        found.append(_time(f"{name} waiting for the disk", after.blocked_s - before.blocked_s))
    if before.read_bytes is not None and after.read_bytes is not None:
        found.append(Figure(f"{name} read", float(after.read_bytes - before.read_bytes), "bytes"))
    return tuple(found)


def _time(name: str, value_s: float) -> Figure:
    return Figure(name, 1000 * value_s, "ms")


def spent(folder: Path) -> Spent | None:
    """Return what a process or thread has used; None when it is gone, or not to be seen."""
    stat = text_of(folder / "stat")
    fields = stat.rpartition(")")[2].split()  # its name may hold blanks; what follows begins with field 3 of proc(5)
    if len(fields) < 13:
        return None
    minor, major, user, system = (int(fields[number - 3]) for number in (10, 12, 14, 15))
    run, waited = (*text_of(folder / "schedstat").split(), "", "")[:2]
    read = _READ.search(text_of(folder / "io"))
    return Spent(
        user_s=user / _TICKS,
        system_s=system / _TICKS,
        faults=minor + major,
        cpu_s=int(run) / 1e9 if run.isdecimal() else None,
        waited_s=int(waited) / 1e9 if waited.isdecimal() else None,
        read_bytes=int(read[1]) if read else None,
        blocked_s=_blocked_s(fields),
    )


def spent_together(folders: Sequence[Path]) -> Spent | None:
    """Return what some processes have used; None when there are none, or one is gone."""
    found = [each for each in map(spent, folders) if each is not None]
    if not found or len(found) < len(folders):
        return None
    return Spent(
        user_s=sum(each.user_s for each in found),
        system_s=sum(each.system_s for each in found),
        faults=sum(each.faults for each in found),
        cpu_s=_sum([each.cpu_s for each in found]),
        read_bytes=_sum([each.read_bytes for each in found]),
    )


_Number = TypeVar("_Number", int, float)


def _sum(values: Sequence[_Number | None]) -> _Number | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if len(known) == len(values) else None


def accounts_delays() -> bool:
    """Return whether the kernel notes how long processes wait for disks (kernel documentation: delay-accounting)."""
    return text_of(_ACCOUNTS_DELAYS).strip() == "1"


def _blocked_s(fields: Sequence[str]) -> float | None:
    place = _BLOCKED_FIELD - 3
    return int(fields[place]) / _TICKS if len(fields) > place and accounts_delays() else None


def counters_of(user: UserSession, database: str) -> Counters:
    """Return what can be measured of a user's queries.

    Args:
        user: The user's connection.
        database: Name of the kind of database.

    Raises:
        SpecError: None of ours.
    """
    return Counters(*backend_of(user, database))
