"""What a program and its offspring have used of the CPUs, from /proc: all together, and the busiest thread."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

_PROC = Path("/proc")


class CpuUsed(msgspec.Struct, frozen=True):
    """What was used since some moment.

    Attributes:
        all_s: CPU seconds of all threads together.
        busiest_s: Those of the busiest one, look by look.
    """

    all_s: float = 0.0
    busiest_s: float = 0.0


class CpuTimeCounter:
    """Grows from look to look. What begins and ends between two looks is not seen."""

    def __init__(self) -> None:
        self._threads: dict[tuple[int, int], float] = {}
        self.used = CpuUsed()

    def look(self, pid: int) -> CpuUsed:
        """Return what the offspring of a process has used since the first look; the process itself is left out."""
        now = {thread: used_s for thread in _offspring_threads(pid) if (used_s := _thread_cpu_s(*thread)) is not None}
        grown = [max(0.0, used_s - self._threads.get(thread, 0.0)) for thread, used_s in now.items()]
        self._threads = now
        self.used = CpuUsed(self.used.all_s + sum(grown), self.used.busiest_s + max(grown, default=0.0))
        return self.used


def find_offspring(pid: int) -> list[int]:
    """Return the processes below one, nearest first."""
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
        except OSError:  # it has ended, or the kernel has no such file
            continue
    return children


def _task_ids(pid: int) -> list[int]:
    try:
        return [int(path.name) for path in (_PROC / f"{pid}/task").iterdir()]
    except OSError:  # it has ended
        return []


def _thread_cpu_s(pid: int, task: int) -> float | None:
    """Return a thread's CPU seconds (Documentation/scheduler/sched-stats.rst: nanoseconds in the first field)."""
    try:
        return int((_PROC / f"{pid}/task/{task}/schedstat").read_text().split()[0]) / 1e9
    except (OSError, IndexError, ValueError):
        return None
