"""What a study of two guests finds: what each loses to its neighbour, and whether its share is kept."""

import enum

import msgspec

from scheduler.model.estimate import Estimate, estimate_of
from scheduler.model.split import DomainId, Mode


class ShareProtection(enum.StrEnum):
    """Whether what a neighbour costs a guest beyond its share stays within the limit."""

    KEPT = "kept"  # the whole interval does
    BROKEN = "broken"  # none of it does
    UNKNOWN = "unknown"  # it may, or too few blocks


class GuestLoss(msgspec.Struct, frozen=True, kw_only=True):
    """What one of two guests loses when the other one is loaded, too, within blocks.

    Rates are of the guest's own load. What its share explains: alone it may run on what the other leaves (weights), and
    loses that again; a guest that received c CPUs alone and is worth s of them does min(1, s / c) of what it did alone.

    Attributes:
        guest: The guest that loses; the other one is its neighbour.
        load: Its load kind.
        unit: Unit of its rates.
        split: Label of the split of three.
        mode: `caps` or `weights`.
        alone_tps: Its throughput while the other one is idle, mean over the blocks.
        both_tps: Likewise while both are loaded.
        cost_frac: What the neighbour costs, as a part of the throughput alone; below 0 where it gains.
        ci95_frac: Its 95 % interval; None with too few blocks.
        share_frac: The part of the throughput alone that goes because of its share alone, >= 0.
        beyond_frac: What the neighbour costs beyond that, as a part of what its share would leave.
        beyond_ci95_frac: Its 95 % interval; None likewise.
        configured_cpus: Its share, in CPUs.
        alone_cpus: CPU that it received alone, in CPUs; None where it was not measured.
        both_cpus: Likewise together.
        io_full: The I/O domain had used up what it may have while both were loaded.
        clients_frac: CPU of all users while both were loaded, of that left to them, 0..1.
        protection: Whether the cost beyond its share is within 5 %.
        blocks: Blocks that have both.
    """

    guest: DomainId
    load: str
    unit: str
    split: str
    mode: Mode
    alone_tps: float
    both_tps: float
    cost_frac: float
    ci95_frac: tuple[float, float] | None = None
    share_frac: float = 0.0
    beyond_frac: float
    beyond_ci95_frac: tuple[float, float] | None = None
    configured_cpus: float
    alone_cpus: float | None = None
    both_cpus: float | None = None
    io_full: bool = False
    clients_frac: float = 0.0
    protection: ShareProtection = ShareProtection.UNKNOWN
    blocks: int

    @property
    def loss(self) -> Estimate:
        """Loss in all with its interval, as a fraction."""
        return estimate_of(self.cost_frac, self.ci95_frac)

    @property
    def loss_beyond(self) -> Estimate:
        """Loss beyond its share with its interval, as a fraction."""
        return estimate_of(self.beyond_frac, self.beyond_ci95_frac)


class IsolationFinding(msgspec.Struct, frozen=True, kw_only=True, tag_field="study", tag="isolation"):
    """What two guests cost each other, and whether cap or weight protects them.

    Attributes:
        headline: The answer as one sentence.
        costs: One per split, mode and guest, in the plan's order.
        reasons: Sentences of evidence, most important first.
        advice: What to do.
        limits: How far it holds.
    """

    headline: str
    costs: tuple[GuestLoss, ...] = ()
    reasons: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()
