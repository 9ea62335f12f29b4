"""What a guest reaches of its base on as many CPUs: virtual against native."""

import msgspec


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
    def told_apart(self) -> bool:
        """True where the interval leaves equality out; else the difference is within noise."""
        return self.ci95 is not None and not self.ci95[0] <= 1.0 <= self.ci95[1]
