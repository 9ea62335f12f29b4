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

from scheduler.databases.protocols import UserSession
from scheduler.loads.tpch.backends import find_backend, read_kernel_file
from scheduler.model.named_figures import NamedFigure

_TICKS = os.sysconf("SC_CLK_TCK")
_READ = re.compile(r"^read_bytes: ([0-9]{1,19})$", re.MULTILINE)
_BLOCKED_FIELD = 42  # delayacct_blkio_ticks of /proc/PID/stat; it stands still where the kernel does not account delays
_ACCOUNTS_DELAYS = Path("/proc/sys/kernel/task_delayacct")
_WORKERS = " of I/O workers"


class ProcessUsage(msgspec.Struct, frozen=True):
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


class QueryCounters:
    """What a user measures of its queries.

    Args:
        folder: That of the back end, or its thread, in /proc; None where it is not known.
        workers: Those of the server's I/O workers.
    """

    def __init__(self, folder: Path | None, workers: Sequence[Path] = ()) -> None:
        self._folder = folder
        self._workers = workers
        self._began_s = 0.0
        self._before: ProcessUsage | None = None
        self._workers_before: ProcessUsage | None = None

    def begin(self) -> None:
        """Look before a query."""
        self._before = read_usage(self._folder) if self._folder is not None else None
        self._workers_before = read_total_usage(self._workers)
        self._began_s = time.monotonic()

    def since(self, name: str) -> tuple[NamedFigure, ...]:
        """Return what the query took that began when `begin` was called."""
        took = _time_figure(f"{name} time", time.monotonic() - self._began_s)
        before, after = self._before, read_usage(self._folder) if self._folder is not None else None
        if before is None or after is None:
            return (took,)
        return (took, *usage_figures(name, before, after), *self._worker_figures(name))

    def _worker_figures(self, name: str) -> tuple[NamedFigure, ...]:
        """Return what the I/O workers cost meanwhile, whoever they worked for; what they wait for holds nobody up."""
        before, after = self._workers_before, read_total_usage(self._workers)
        if before is None or after is None:
            return ()
        cpu_s = after.user_s + after.system_s - before.user_s - before.system_s
        if before.cpu_s is not None and after.cpu_s is not None:
            cpu_s = after.cpu_s - before.cpu_s
        found = [
            _time_figure(f"{name} CPU{_WORKERS}", cpu_s),
            NamedFigure(f"{name} page faults{_WORKERS}", float(after.faults - before.faults), ""),
        ]
        if before.read_bytes is not None and after.read_bytes is not None:
            found.append(NamedFigure(f"{name} read{_WORKERS}", float(after.read_bytes - before.read_bytes), "bytes"))
        return tuple(found)


def usage_figures(name: str, before: ProcessUsage, after: ProcessUsage) -> tuple[NamedFigure, ...]:
    """Return the differences, as far as they are known.

    User and system time have ticks of 10 ms; where their sum is known exactly, it is divided as they are.
    """
    user_s, system_s = after.user_s - before.user_s, after.system_s - before.system_s
    if before.cpu_s is not None and after.cpu_s is not None:
        cpu_s, ticks_s = after.cpu_s - before.cpu_s, user_s + system_s
        system_s = cpu_s * (system_s / ticks_s if ticks_s else 0.0)
        user_s = cpu_s - system_s
    found = [
        _time_figure(f"{name} user CPU", user_s),
        _time_figure(f"{name} system CPU", system_s),
        NamedFigure(f"{name} page faults", float(after.faults - before.faults), ""),
    ]
    if before.waited_s is not None and after.waited_s is not None:
        found.append(_time_figure(f"{name} waiting for the CPU", after.waited_s - before.waited_s))
    if before.blocked_s is not None and after.blocked_s is not None:
        found.append(_time_figure(f"{name} waiting for the disk", after.blocked_s - before.blocked_s))
    if before.read_bytes is not None and after.read_bytes is not None:
        found.append(NamedFigure(f"{name} read", float(after.read_bytes - before.read_bytes), "bytes"))
    return tuple(found)


def _time_figure(name: str, value_s: float) -> NamedFigure:
    return NamedFigure(name, 1000 * value_s, "ms")


def read_usage(folder: Path) -> ProcessUsage | None:
    """Return what a process or thread has used; None when it is gone, or not to be seen."""
    stat = read_kernel_file(folder / "stat")
    fields = stat.rpartition(")")[2].split()  # its name may hold blanks; what follows begins with field 3 of proc(5)
    if len(fields) < 13:
        return None
    minor, major, user, system = (int(fields[number - 3]) for number in (10, 12, 14, 15))
    run, waited = (*read_kernel_file(folder / "schedstat").split(), "", "")[:2]
    read = _READ.search(read_kernel_file(folder / "io"))
    return ProcessUsage(
        user_s=user / _TICKS,
        system_s=system / _TICKS,
        faults=minor + major,
        cpu_s=int(run) / 1e9 if run.isdecimal() else None,
        waited_s=int(waited) / 1e9 if waited.isdecimal() else None,
        read_bytes=int(read[1]) if read else None,
        blocked_s=_blocked_s(fields),
    )


def read_total_usage(folders: Sequence[Path]) -> ProcessUsage | None:
    """Return what some processes have used; None when there are none, or one is gone."""
    found = [each for each in map(read_usage, folders) if each is not None]
    if not found or len(found) < len(folders):
        return None
    return ProcessUsage(
        user_s=sum(each.user_s for each in found),
        system_s=sum(each.system_s for each in found),
        faults=sum(each.faults for each in found),
        cpu_s=_sum_known([each.cpu_s for each in found]),
        read_bytes=_sum_known([each.read_bytes for each in found]),
    )


_Number = TypeVar("_Number", int, float)


def _sum_known(values: Sequence[_Number | None]) -> _Number | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if len(known) == len(values) else None


def has_delay_accounting() -> bool:
    """Return whether the kernel notes how long processes wait for disks (kernel documentation: delay-accounting)."""
    return read_kernel_file(_ACCOUNTS_DELAYS).strip() == "1"


def _blocked_s(fields: Sequence[str]) -> float | None:
    place = _BLOCKED_FIELD - 3
    return int(fields[place]) / _TICKS if len(fields) > place and has_delay_accounting() else None


def open_counters(user: UserSession, database: str) -> QueryCounters:
    """Return what can be measured of a user's queries.

    Args:
        user: The user's connection.
        database: Name of the kind of database.

    Raises:
        SpecError: None of ours.
    """
    return QueryCounters(*find_backend(user, database))
