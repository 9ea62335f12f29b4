"""Findings of an isolation study: loss of each guest, and protection of its share."""

import enum

import msgspec

from scheduler.model.base_answer import BaseFinding
from scheduler.model.estimate import Estimate, estimate_of
from scheduler.model.split import DomainId, Mode


class ShareProtection(enum.StrEnum):
    """Result of comparing the interference with its limit."""

    KEPT = "kept"  # the whole interval is within the limit
    BROKEN = "broken"  # the whole interval is beyond the limit
    UNKNOWN = "unknown"  # the interval contains the limit, or too few blocks


class GuestLoss(msgspec.Struct, frozen=True, kw_only=True):
    """Loss of one of two guests while the other guest is loaded, within blocks.

    Rates are of the guest's own load. The share explains a part of the loss: alone, a guest may run on CPU that the
    other guest leaves (weights), and loses that CPU again. A guest that used c CPUs alone and has a share of s CPUs
    then reaches min(1, s / c) of its throughput alone. Interference is the loss beyond that.

    Attributes:
        guest: The guest that loses; the other one is the loaded other guest.
        load: Its load kind.
        unit: Unit of its rates.
        split: Label of the split of three.
        mode: `caps` or `weights`.
        alone_tps: Its throughput while the other guest is idle, mean over the blocks.
        both_tps: Its throughput while both guests are loaded, mean over the blocks.
        cost_frac: Loss as a fraction of the throughput alone; negative for a gain.
        ci95_frac: Its 95 % interval; None with too few blocks.
        share_frac: Loss that the share alone explains, as a fraction of the throughput alone, >= 0.
        beyond_frac: Interference, as a fraction of the throughput that the share would leave.
        beyond_ci95_frac: Its 95 % interval; None with too few blocks.
        allotted_cpus: Its share, in CPUs.
        alone_cpus: CPU used alone, in CPUs; None where it was not measured.
        both_cpus: CPU used together, in CPUs; None where it was not measured.
        io_full: True when the I/O domain had used up its quota while both guests were loaded.
        clients_frac: CPU of all users while both guests were loaded, over the CPUs left to them, 0..1.
        protection: Comparison of the interference with the limit of 5 %.
        blocks: Number of blocks that have both.
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
    allotted_cpus: float
    alone_cpus: float | None = None
    both_cpus: float | None = None
    io_full: bool = False
    clients_frac: float = 0.0
    protection: ShareProtection = ShareProtection.UNKNOWN
    blocks: int

    @property
    def loss(self) -> Estimate:
        """Total loss with its interval, as a fraction."""
        return estimate_of(self.cost_frac, self.ci95_frac)

    @property
    def loss_beyond(self) -> Estimate:
        """Interference with its interval, as a fraction."""
        return estimate_of(self.beyond_frac, self.beyond_ci95_frac)


class IsolationFinding(BaseFinding, frozen=True, kw_only=True, tag="isolation"):
    """Loss of two guests to each other, and the protection by caps or weights.

    Attributes:
        costs: One per split, mode and guest, in the plan's order.
    """

    costs: tuple[GuestLoss, ...] = ()
