"""CPU time of a program and its offspring, from /proc: total and busiest thread."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

_PROC = Path("/proc")


class CpuUsed(msgspec.Struct, frozen=True):
    """CPU time since the first reading.

    Attributes:
        all_s: CPU seconds of all threads together.
        busiest_s: Sum over all readings of the CPU seconds of the busiest thread.
    """

    all_s: float = 0.0
    busiest_s: float = 0.0


class CpuTimeCounter:
    """Counter of the CPU time of a process's offspring.

    The counter misses threads that begin and end between two readings.
    """

    def __init__(self) -> None:
        self._threads: dict[tuple[int, int], float] = {}
        self.used = CpuUsed()

    def look(self, pid: int) -> CpuUsed:
        """Read the CPU time of a process's offspring since the first reading.

        The process itself is excluded.
        """
        now = {thread: used_s for thread in _offspring_threads(pid) if (used_s := _thread_cpu_s(*thread)) is not None}
        grown = [max(0.0, used_s - self._threads.get(thread, 0.0)) for thread, used_s in now.items()]
        self._threads = now
        self.used = CpuUsed(self.used.all_s + sum(grown), self.used.busiest_s + max(grown, default=0.0))
        return self.used


def find_offspring(pid: int) -> list[int]:
    """Return the ids of a process's children and later descendants, nearest first."""
    found, known = [pid], {pid}
    for parent in found:
        new = [child for child in _child_pids(parent) if child not in known]
        found.extend(new)
        known.update(new)
    return found[1:]


def _offspring_threads(pid: int) -> Iterator[tuple[int, int]]:
    for process in find_offspring(pid):
        yield from ((process, task) for task in _task_ids(process))


def _child_pids(pid: int) -> list[int]:
    children: list[int] = []
    for task in _task_ids(pid):
        try:
            children += [int(word) for word in (_PROC / f"{pid}/task/{task}/children").read_text().split()]
        except OSError:  # the thread has ended, or the kernel has no such file
            continue
    return children


def _task_ids(pid: int) -> list[int]:
    try:
        return [int(path.name) for path in (_PROC / f"{pid}/task").iterdir()]
    except OSError:  # it has ended
        return []


def _thread_cpu_s(pid: int, task: int) -> float | None:
    """Return a thread's CPU seconds; None if the thread has ended.

    The first field of schedstat has nanoseconds (Documentation/scheduler/sched-stats.rst).
    """
    try:
        return int((_PROC / f"{pid}/task/{task}/schedstat").read_text().split()[0]) / 1e9
    except (OSError, IndexError, ValueError):
        return None
