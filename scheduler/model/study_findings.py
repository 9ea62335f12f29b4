"""Findings of capacity, overhead and scale-up, tagged by study.

`scheduler/model/studies.py` has the union of all findings.
"""

import enum

import msgspec

from scheduler.model.base_answer import BaseFinding
from scheduler.model.estimate import Estimate, estimate_of
from scheduler.model.reference_comparison import ReferenceRatio


class CapacityMargin(enum.StrEnum):
    """Comparison of a knee with the required number of users."""

    ROOM = "room"
    CONTRACT = "contract"  # so much room that less CPU would be enough
    AT_THE_KNEE = "at the knee"
    EXPAND = "expand"
    UNKNOWN = "unknown"  # no required number, or the range ends before it


DECIDED_RATIO = 2
"""Largest ratio of the ends of a decided knee's interval: one doubling of the users."""


class KneeEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """Number of users at which throughput stops rising, for one load at one split.

    N95 is the smallest number of users at which the mean throughput reaches 95 % of the highest in the studied range.

    Attributes:
        load: Load kind.
        unit: Unit of its rates.
        split: Label of the split; empty for the original settings.
        above: More users than this are needed to reach 95 %, >= 0.
        most: Number of users that is enough to reach 95 %.
        open: True when the range may end before the knee: no knee is stated or extrapolated.
        tried: Largest number of users that was measured.
        highest_tps: Throughput at the best number.
        highest_ci95_tps: Its 95 % interval.
        best_users: Number of users with the highest mean.
        crossing_users: N* = highest throughput / that of one user, and its 95 % interval: the number of users at which
            a server without waiting would saturate (Little's law); None where one user was not measured.
        falls_frac: Loss at the largest number of users against the best number, as a fraction, where certain; else 0.
        trials: Number of valid trials.
        below_text: Limit of the throughput below the knee, as a sentence; empty where unknown.
        beyond_text: Limit of the throughput beyond the knee, as a sentence; empty where unknown.
        room: Comparison with the required number of users.
        next_users: Numbers of users of the block that would narrow the interval; empty where it is decided or open.
    """

    load: str
    unit: str
    split: str = ""
    above: int
    most: int
    open: bool
    tried: int
    highest_tps: float
    highest_ci95_tps: tuple[float, float]
    best_users: int
    crossing_users: tuple[float, float, float] | None = None
    falls_frac: float = 0.0
    trials: int
    below_text: str = ""
    beyond_text: str = ""
    room: CapacityMargin = CapacityMargin.UNKNOWN
    next_users: tuple[int, ...] = ()

    @property
    def is_decided(self) -> bool:
        """True where the knee is known to one doubling; only then a number is stated."""
        return not self.open and self.most <= DECIDED_RATIO * max(1, self.above)

    @property
    def beyond(self) -> bool:
        """True where the knee is open and certainly beyond half of the measured range.

        Otherwise too little is known: more trials would help, not more users.
        """
        return self.open and 2 * self.above >= self.tried


class CapacityFinding(BaseFinding, frozen=True, kw_only=True, tag="capacity"):
    """Finding of a capacity study.

    Attributes:
        knees: One per load and split with enough trials.
        demand_users: Required number of users; 0 where the plan names none.
    """

    knees: tuple[KneeEstimate, ...] = ()
    demand_users: int = 0


class SlowdownEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """Slowdown of one item on one side against the reference.

    Attributes:
        load: Load kind.
        side: Label of the side.
        item: Name of the item, for example `Q17`; the load's short name where it has no items; empty for all of them.
        base_ms: Time on the reference, mean over the blocks, milliseconds.
        side_ms: Time on the side, mean over the blocks, milliseconds.
        slowdown_frac: Relative slowdown, 0.1 for 10 %: of the mean of ln(side / reference) within blocks.
        ci95_frac: Its 95 % interval; None with too few blocks.
        blocks: Number of blocks that have both.
        added_ci95_ms: 95 % interval of side_ms - base_ms; None with too few blocks.
        smallest_frac: Smallest slowdown that so many blocks detect with a chance of 80 %; None with too few blocks.
    """

    load: str
    side: str
    item: str
    base_ms: float
    side_ms: float
    slowdown_frac: float
    ci95_frac: tuple[float, float] | None
    blocks: int
    added_ci95_ms: tuple[float, float] | None = None
    smallest_frac: float | None = None

    @property
    def slowdown(self) -> Estimate:
        """Slowdown with its interval, as a fraction."""
        return estimate_of(self.slowdown_frac, self.ci95_frac)


class SlowdownCause(msgspec.Struct, frozen=True, kw_only=True):
    """Relation of one counter to a slowdown.

    The relation is a component of the added time, or a correlation with the slowdown over the items.

    Attributes:
        load: Load kind.
        side: Label of the side.
        counter: Its name, for example `system CPU`.
        unit: Unit of the correlated change; empty for a component.
        added_frac: Added time as a fraction of the reference's time; all components add up to the slowdown of the sum.
            None for a correlation.
        added_ci95_frac: Its 95 % interval; None with too few blocks.
        correlation: Pearson's correlation with the slowdown over the items; None for a component.
        correlation_ci: Its interval; those of all counters hold together at 95 %.
        claimed: True when the correlation may be claimed, which is no proof of a cause.
    """

    load: str
    side: str
    counter: str
    unit: str = ""
    added_frac: float | None = None
    added_ci95_frac: tuple[float, float] | None = None
    correlation: float | None = None
    correlation_ci: tuple[float, float] | None = None
    claimed: bool = False


class OverheadFinding(BaseFinding, frozen=True, kw_only=True, tag="overhead"):
    """Finding of an overhead study.

    Attributes:
        overall: One per load and side: the geometric mean over the items, all with equal weight.
        totals: One per load and side: the sum over the items, where long items have more weight.
        items: One per load, side and item.
        causes: Components of the added time, then correlations, of each load and side.
    """

    overall: tuple[SlowdownEstimate, ...] = ()
    totals: tuple[SlowdownEstimate, ...] = ()
    items: tuple[SlowdownEstimate, ...] = ()
    causes: tuple[SlowdownCause, ...] = ()


class SaturatedPart(enum.StrEnum):
    """Saturated part of the host at a number of vCPUs."""

    GUEST = "guest"
    IO = "io"
    BOTH = "both"  # the CPUs that both domains share
    CLIENT = "client"
    NOTHING = "nothing"
    UNKNOWN = "unknown"  # no CPU was measured


class VcpuThroughput(msgspec.Struct, frozen=True, kw_only=True):
    """Throughput at one number of the guest's vCPUs under one load.

    Attributes:
        load: Load kind.
        unit: Unit of its rates.
        vcpus: Number of vCPUs.
        mean_tps: Mean throughput over the blocks.
        ratio: Normalised throughput: that of the smallest number is 1; over the blocks that have both.
        ci95: Its 95 % interval; None for the smallest number itself, and with too few blocks.
        blocks: Number of blocks that have both.
        guest_cpus: CPU used by the guest, in CPUs; None where it was not measured.
        io_cpus: CPU used by the I/O domain, in CPUs; None where it was not measured.
        client_frac: CPU of all users over the CPUs left to them, or of the busiest user over one CPU, the larger, 0..1.
        filled: Saturated part.
    """

    load: str
    unit: str
    vcpus: int
    mean_tps: float
    ratio: float
    ci95: tuple[float, float] | None = None
    blocks: int
    guest_cpus: float | None = None
    io_cpus: float | None = None
    client_frac: float = 0.0
    filled: SaturatedPart = SaturatedPart.UNKNOWN


class VcpuStep(msgspec.Struct, frozen=True, kw_only=True):
    """Gain of one step to the next number of vCPUs, within blocks.

    Attributes:
        load: Load kind.
        fewer: The smaller number.
        more: The larger number.
        gain_frac: Gain of throughput as a fraction of that of the smaller number.
        ci95_frac: Its 95 % interval; None with too few blocks.
        doubling_frac: Gain of one doubling, where `more` is not twice `fewer`.
        doubling_ci95_frac: Its 95 % interval.
        blocks: Number of blocks that have both.
        io_added_cpus: Change of the CPU used by the I/O domain, in CPUs; None where it was not measured.
        io_added_ci95_cpus: Its 95 % interval.
    """

    load: str
    fewer: int
    more: int
    gain_frac: float
    ci95_frac: tuple[float, float] | None = None
    doubling_frac: float
    doubling_ci95_frac: tuple[float, float] | None = None
    blocks: int
    io_added_cpus: float | None = None
    io_added_ci95_cpus: tuple[float, float] | None = None

    @property
    def gain(self) -> Estimate:
        """Gain with its interval, as a fraction."""
        return estimate_of(self.gain_frac, self.ci95_frac)

    @property
    def gains(self) -> bool:
        """True where the larger number is certainly better."""
        return self.ci95_frac is not None and self.ci95_frac[0] > 0.0


class ScaleUpFinding(BaseFinding, frozen=True, kw_only=True, tag="scale-up"):
    """Finding of a scale-up study.

    Attributes:
        sizes: One per load and number of vCPUs, ascending.
        steps: One per load and pair of adjacent numbers, ascending.
        natives: One per load and number with a measured reference, ascending; empty without a reference.
    """

    sizes: tuple[VcpuThroughput, ...] = ()
    steps: tuple[VcpuStep, ...] = ()
    natives: tuple[ReferenceRatio, ...] = ()
