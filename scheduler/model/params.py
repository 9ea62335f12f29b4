"""Scheduler parameters, one struct per dialect; `None` in place of one means that the domain is not there."""

import msgspec


class CgroupParams(msgspec.Struct, frozen=True, tag_field="dialect", tag="cgroup"):
    """CPU parameters of one control group (kernel documentation: cgroup-v1/cpu, cgroup-v2, sched-bwc).

    Attributes:
        weight: `cpu.shares` (v1: 2..262144, default 1024) or `cpu.weight` (v2: 1..10000, default 100).
        quota_us: CPU time per period; None means no limit. At least 1000.
        period_us: The period, 1000..1000000.
    """

    weight: int
    quota_us: int | None = None
    period_us: int = 100_000

    @property
    def words(self) -> str:
        """The parameters as people read them."""
        quota = "none" if self.quota_us is None else f"{self.quota_us} us per {self.period_us} us"
        return f"weight {self.weight}, quota {quota}"

    @property
    def rows(self) -> dict[str, str]:
        """Parameter name to its value, as people read them."""
        quota = "none" if self.quota_us is None else f"{self.quota_us} us"
        return {"weight": str(self.weight), "quota": quota, "period": f"{self.period_us} us"}


SchedParams = CgroupParams  # becomes a union with the second dialect


class CgroupLimits(msgspec.Struct, frozen=True):
    """What one version of the kernel's CPU controller accepts.

    Attributes:
        scheduler: Name of its share model, `cgroup-v1` or `cgroup-v2`.
        weights: Smallest and largest weight that it keeps.
        default_weight: The weight of a new group.
    """

    scheduler: str
    weights: tuple[int, int]
    default_weight: int


CGROUP_V1 = CgroupLimits("cgroup-v1", (2, 262_144), 1024)  # kernel/sched: MIN_SHARES, MAX_SHARES, NICE_0
CGROUP_V2 = CgroupLimits("cgroup-v2", (1, 10_000), 100)  # kernel documentation, cgroup-v2: cpu.weight

# Kernel documentation, sched-bwc: "The minimum quota allowed for the quota or period is 1ms."
MIN_QUOTA_US = 1_000
DEFAULT_PERIOD_US = 100_000  # likewise: the period of a new group
