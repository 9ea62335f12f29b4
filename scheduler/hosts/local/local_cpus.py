"""CPUs of this computer: choice for domains and load, and properties."""

import os
from pathlib import Path

import psutil

from scheduler.model.host_properties import CpuUsage
from scheduler.model.number_parsing import parse_whole_number
from scheduler.toolstacks.tool_output import parse_cpu_list

_SYSTEM = Path("/sys/devices/system/cpu")
_STAT = Path("/proc/stat")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def parse_cpu_tuple(text: str) -> tuple[int, ...]:
    """Return the CPUs of the kernel's list format (`0-2,5`).

    Raises:
        HostNotUsable: A CPU number is out of range.
    """
    return tuple(sorted(parse_cpu_list(text.strip())))


def choose_cpus(limit: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """Return the shared CPU and the CPUs for the load.

    A single available CPU has both uses.

    Args:
        limit: CPUs that DomTune's groups may use; empty for all.
    """
    allowed = sorted(os.sched_getaffinity(0) & set(limit)) if limit else sorted(os.sched_getaffinity(0))
    allowed = allowed or sorted(os.sched_getaffinity(0))
    return allowed[0], tuple(allowed[1:]) or (allowed[0],)


def sibling_threads(cpu: int) -> tuple[int, ...]:
    """Return the other hardware threads of a CPU's core."""
    text = _read_text(_SYSTEM / f"cpu{cpu}/topology/thread_siblings_list")
    return tuple(each for each in parse_cpu_tuple(text) if each != cpu)


def read_governor(cpu: int) -> str:
    """Return the CPU's frequency governor; empty without a choice."""
    return _read_text(_SYSTEM / f"cpu{cpu}/cpufreq/scaling_governor").strip()


def busy_frac(cpu: int, interval_s: float) -> float:
    """Return a CPU's busy fraction over an interval from now on, 0..1.

    Args:
        cpu: Number of the CPU.
        interval_s: Length of the interval, seconds.
    """
    per_cpu = psutil.cpu_percent(interval=interval_s, percpu=True)
    return per_cpu[cpu] / 100 if cpu < len(per_cpu) else 0.0


def read_cpu_usage(cpu: int) -> CpuUsage | None:
    """Return a CPU's counters; None where the kernel provides none."""
    text, khz = _read_text(_STAT), _read_text(_SYSTEM / f"cpu{cpu}/cpufreq/scaling_cur_freq").strip()
    row = next((line for line in text.splitlines() if line.startswith(f"cpu{cpu} ")), "")
    clock_khz = parse_whole_number(khz)
    return parse_stat_row(row, None if clock_khz is None else clock_khz / 1000)


def parse_stat_row(row: str, clock_mhz: float | None) -> CpuUsage | None:
    """Return the counters in a row of /proc/stat (proc_stat(5)); None for other text.

    Also None for kernels before Linux 2.6.11.

    Args:
        row: Row of one CPU.
        clock_mhz: Current clock frequency, MHz; None when unknown.
    """
    told = [parse_whole_number(word) for word in row.split()[1:]]
    ticks = [each for each in told if each is not None]
    if len(ticks) < 8 or len(ticks) < len(told):
        return None
    user, nice, system, _, _, irq, softirq, stolen, *_ = ticks  # the time of virtual machines is part of user and nice
    return CpuUsage(stolen / _TICKS_PER_S, (user + nice + system + irq + softirq) / _TICKS_PER_S, clock_mhz)


def _read_text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
