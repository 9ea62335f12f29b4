"""Scheduler parameters, one struct per dialect.

`None` in place of the parameters means that the domain does not exist. The number of the guest's vCPUs is one of the
dialects: DomTune writes and restores it like the others.
"""

import msgspec

from scheduler.model.number_texts import format_vcpus
from scheduler.model.placement import PlacementParams
from scheduler.model.vcpus import VcpuParams
from scheduler.translation import _


class CgroupParams(msgspec.Struct, frozen=True, tag_field="dialect", tag="cgroup"):
    """CPU parameters of one control group.

    Source: kernel documentation, cgroup-v1/cpu, cgroup-v2, sched-bwc.

    Attributes:
        weight: `cpu.shares` (v1: 2..262144, default 1024) or `cpu.weight` (v2: 1..10000, default 100).
        quota_us: CPU time per period, >= 1000; None means no limit.
        period_us: The period, 1000..1000000.
    """

    weight: int
    quota_us: int | None = None
    period_us: int = 100_000

    @property
    def words(self) -> str:
        """The parameters as text for people."""
        quota = (
            "none"
            if self.quota_us is None
            else _("{quota_us} us per {period_us} us").format(quota_us=self.quota_us, period_us=self.period_us)
        )
        return _("weight {weight}, quota {quota}").format(weight=self.weight, quota=quota)

    @property
    def rows(self) -> dict[str, str]:
        """Parameter name to its value as text for people."""
        quota = "none" if self.quota_us is None else _("{quota_us} us").format(quota_us=self.quota_us)
        return {
            "weight": str(self.weight),
            "quota": quota,
            "period": _("{period_us} us").format(period_us=self.period_us),
        }


def _format_cap(cap_pct: int) -> str:
    return "none" if cap_pct == 0 else _("{cap_pct} % of one CPU").format(cap_pct=cap_pct)


class _WeightAndCap(msgspec.Struct, frozen=True):
    """Weight and cap of a domain under both of Xen's credit schedulers.

    Attributes:
        weight: 1..65535, default 256; relative share while several domains want to run.
        cap_pct: Percent of one physical CPU over all vCPUs together, 0..100 per vCPU; 0 means no cap.
    """

    weight: int
    cap_pct: int = 0

    @property
    def words(self) -> str:
        """The parameters as text for people."""
        return _("weight {weight}, cap {cap}").format(weight=self.weight, cap=_format_cap(self.cap_pct))

    @property
    def rows(self) -> dict[str, str]:
        """Parameter name to its value as text for people."""
        return {"weight": str(self.weight), "cap": _format_cap(self.cap_pct)}


class CreditParams(_WeightAndCap, frozen=True, tag_field="dialect", tag="credit"):
    """One domain under Xen's first credit scheduler (xl.cfg(5), `xl sched-credit`)."""


class Credit2Params(_WeightAndCap, frozen=True, tag_field="dialect", tag="credit2"):
    """One domain under credit2 (`xl sched-credit2`).

    Hosts before Xen 4.10 have no cap and read 0.
    """


class RtdsVcpu(msgspec.Struct, frozen=True):
    """One vCPU under RTDS.

    Attributes:
        period_us: The period, >= 10.
        budget_us: CPU time per period, 10..period_us.
        extratime: True when the vCPU may use unreserved time after its budget.
    """

    period_us: int
    budget_us: int
    extratime: bool

    @property
    def words(self) -> str:
        """The parameters as text for people."""
        return _("{budget_us} us per {period_us} us{value}").format(
            budget_us=self.budget_us, period_us=self.period_us, value=_(", extra time") if self.extratime else ""
        )


class RtdsParams(msgspec.Struct, frozen=True, tag_field="dialect", tag="rtds"):
    """One domain under Xen's real-time deferrable server (`xl sched-rtds -v all`).

    Attributes:
        vcpus: One entry per vCPU, offline ones included, in the order of their numbers.
    """

    vcpus: tuple[RtdsVcpu, ...]

    @property
    def words(self) -> str:
        """The parameters as text for people; once when all vCPUs have the same."""
        if len(set(self.vcpus)) == 1:
            return _("{words} on {count}").format(words=self.vcpus[0].words, count=format_vcpus(len(self.vcpus)))
        return "; ".join(f"vCPU {number}: {vcpu.words}" for number, vcpu in enumerate(self.vcpus))

    @property
    def rows(self) -> dict[str, str]:
        """Parameter name to its value as text for people; by vCPU where they differ."""
        if len(set(self.vcpus)) != 1:
            return {f"vCPU {number}": vcpu.words for number, vcpu in enumerate(self.vcpus)}
        vcpu = self.vcpus[0]
        return {
            "budget": _("{budget_us} us").format(budget_us=vcpu.budget_us),
            "period": _("{period_us} us").format(period_us=vcpu.period_us),
            "extra time": "yes" if vcpu.extratime else "no",
            "vCPUs": str(len(self.vcpus)),
        }


class SedfParams(msgspec.Struct, frozen=True, tag_field="dialect", tag="sedf"):
    """One domain under SEDF of Xen up to 4.5 (`xl sched-sedf`, `xm sched-sedf`).

    Attributes:
        period_ms: The period, 0.01..10000; without meaning next to a weight.
        slice_ms: CPU time per period, 0.005..period_ms; 0 for a domain without a reservation.
        latency_ms: Hint for I/O domains; DomTune sets 0.
        extratime: True when the domain may also use unreserved time.
        weight: Share of a domain without a reservation; 0 for a domain with a reservation.
    """

    period_ms: float
    slice_ms: float
    latency_ms: float = 0
    extratime: bool = False
    weight: int = 0

    @property
    def words(self) -> str:
        """The parameters as text for people."""
        extra = _(", extra time") if self.extratime else ""
        if self.weight:
            return _("weight {weight}{extra}").format(weight=self.weight, extra=extra)
        return _("{slice_ms:g} ms per {period_ms:g} ms{extra}").format(
            slice_ms=self.slice_ms, period_ms=self.period_ms, extra=extra
        )

    @property
    def rows(self) -> dict[str, str]:
        """Parameter name to its value as text for people."""
        return {
            "period": _("{period_ms:g} ms").format(period_ms=self.period_ms),
            "slice": _("{slice_ms:g} ms").format(slice_ms=self.slice_ms),
            "latency": _("{latency_ms:g} ms").format(latency_ms=self.latency_ms),
            "extra time": "yes" if self.extratime else "no",
            "weight": str(self.weight),
        }


class LibvirtParams(msgspec.Struct, frozen=True, tag_field="dialect", tag="libvirt"):
    """One QEMU or LXC domain under libvirt (`virsh schedinfo`).

    None for a parameter that the driver does not report.

    Attributes:
        cpu_shares: `cpu.shares` (version 1: 2..262144) or `cpu.weight` (version 2: 1..10000).
        vcpu_period_us: Period of each vCPU's quota (of the whole domain under LXC), 1000..1000000.
        vcpu_quota_us: CPU time per period and vCPU, >= 1000; None next to a period means no limit.
        emulator_period_us: Period of the quota of the emulator's threads, 1000..1000000.
        emulator_quota_us: CPU time per period of the emulator's threads, >= 1000; None next to a period means no limit.
    """

    cpu_shares: int | None
    vcpu_period_us: int | None
    vcpu_quota_us: int | None
    emulator_period_us: int | None = None
    emulator_quota_us: int | None = None

    @property
    def words(self) -> str:
        """The parameters as text for people."""
        return ", ".join(f"{name} {value}" for name, value in self.rows.items())

    @property
    def rows(self) -> dict[str, str]:
        """Parameter name to its value as text for people."""
        return {
            "cpu_shares": _("not reported") if self.cpu_shares is None else str(self.cpu_shares),
            "vcpu_quota": _format_quota(self.vcpu_quota_us, self.vcpu_period_us),
            "emulator_quota": _format_quota(self.emulator_quota_us, self.emulator_period_us),
        }


def _format_quota(quota_us: int | None, period_us: int | None) -> str:
    if period_us is None:
        return _("not reported")
    return (
        _("none (period {period_us} us)").format(period_us=period_us)
        if quota_us is None
        else _("{quota_us} us per {period_us} us").format(quota_us=quota_us, period_us=period_us)
    )


SchedParams = (
    CgroupParams | CreditParams | Credit2Params | RtdsParams | SedfParams | LibvirtParams | VcpuParams | PlacementParams
)


class CgroupLimits(msgspec.Struct, frozen=True):
    """Limits of one version of the kernel's CPU controller.

    Attributes:
        scheduler: Name of its share model, `cgroup-v1` or `cgroup-v2`.
        weights: Smallest and largest weight.
        default_weight: Weight of a new group.
    """

    scheduler: str
    weights: tuple[int, int]
    default_weight: int


CGROUP_V1 = CgroupLimits("cgroup-v1", (2, 262_144), 1024)  # kernel/sched: MIN_SHARES, MAX_SHARES, NICE_0
CGROUP_V2 = CgroupLimits("cgroup-v2", (1, 10_000), 100)  # kernel documentation, cgroup-v2: cpu.weight

# Kernel documentation, sched-bwc: "The minimum quota allowed for the quota or period is 1ms."
MIN_QUOTA_US = 1_000
DEFAULT_PERIOD_US = 100_000  # period of a new group, same source
