"""Who keeps a CPU busy: how much of it is taken, and by which programs."""

import os
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import psutil

from scheduler.hosts.local import cpus

Ticks = Mapping[int, "ProcessSeen"]


class ProcessSeen(NamedTuple):
    """One process as it was seen: its name, its CPU time in s, the CPU it ran on last."""

    name: str
    cpu_s: float
    cpu: int


class Program(NamedTuple):
    """What a process took of one CPU, 0..1."""

    taken_frac: float
    name: str
    pid: int


def look(cpu: int, interval_s: float) -> tuple[float, list[Program]]:
    """Return how much others than DomTune take of a CPU in the next `interval_s`, 0..1, and who, most first."""
    before = _processes()
    busy_frac = cpus.busy_frac(cpu, interval_s)
    after = _processes()
    return others_frac(busy_frac, before, after, cpu, interval_s), programs(before, after, cpu, interval_s)


def others_frac(busy_frac: float, before: Ticks, after: Ticks, cpu: int, interval_s: float) -> float:
    """Return what is left of `busy_frac`, 0..1, without what we took: a window draws while it waits for the answer."""
    own = _own()
    ours = sum(each.taken_frac for each in _taken(before, after, cpu, interval_s) if each.pid in own)
    return max(0.0, busy_frac - ours)


def programs(before: Ticks, after: Ticks, cpu: int, interval_s: float) -> list[Program]:
    """Return what each process took of a CPU between two looks, most first; a new one has taken what it has."""
    own = _own()
    taken = (each for each in _taken(before, after, cpu, interval_s) if each.pid not in own)
    return sorted((each for each in taken if each.taken_frac > 0), reverse=True)


def _taken(before: Ticks, after: Ticks, cpu: int, interval_s: float) -> Iterator[Program]:
    for pid, seen in after.items():
        if seen.cpu == cpu:
            since_s = before[pid].cpu_s if pid in before else 0.0
            yield Program((seen.cpu_s - since_s) / interval_s, seen.name, pid)


def _own() -> set[int]:
    return {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}  # the window, and what began it


def _processes() -> dict[int, ProcessSeen]:
    return dict(_each())


def _each() -> Iterator[tuple[int, ProcessSeen]]:
    for process in psutil.process_iter(["name", "cpu_times", "cpu_num"]):
        told = process.info
        if told["cpu_times"] is not None and told["cpu_num"] is not None:
            yield (
                process.pid,
                ProcessSeen(told["name"] or "?", told["cpu_times"].user + told["cpu_times"].system, told["cpu_num"]),
            )
