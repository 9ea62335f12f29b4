"""Files of control groups, version 2, and the controllers that a folder passes on.

Source: kernel documentation, cgroup-v2.
"""

from collections.abc import Iterator
from pathlib import Path

from scheduler.files import path_exists
from scheduler.hosts.local.cgroup_dialect import CpuTimes
from scheduler.hosts.local.cgroup_paths import CORE, PARENT, CgroupPaths, InitialGroups, control_file, read_name_set
from scheduler.hosts.local.cgroup_steps import CgroupStep, EmptyGroup, MakeFolder, RemoveFolder, SetFile, read_pids
from scheduler.hosts.local.kernel_files import parse_number, read_counters
from scheduler.hosts.local.local_cpus import parse_cpu_tuple
from scheduler.model.scheduler_params import DEFAULT_PERIOD_US, CgroupParams

_US_PER_S = 1e6
_WEIGHT, _QUOTA, _CPUS = "cpu.weight", "cpu.max", "cpuset.cpus"
_EFFECTIVE = "cpuset.cpus.effective"
_NO_QUOTA = "max"


class CgroupV2:
    """Dialect of version 2.

    A folder that passes controllers on must have no process of its own, except for the machine's root. A delegated
    scope has the process that started DomTune. Such processes wait in a group next to DomTune's groups.

    Args:
        place: Paths of the groups.
    """

    def __init__(self, place: CgroupPaths) -> None:
        self._place = place
        self._parent = Path(place.cpu, PARENT)
        self._core = self._parent / CORE
        self._needed = {"cpu", "cpuset"} if place.cpuset else {"cpu"}
        self.weight_file = _WEIGHT
        self.quota_file = _QUOTA

    def read(self, folder: Path) -> CgroupParams:
        file = folder / _QUOTA
        quota, period = file.read_text().split()
        weight = parse_number((folder / _WEIGHT).read_text(), folder / _WEIGHT)
        quota_us = None if quota == _NO_QUOTA else parse_number(quota, file)
        return CgroupParams(weight, quota_us, parse_number(period, file))

    def values(self, folder: Path, now: CgroupParams, wanted: CgroupParams) -> Iterator[CgroupStep]:
        """Yield the steps from `now` to `wanted`; quota and period are one value.

        Args:
            folder: Folder of the group.
            now: Current parameters.
            wanted: Parameters to set.
        """
        if (now.quota_us, now.period_us) != (wanted.quota_us, wanted.period_us):
            quota = _NO_QUOTA if wanted.quota_us is None else wanted.quota_us
            yield SetFile(folder / _QUOTA, f"{quota} {wanted.period_us}")
        if now.weight != wanted.weight:
            yield SetFile(folder / _WEIGHT, str(wanted.weight))

    def lift_quota(self, folder: Path) -> Iterator[CgroupStep]:
        yield SetFile(folder / _QUOTA, f"{_NO_QUOTA} {DEFAULT_PERIOD_US}")

    def prepare(self) -> Iterator[CgroupStep]:
        """Yield the steps that create the parent folder with the necessary controllers."""
        if not path_exists(self._parent):
            yield MakeFolder(self._parent)
        missing = self._needed - read_name_set(control_file(self._place))
        if missing:
            yield from self._make_room()
            yield SetFile(control_file(self._place), _join_signed("+", missing))
        missing = self._needed - read_name_set(self._parent / "cgroup.subtree_control")
        if missing:
            yield SetFile(self._parent / "cgroup.subtree_control", _join_signed("+", missing))

    def undo_prepare(self, found: InitialGroups) -> Iterator[CgroupStep]:
        """Yield the steps that undo `prepare`, once all groups are gone."""
        passed_on = read_name_set(self._parent / "cgroup.subtree_control")
        if str(self._parent) in found.folders or not path_exists(self._parent):
            return
        if passed_on:
            yield SetFile(self._parent / "cgroup.subtree_control", _join_signed("-", passed_on))
        ours = (self._needed & read_name_set(control_file(self._place))) - set(found.enabled)
        if ours:
            yield SetFile(control_file(self._place), _join_signed("-", ours), busy_is_fine=self._place.machine_root)
        if path_exists(self._core):
            yield EmptyGroup(self._core, Path(self._place.cpu))
            yield RemoveFolder(self._core)

    def confine_cpus(self, folder: Path, cpus: tuple[int, ...]) -> Iterator[CgroupStep]:
        if not path_exists(folder) or self.cpus(folder) != cpus:
            yield SetFile(folder / _CPUS, ",".join(map(str, cpus)))

    def cpus(self, folder: Path) -> tuple[int, ...]:
        """Return the CPUs to which a group is restricted; empty for no restriction.

        The groups above may restrict the CPUs further. Raises OSError, HostError.
        """
        return parse_cpu_tuple((folder / _CPUS).read_text())

    def effective_cpus(self, folder: Path) -> tuple[int, ...]:
        return parse_cpu_tuple((folder / _EFFECTIVE).read_text())

    def times(self, folder: Path, accounting: Path) -> CpuTimes:
        stat = read_counters(folder / "cpu.stat")
        names = ("usage_usec", "user_usec", "system_usec", "throttled_usec")
        return CpuTimes(*(stat.get(name, 0) / _US_PER_S for name in names))

    def _make_room(self) -> Iterator[CgroupStep]:
        if self._place.machine_root or not read_pids(Path(self._place.cpu)):
            return
        if not path_exists(self._core):
            yield MakeFolder(self._core)
        yield EmptyGroup(Path(self._place.cpu), self._core)


def _join_signed(sign: str, controllers: set[str]) -> str:
    return " ".join(f"{sign}{name}" for name in sorted(controllers))
