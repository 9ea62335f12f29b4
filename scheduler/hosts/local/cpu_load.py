"""Who keeps a CPU busy: how much of it is taken, and by which programs."""

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import psutil

from scheduler.hosts.local import local_cpus

ProcessSnapshots = Mapping[int, "ProcessSnapshot"]


class ProcessSnapshot(NamedTuple):
    """One process as it was seen: its name, its CPU time in s, the CPU it ran on last."""

    name: str
    cpu_s: float
    cpu: int


class ProgramLoad(NamedTuple):
    """What a process took of one CPU, 0..1."""

    taken_frac: float
    name: str
    pid: int


def measure_load(cpu: int, interval_s: float) -> tuple[float, list[ProgramLoad]]:
    """Return how much others than DomTune take of a CPU in the next `interval_s`, 0..1, and who, most first."""
    before = _snapshot_processes()
    busy_frac = local_cpus.busy_frac(cpu, interval_s)
    after = _snapshot_processes()
    return foreign_frac(busy_frac, before, after, cpu, interval_s), rank_programs(before, after, cpu, interval_s)


def foreign_frac(
    busy_frac: float, before: ProcessSnapshots, after: ProcessSnapshots, cpu: int, interval_s: float
) -> float:
    """Return what is left of `busy_frac`, 0..1, without what we took: a window draws while it waits for the answer."""
    own = _own_pids()
    ours = sum(each.taken_frac for each in _measure_programs(before, after, cpu, interval_s) if each.pid in own)
    return max(0.0, busy_frac - ours)


def rank_programs(before: ProcessSnapshots, after: ProcessSnapshots, cpu: int, interval_s: float) -> list[ProgramLoad]:
    """Return what each process took of a CPU between two looks, most first; a new one has taken what it has."""
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
    return {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}  # the window, and what began it


def _snapshot_processes() -> dict[int, ProcessSnapshot]:
    return dict(_iterate_processes())


def _iterate_processes() -> Iterator[tuple[int, ProcessSnapshot]]:
    for process in psutil.process_iter(["name", "cpu_times", "cpu_num"]):
        told = process.info
        if told["cpu_times"] is not None and told["cpu_num"] is not None:
            yield (
                process.pid,
                ProcessSnapshot(
                    told["name"] or "?", told["cpu_times"].user + told["cpu_times"].system, told["cpu_num"]
                ),
            )
