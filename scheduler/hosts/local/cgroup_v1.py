"""Files and units of control groups, version 1.

Source: kernel documentation, cgroup-v1/cpuacct, cgroup-v1/cpusets and sched-bwc.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from scheduler.files import path_exists
from scheduler.hosts.local.cgroup_dialect import CpuTimes
from scheduler.hosts.local.cgroup_paths import PARENT, CgroupPaths, InitialGroups
from scheduler.hosts.local.cgroup_steps import CgroupStep, MakeFolder, SetFile
from scheduler.hosts.local.kernel_files import parse_number, read_counters
from scheduler.hosts.local.local_cpus import parse_cpu_tuple
from scheduler.model.scheduler_params import CgroupParams

_NS_PER_S = 1e9
_WEIGHT, _QUOTA, _PERIOD = "cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_period_us"
_CPUS, _EFFECTIVE = "cpuset.cpus", "cpuset.effective_cpus"
_NO_QUOTA = -1


class CgroupV1:
    """Dialect of version 1.

    Args:
        place: Paths of the groups.
    """

    def __init__(self, place: CgroupPaths) -> None:
        self._place = place
        self.weight_file = _WEIGHT
        self.quota_file = _QUOTA

    def read(self, folder: Path) -> CgroupParams:
        quota_us = _read_number(folder / _QUOTA, least=_NO_QUOTA)
        return CgroupParams(
            weight=_read_number(folder / _WEIGHT),
            quota_us=None if quota_us < 0 else quota_us,
            period_us=_read_number(folder / _PERIOD),
        )

    def values(self, folder: Path, now: CgroupParams, wanted: CgroupParams) -> Iterator[CgroupStep]:
        """Yield the steps from `now` to `wanted`; an old quota never meets a new period.

        Args:
            folder: Folder of the group.
            now: Current parameters.
            wanted: Parameters to set.
        """
        quota_us = now.quota_us
        if now.period_us != wanted.period_us:
            if quota_us is not None:
                yield SetFile(folder / _QUOTA, str(_NO_QUOTA))
                quota_us = None
            yield SetFile(folder / _PERIOD, str(wanted.period_us))
        if quota_us != wanted.quota_us:
            yield SetFile(folder / _QUOTA, str(_NO_QUOTA if wanted.quota_us is None else wanted.quota_us))
        if now.weight != wanted.weight:
            yield SetFile(folder / _WEIGHT, str(wanted.weight))

    def lift_quota(self, folder: Path) -> Iterator[CgroupStep]:
        yield SetFile(folder / _QUOTA, str(_NO_QUOTA))

    def prepare(self) -> Iterator[CgroupStep]:
        """Yield the creation of the parent folder; every folder has its controllers."""
        parent = Path(self._place.cpu, PARENT)
        if not path_exists(parent):
            yield MakeFolder(parent)

    def undo_prepare(self, found: InitialGroups) -> Iterator[CgroupStep]:
        """Yield nothing: `prepare` creates no more than the folder."""
        yield from ()

    def confine_cpus(self, folder: Path, cpus: tuple[int, ...]) -> Iterator[CgroupStep]:
        """Yield the steps that create a CPU set with these CPUs.

        The parent folder needs the CPUs of all of its groups, and keeps them until its removal.

        Args:
            folder: Folder of the group in the hierarchy of CPU sets.
            cpus: The CPUs.
        """
        base = folder.parent.parent
        for path in (folder.parent, folder):
            if not path_exists(path):
                yield MakeFolder(path)
                # A new CPU set is empty, and accepts no process before both files are set.
                yield SetFile(path / "cpuset.mems", (base / "cpuset.mems").read_text().strip())
                yield SetFile(path / _CPUS, _join_numbers(cpus))
                continue
            now = self.cpus(path)
            wanted = tuple(sorted({*cpus, *now})) if path == folder.parent else cpus
            if now != wanted:
                yield SetFile(path / _CPUS, _join_numbers(wanted))

    def cpus(self, folder: Path) -> tuple[int, ...]:
        return parse_cpu_tuple((folder / _CPUS).read_text())

    def effective_cpus(self, folder: Path) -> tuple[int, ...]:
        try:
            return parse_cpu_tuple((folder / _EFFECTIVE).read_text())
        except FileNotFoundError:  # before Linux 3.17
            return self.cpus(folder)

    def times(self, folder: Path, accounting: Path) -> CpuTimes:
        """Return a group's counters; raise OSError, ValueError.

        The total is exact. User and system time are counted in ticks of the scheduler's clock, which coincide with the
        edges of a quota's period. User and system time only give the ratio for dividing the total.

        Args:
            folder: Folder of the group in the hierarchy of the CPU controller.
            accounting: Folder of the group in the hierarchy of CPU accounting.
        """
        stat = read_counters(folder / "cpu.stat")
        total_s = _read_number(accounting / "cpuacct.usage") / _NS_PER_S
        user_s, system_s = _user_and_system_s(accounting)
        return CpuTimes(total_s, user_s, system_s, stat.get("throttled_time", 0) / _NS_PER_S)


def _join_numbers(cpus: tuple[int, ...]) -> str:
    return ",".join(map(str, cpus))


def _user_and_system_s(accounting: Path) -> tuple[float, float]:
    try:
        names = ("cpuacct.usage_user", "cpuacct.usage_sys")
        user_ns, system_ns = (_read_number(accounting / name) for name in names)
    except FileNotFoundError:  # before Linux 4.7
        stat, ticks = read_counters(accounting / "cpuacct.stat"), os.sysconf("SC_CLK_TCK")
        return stat.get("user", 0) / ticks, stat.get("system", 0) / ticks
    return user_ns / _NS_PER_S, system_ns / _NS_PER_S


def _read_number(path: Path, least: int = 0) -> int:
    return parse_number(path.read_text(), path, least)
