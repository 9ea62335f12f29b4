"""Throughput of a guest against the reference on as many CPUs."""

import msgspec

from scheduler.model.estimate import Estimate, estimate_of


class ReferenceRatio(msgspec.Struct, frozen=True, kw_only=True):
    """Guest at one number of vCPUs against the reference, under one load.

    The ratio is within blocks.

    Attributes:
        load: Load kind.
        unit: Unit of its rates.
        vcpus: Number of vCPUs of the guest, and of CPUs of the reference.
        guest_tps: Mean throughput of the guest over the blocks that have both.
        base_tps: Mean throughput of the reference over the same blocks.
        ratio: Throughput of the guest over that of the reference, 0.85 for 85 %.
        ci95: Its 95 % interval; None with too few blocks.
        blocks: Number of blocks that have both.
    """

    load: str
    unit: str
    vcpus: int
    guest_tps: float
    base_tps: float
    ratio: float
    ci95: tuple[float, float] | None = None
    blocks: int

    @property
    def of_base(self) -> Estimate:
        """Ratio with its interval."""
        return estimate_of(self.ratio, self.ci95)

    @property
    def differs_from_base(self) -> bool:
        """True when the interval excludes equality; else the difference is noise."""
        return self.of_base.differs_from(1.0)
