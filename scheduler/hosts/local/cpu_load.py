"""Load of a CPU by programs other than DomTune."""

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import psutil

from scheduler.hosts.local import local_cpus

ProcessSnapshots = Mapping[int, "ProcessSnapshot"]


class ProcessSnapshot(NamedTuple):
    """One process: its name, its CPU time in s, and the CPU on which it last ran."""

    name: str
    cpu_s: float
    cpu: int


class ProgramLoad(NamedTuple):
    """CPU used by a process on one CPU, as a fraction 0..1 of that CPU."""

    taken_frac: float
    name: str
    pid: int


class LoadReading(NamedTuple):
    """Load of this computer over an interval.

    Attributes:
        taken_frac: Fraction of the asked CPU that other programs use, 0..1.
        programs: These programs, the largest load first.
        busy_fracs: CPU to its busy fraction, 0..1.
    """

    taken_frac: float
    programs: list[ProgramLoad]
    busy_fracs: Mapping[int, float]


def measure_load(cpu: int, interval_s: float) -> LoadReading:
    """Return the load of a CPU by other programs, and the load of all CPUs.

    Args:
        cpu: Number of the CPU.
        interval_s: Length of the measurement from now on, seconds.
    """
    before = _snapshot_processes()
    busy_fracs = local_cpus.measure_busy_fracs(interval_s)
    after = _snapshot_processes()
    taken_frac = foreign_frac(busy_fracs.get(cpu, 0.0), before, after, cpu, interval_s)
    return LoadReading(taken_frac, rank_programs(before, after, cpu, interval_s), busy_fracs)


def foreign_frac(
    busy_frac: float, before: ProcessSnapshots, after: ProcessSnapshots, cpu: int, interval_s: float
) -> float:
    """Return the busy fraction without DomTune's own load.

    A window draws while it waits for the answer.

    Args:
        busy_frac: Fraction of the CPU in use, 0..1.
        before: Processes at the start.
        after: Processes at the end.
        cpu: Number of the CPU.
        interval_s: Seconds between the two snapshots.
    """
    own = _own_pids()
    ours = sum(each.taken_frac for each in _measure_programs(before, after, cpu, interval_s) if each.pid in own)
    return max(0.0, busy_frac - ours)


def rank_programs(before: ProcessSnapshots, after: ProcessSnapshots, cpu: int, interval_s: float) -> list[ProgramLoad]:
    """Return each process's load on a CPU between two snapshots, the largest first.

    All CPU time of a new process counts. DomTune's own processes are excluded.

    Args:
        before: Processes at the start.
        after: Processes at the end.
        cpu: Number of the CPU.
        interval_s: Seconds between the two snapshots.
    """
    own = _own_pids()
    taken = (each for each in _measure_programs(before, after, cpu, interval_s) if each.pid not in own)
    return sorted((each for each in taken if each.taken_frac > 0), reverse=True)


def _measure_programs(
    before: ProcessSnapshots, after: ProcessSnapshots, cpu: int, interval_s: float
) -> Iterator[ProgramLoad]:
    for pid, seen in after.items():
        if seen.cpu == cpu:
            since_s = before[pid].cpu_s if pid in before else 0.0
            yield ProgramLoad((seen.cpu_s - since_s) / interval_s, seen.name, pid)


def _own_pids() -> set[int]:
    return {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}  # includes the window


def _snapshot_processes() -> dict[int, ProcessSnapshot]:
    return dict(_iterate_processes())


def _iterate_processes() -> Iterator[tuple[int, ProcessSnapshot]]:
    for process in psutil.process_iter(["name", "cpu_times", "cpu_num"]):
        reported = process.info
        if reported["cpu_times"] is not None and reported["cpu_num"] is not None:
            yield (
                process.pid,
                ProcessSnapshot(
                    reported["name"] or "?",
                    reported["cpu_times"].user + reported["cpu_times"].system,
                    reported["cpu_num"],
                ),
            )
