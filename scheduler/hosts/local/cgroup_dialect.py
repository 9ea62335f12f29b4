"""Protocol of the two versions of control groups."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

import msgspec

from scheduler.hosts.local.cgroup_paths import InitialGroups
from scheduler.hosts.local.cgroup_steps import CgroupStep
from scheduler.model.scheduler_params import CgroupParams


class CpuTimes(msgspec.Struct, frozen=True):
    """Counters of a group.

    Attributes:
        total_s: CPU seconds, exact.
        user_s: CPU seconds in user mode; with `system_s`, the ratio for dividing the total.
        system_s: CPU seconds in kernel mode.
        throttled_s: Seconds in which the quota throttled the group.
    """

    total_s: float
    user_s: float
    system_s: float
    throttled_s: float


class CgroupDialect(Protocol):
    """Names, formats and order of one version's files; plans steps without doing them."""

    weight_file: str
    quota_file: str

    def read(self, folder: Path) -> CgroupParams:
        """Return a group's parameters; raise OSError, ValueError."""
        ...

    def values(self, folder: Path, now: CgroupParams, wanted: CgroupParams) -> Iterable[CgroupStep]:
        """Return the steps from `now` to `wanted`, valid at every moment.

        Args:
            folder: Folder of the group.
            now: Current parameters.
            wanted: Parameters to set.
        """
        ...

    def lift_quota(self, folder: Path) -> Iterable[CgroupStep]:
        """Return the steps that remove the quota."""
        ...

    def prepare(self) -> Iterable[CgroupStep]:
        """Return the steps that are needed before DomTune's groups can be created."""
        ...

    def undo_prepare(self, found: InitialGroups) -> Iterable[CgroupStep]:
        """Return the steps that undo `prepare`."""
        ...

    def confine_cpus(self, folder: Path, cpus: tuple[int, ...]) -> Iterable[CgroupStep]:
        """Return the steps that restrict a group to these CPUs, where CPU sets are usable.

        Args:
            folder: Folder of the group in the hierarchy of CPU sets.
            cpus: The CPUs.
        """
        ...

    def cpus(self, folder: Path) -> tuple[int, ...]:
        """Return the CPUs to which a group is restricted; raise OSError, HostError."""
        ...

    def effective_cpus(self, folder: Path) -> tuple[int, ...]:
        """Return the CPUs in effect for a group; raise OSError, HostError.

        The groups above may allow fewer than were written.
        """
        ...

    def times(self, folder: Path, accounting: Path) -> CpuTimes:
        """Return a group's counters; raise OSError, ValueError.

        Args:
            folder: Folder of the group in the hierarchy of the CPU controller.
            accounting: Folder of the group in the hierarchy of CPU accounting.
        """
        ...
