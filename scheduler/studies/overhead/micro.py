"""What one minor page fault costs here, and one system call: a program that needs Python 3.8 and nothing else.

    python3 micro.py [ROUNDS]        or        python -P -m scheduler.studies.overhead.micro [ROUNDS]

Copy this file to the other machine and run it there; it prints one line of JSON. A page fault is the first store to a
page of anonymous memory after MADV_DONTNEED, huge pages being off; a second store to each page, which faults no more,
is taken off for the loop. A system call is getppid(2), less a call of the same form that stays in the process.

Rounds of a millisecond go in turns, and medians are told of the thread's CPU clock: what takes the CPU away between them,
or moves the thread, spoils a round and not the figure. The wall clock is told as a mean over all rounds, since that is
where lost time shows. What a hypervisor takes within a round is CPU time to a guest, and counted.
"""

import _thread
import json
import mmap
import os
import platform
import resource
import sys
import time

FORMAT = 1
PAGES = 1024
CALLS = 2000
ROUNDS = 200
_MOST = 100_000
_WARM = 3


def main() -> None:
    """Measure, and print the line."""
    words = sys.argv[1:]
    if len(words) > 1 or not all(word.isdecimal() and 1 <= int(word) <= _MOST for word in words):
        sys.exit("one number of rounds from 1 to {}, not {}".format(_MOST, " ".join(words)))
    sys.stdout.write(json.dumps(measured(int(words[0]) if words else ROUNDS)) + "\n")


def measured(rounds):
    """Return the figures of so many rounds."""
    area = mmap.mmap(-1, PAGES * mmap.PAGESIZE)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        try:
            area.madvise(mmap.MADV_NOHUGEPAGE)
        except OSError:  # EINVAL: a kernel without huge pages
            pass
    for _ in range(_WARM):
        _round(area)
    before = resource.getrusage(resource.RUSAGE_SELF)
    began, cpu = time.perf_counter_ns(), time.thread_time_ns()
    seen = [_round(area) for _ in range(rounds)]
    wall, cpu = time.perf_counter_ns() - began, time.thread_time_ns() - cpu
    after = resource.getrusage(resource.RUSAGE_SELF)
    faults = after.ru_minflt - before.ru_minflt
    fault, call = ([row[place] for row in seen] for place in (0, 1))
    return {
        "format": FORMAT,
        "fault_ns": _figures(fault),
        "fault_wall_ns": round(sum(row[2] for row in seen) / rounds, 1),
        "call_ns": _figures(call),
        "call_wall_ns": round(sum(row[3] for row in seen) / rounds, 1),
        "rounds": rounds,
        "faults_per_page": round(faults / rounds / PAGES, 3),
        "wall_s": round(wall / 1e9, 6),
        "cpu_s": round(cpu / 1e9, 6),
        "clock": "CLOCK_THREAD_CPUTIME_ID",
        "resolution_ns": time.get_clock_info("thread_time").resolution * 1e9,
        "page_bytes": mmap.PAGESIZE,
        "python": platform.python_version(),
        "kernel": platform.release(),
        "machine": platform.machine(),
    }


def _round(area):
    """Return CPU ns per fault, per call, and the same by the wall clock."""
    area.madvise(mmap.MADV_DONTNEED)
    first, second = _touch(area), _touch(area)
    calls, loop = _call(os.getppid), _call(_thread.get_ident)
    return (
        (first[0] - second[0]) / PAGES,
        (calls[0] - loop[0]) / CALLS,
        (first[1] - second[1]) / PAGES,
        (calls[1] - loop[1]) / CALLS,
    )


def _touch(area):
    places = range(0, PAGES * mmap.PAGESIZE, mmap.PAGESIZE)
    cpu, wall = time.thread_time_ns(), time.perf_counter_ns()
    for place in places:
        area[place] = 1
    return time.thread_time_ns() - cpu, time.perf_counter_ns() - wall


def _call(function):
    times = range(CALLS)
    cpu, wall = time.thread_time_ns(), time.perf_counter_ns()
    for _ in times:
        function()
    return time.thread_time_ns() - cpu, time.perf_counter_ns() - wall


def _figures(values):
    ordered = sorted(values)
    low, middle, high = (round(ordered[int(part * (len(ordered) - 1) / 4)], 1) for part in (1, 2, 3))
    return {"median": middle, "quartiles": [low, high]}


if __name__ == "__main__":
    main()
