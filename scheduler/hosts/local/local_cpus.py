"""CPUs of this computer: choice for domains and load, and properties."""

import os
from collections.abc import Sequence
from pathlib import Path
from threading import Event

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


def measure_busy_fracs(interval_s: float) -> dict[int, float]:
    """Return the busy fraction, 0..1, of each online CPU from now on.

    Args:
        interval_s: Length of the interval, seconds.
    """
    before = _read_stat_rows()
    Event().wait(interval_s)
    after = _read_stat_rows()
    return {
        cpu: min(1.0, max(0.0, (now.busy_s or 0.0) - (was.busy_s or 0.0)) / interval_s)
        for cpu, now in after.items()
        if (was := before.get(cpu)) is not None
    }


def _read_stat_rows() -> dict[int, CpuUsage]:
    """Return the counters of each CPU that is online, without frequencies."""
    rows = (row.partition(" ") for row in _read_text(_STAT).splitlines() if row.startswith("cpu"))
    each = (
        (parse_whole_number(name.removeprefix("cpu")), parse_stat_row(f"{name} {rest}", None)) for name, _, rest in rows
    )
    return {cpu: usage for cpu, usage in each if cpu is not None and usage is not None}


def read_cpu_usage(cpus: Sequence[int]) -> CpuUsage | None:
    """Return the sums of CPUs' counters, and their mean frequency.

    None where the kernel provides no counters.
    """
    rows = _read_stat_rows()
    each = [rows.get(cpu) for cpu in cpus]
    present = [usage for usage in each if usage is not None]
    if not present or len(present) < len(each):
        return None
    clocks_mhz = [mhz for cpu in cpus if (mhz := _read_clock_mhz(cpu)) is not None]
    clock_mhz = sum(clocks_mhz) / len(clocks_mhz) if clocks_mhz else None
    return CpuUsage(sum(usage.stolen_s for usage in present), sum(usage.busy_s or 0.0 for usage in present), clock_mhz)


def _read_clock_mhz(cpu: int) -> float | None:
    khz = parse_whole_number(_read_text(_SYSTEM / f"cpu{cpu}/cpufreq/scaling_cur_freq").strip())
    return None if khz is None else khz / 1000


def parse_stat_row(row: str, clock_mhz: float | None) -> CpuUsage | None:
    """Return the counters in a row of /proc/stat (proc_stat(5)); None for other text.

    Also None for kernels before Linux 2.6.11.

    Args:
        row: Row of one CPU.
        clock_mhz: Current clock frequency, MHz; None when unknown.
    """
    reported = [parse_whole_number(word) for word in row.split()[1:]]
    ticks = [each for each in reported if each is not None]
    if len(ticks) < 8 or len(ticks) < len(reported):
        return None
    user, nice, system, _, _, irq, softirq, stolen, *_ = ticks  # the time of virtual machines is part of user and nice
    return CpuUsage(stolen / _TICKS_PER_S, (user + nice + system + irq + softirq) / _TICKS_PER_S, clock_mhz)


def _read_text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
