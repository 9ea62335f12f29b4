"""CPU time of one minor page fault and one system call; a program for Python 3.8.

    python3 micro.py [ROUNDS]        or        python -P -m scheduler.studies.overhead.micro [ROUNDS]

Copy this file to the other machine and run it there. It needs Python only and prints one line of JSON. A page fault is
the first store to a page of anonymous memory after MADV_DONTNEED, without huge pages. The loop's own time is subtracted
by a second store to each page, which causes no fault. A system call is getppid(2), minus a call of the same form that
stays in the process.

Rounds of a millisecond alternate, and the figures are medians of the thread's CPU clock. So another process or a
migration of the thread spoils a round, not the figure. The ratio of wall clock to CPU time is printed, too. Time that a
hypervisor takes within a round is CPU time to a guest and is counted.
"""

from __future__ import annotations

import _thread
import contextlib
import json
import mmap
import os
import platform
import resource
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

FORMAT = 1
PAGES = 1024
CALLS = 2000
ROUNDS = 200
_MOST = 100_000
_WARM = 3


def main() -> None:
    """Measure and print the line."""
    words = sys.argv[1:]
    if len(words) > 1 or not all(word.isdecimal() and 1 <= int(word) <= _MOST for word in words):
        sys.exit(f"one number of rounds from 1 to {_MOST}, not {' '.join(words)}")
    figures = measure_costs(int(words[0]) if words else ROUNDS)
    if reason := unusable_reason(figures):
        sys.exit(reason)
    sys.stdout.write(json.dumps(figures) + "\n")


def measure_costs(rounds: int) -> dict[str, Any]:
    """Return the figures of `rounds` rounds as JSON values.

    `fault_ns` and `call_ns` are CPU time in ns. `wall_per_cpu` is wall-clock time over CPU time.
    """
    area = mmap.mmap(-1, PAGES * mmap.PAGESIZE)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        with contextlib.suppress(OSError):  # EINVAL: a kernel without huge pages
            area.madvise(mmap.MADV_NOHUGEPAGE)
    for _ in range(_WARM):
        _measure_block(area)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    began, cpu = time.perf_counter_ns(), time.thread_time_ns()
    seen = [_measure_block(area) for _ in range(rounds)]
    wall, cpu = time.perf_counter_ns() - began, time.thread_time_ns() - cpu
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    return {
        "format": FORMAT,
        "fault_ns": _median_and_quartiles([fault for fault, _ in seen]),
        "call_ns": _median_and_quartiles([call for _, call in seen]),
        "rounds": rounds,
        "faults_per_page": round(faults / rounds / PAGES, 3),
        "cpu_s": round(cpu / 1e9, 6),
        "wall_per_cpu": round(wall / cpu, 3),
        "clock": "CLOCK_THREAD_CPUTIME_ID",
        "resolution_ns": time.get_clock_info("thread_time").resolution * 1e9,
        "page_bytes": mmap.PAGESIZE,
        "python": platform.python_version(),
        "kernel": platform.release(),
        "machine": platform.machine(),
    }


def unusable_reason(figures: dict[str, Any]) -> str:
    """Return why the figures are unusable; empty where they are usable.

    A median <= 0 means that other work on the computer disturbed the rounds.
    """
    for name, title in (("fault_ns", "page fault"), ("call_ns", "system call")):
        median_ns = figures[name]["median"]
        if median_ns <= 0:
            return (
                f"Cannot measure the cost of a {title}: the median is {median_ns} ns. Other work disturbed the rounds. "
                f"Run this program again with more than {figures['rounds']} rounds, on a quiet computer."
            )
    return ""


def _measure_block(area: mmap.mmap) -> tuple[float, float]:
    """Return ns per fault and ns per call."""
    area.madvise(mmap.MADV_DONTNEED)
    first, again = _touch_pages_ns(area), _touch_pages_ns(area)
    calls, loop = _call_repeatedly_ns(os.getppid), _call_repeatedly_ns(_thread.get_ident)
    return (first - again) / PAGES, (calls - loop) / CALLS


def _touch_pages_ns(area: mmap.mmap) -> int:
    places = range(0, PAGES * mmap.PAGESIZE, mmap.PAGESIZE)
    began = time.thread_time_ns()
    for place in places:
        area[place] = 1
    return time.thread_time_ns() - began


def _call_repeatedly_ns(function: Callable[[], int]) -> int:
    times = range(CALLS)
    began = time.thread_time_ns()
    for _ in times:
        function()
    return time.thread_time_ns() - began


def _median_and_quartiles(values: Sequence[float]) -> dict[str, object]:
    ordered = sorted(values)
    low, middle, high = (round(ordered[int(part * (len(ordered) - 1) / 4)], 1) for part in (1, 2, 3))
    return {"median": middle, "quartiles": [low, high]}


if __name__ == "__main__":
    main()
