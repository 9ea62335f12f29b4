"""Server cost of one query, read from /proc before and after the query.

`backends.py` finds the user's back end or thread. If it is unknown, only the time is measured. PostgreSQL from 18 on
reads through I/O workers (`io_method = worker`), which all users share. Their cost is a separate figure.
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
from scheduler.translation import _

_TICKS = os.sysconf("SC_CLK_TCK")
_READ = re.compile(r"^read_bytes: ([0-9]{1,19})$", re.MULTILINE)
_BLOCKED_FIELD = 42  # delayacct_blkio_ticks of /proc/PID/stat, constant without delay accounting
_ACCOUNTS_DELAYS = Path("/proc/sys/kernel/task_delayacct")
_WORKERS = _(" of I/O workers")


class ProcessUsage(msgspec.Struct, frozen=True):
    """Resources that a process or thread has used since its start.

    A value is None if it is not readable.

    Attributes:
        user_s: CPU seconds in user mode, in ticks of 10 ms.
        system_s: CPU seconds in system mode, in ticks of 10 ms.
        faults: Page faults, minor and major.
        cpu_s: Exact CPU seconds in both modes.
        waited_s: Seconds in which it was ready to run but had no CPU.
        read_bytes: Bytes read from a disk.
        blocked_s: Seconds of waiting for a disk, in ticks. Known if `kernel.task_delayacct` is 1.
    """

    user_s: float
    system_s: float
    faults: int
    cpu_s: float | None = None
    waited_s: float | None = None
    read_bytes: int | None = None
    blocked_s: float | None = None


class QueryCounters:
    """Measurement of the queries of one user.

    Args:
        folder: /proc folder of the back end or thread. None if unknown.
        workers: /proc folders of the server's I/O workers.
    """

    def __init__(self, folder: Path | None, workers: Sequence[Path] = ()) -> None:
        self._folder = folder
        self._workers = workers
        self._began_s = 0.0
        self._before: ProcessUsage | None = None
        self._workers_before: ProcessUsage | None = None

    def begin(self) -> None:
        """Read the counters before a query."""
        self._before = read_usage(self._folder) if self._folder is not None else None
        self._workers_before = read_total_usage(self._workers)
        self._began_s = time.monotonic()

    def since(self, name: str) -> tuple[NamedFigure, ...]:
        """Return the time and cost of the query since `begin`."""
        took = _time_figure(f"{name} time", time.monotonic() - self._began_s)
        before, after = self._before, read_usage(self._folder) if self._folder is not None else None
        if before is None or after is None:
            return (took,)
        return (took, *usage_figures(name, before, after), *self._worker_figures(name))

    def _worker_figures(self, name: str) -> tuple[NamedFigure, ...]:
        """Return the cost of the I/O workers during the query, for all users.

        Their waiting time is no figure, because it delays no user.
        """
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
    """Return the known differences of two readings as figures.

    User and system time have ticks of 10 ms. If their exact sum is known, it is divided in the same proportion.

    Args:
        name: Prefix of the figures' names, for example `Q1`.
        before: Usage before the query.
        after: Usage after the query.
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
        found.append(_time_figure(_("{name} waiting for the CPU").format(name=name), after.waited_s - before.waited_s))
    if before.blocked_s is not None and after.blocked_s is not None:
        found.append(
            _time_figure(_("{name} waiting for the disk").format(name=name), after.blocked_s - before.blocked_s)
        )
    if before.read_bytes is not None and after.read_bytes is not None:
        found.append(NamedFigure(f"{name} read", float(after.read_bytes - before.read_bytes), "bytes"))
    return tuple(found)


def _time_figure(name: str, value_s: float) -> NamedFigure:
    return NamedFigure(name, 1000 * value_s, "ms")


def read_usage(folder: Path) -> ProcessUsage | None:
    """Read the resources that a process or thread has used.

    Returns:
        None if the process is gone or not readable.
    """
    stat = read_kernel_file(folder / "stat")
    fields = stat.rpartition(")")[2].split()  # the name can contain blanks; field 3 of proc(5) follows
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
    """Read the total resources of some processes.

    Returns:
        None if the list is empty or one of the processes is gone.
    """
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
    """Return True when the kernel measures how long processes wait for disks.

    Source: kernel documentation, delay-accounting.
    """
    return read_kernel_file(_ACCOUNTS_DELAYS).strip() == "1"


def _blocked_s(fields: Sequence[str]) -> float | None:
    place = _BLOCKED_FIELD - 3
    return int(fields[place]) / _TICKS if len(fields) > place and has_delay_accounting() else None


def open_counters(user: UserSession, database: str) -> QueryCounters:
    """Return the measurement of a user's queries.

    Args:
        user: The user's connection.
        database: Kind of database: `postgresql` or `mariadb`.

    Raises:
        SpecError: The load does not run on this kind of database.
    """
    return QueryCounters(*find_backend(user, database))
