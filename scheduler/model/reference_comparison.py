"""What a guest reaches of its base on as many CPUs: virtual against native."""

import msgspec

from scheduler.model.estimate import Estimate, estimate_of


class ReferenceRatio(msgspec.Struct, frozen=True, kw_only=True):
    """The guest at one number of vCPUs beside the base on as many CPUs, under one load, within blocks.

    Attributes:
        load: Load kind.
        unit: Unit of its rates.
        vcpus: The number.
        guest_tps: Mean throughput of the guest over the blocks that have both; likewise base_tps.
        ratio: What the guest reaches of the base, 0.85 for 85 %.
        ci95: Its 95 % interval; None with too few blocks.
        blocks: Blocks that have both.
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
        """True if the interval excludes equality; else the difference is within noise."""
        return self.of_base.differs_from(1.0)
