"""What the two versions of control groups have in common, as one protocol."""

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
        user_s: CPU seconds in user mode; with `system_s` it tells how to divide the total.
        system_s: CPU seconds in kernel mode.
        throttled_s: Seconds in which the quota held the group back.
    """

    total_s: float
    user_s: float
    system_s: float
    throttled_s: float


class CgroupDialect(Protocol):
    """Names, formats and order of one version's files; plans steps, takes none."""

    weight_file: str
    quota_file: str

    def read(self, folder: Path) -> CgroupParams:
        """Return a group's parameters; raises OSError, ValueError."""
        ...

    def values(self, folder: Path, now: CgroupParams, wanted: CgroupParams) -> Iterable[CgroupStep]:
        """Return what leads from `now` to `wanted` without an invalid moment."""
        ...

    def lift_quota(self, folder: Path) -> Iterable[CgroupStep]:
        """Return what takes the quota away."""
        ...

    def prepare(self) -> Iterable[CgroupStep]:
        """Return what has to be done before our groups can be made."""
        ...

    def undo_prepare(self, found: InitialGroups) -> Iterable[CgroupStep]:
        """Return what takes that back."""
        ...

    def confine_cpus(self, folder: Path, cpus: tuple[int, ...]) -> Iterable[CgroupStep]:
        """Return what confines a group's processes to these CPUs, where CPU sets can be used."""
        ...

    def cpus(self, folder: Path) -> tuple[int, ...]:
        """Return the CPUs that a group is confined to; raises OSError, HostError."""
        ...

    def times(self, folder: Path, accounting: Path) -> CpuTimes:
        """Return a group's counters; raises OSError, ValueError."""
        ...
