"""What the studies beside the split study find; results carry one of these, tagged by study, always with a headline."""

import enum

import msgspec

from scheduler.model.estimate import Estimate, estimate_of
from scheduler.model.isolation_findings import IsolationFinding
from scheduler.model.reference_comparison import ReferenceRatio


class CapacityMargin(enum.StrEnum):
    """How a knee compares with the users that have to be carried."""

    ROOM = "room"
    CONTRACT = "contract"  # so much room that less would do
    AT_THE_KNEE = "at the knee"
    EXPAND = "expand"
    UNKNOWN = "unknown"  # nobody said how many there are, or the range ends before that


DECIDED_RATIO = 2
"""Ratio of the ends of a knee's interval, up to which it is decided: one doubling of the users."""


class KneeEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """Where throughput stops rising, for one load at one split.

    N95 is the smallest number of users at which the mean throughput reaches 95 % of the highest in the studied range.

    Attributes:
        load: Load kind.
        unit: Unit of its rates.
        split: Label of the split; empty for the host as found.
        above: More users than this are needed, >= 0.
        most: So many are enough.
        open: The range may end before the knee: none is named, and none is extrapolated.
        tried: The most users that were tried.
        highest_tps: Throughput at the best number.
        highest_ci95_tps: Its 95 % interval.
        best_users: The number with the highest mean.
        crossing_users: N* = highest throughput / that of one user, and its 95 % interval: how many users a server that
            never waits would carry (Little's law); None where one user was not measured.
        falls_frac: How much less there is at the most users than at the best number, where that is certain; else 0.
        trials: Valid trials.
        below_text: What limits it before the knee, as a sentence; empty where that is not known.
        beyond_text: What limits it beyond, likewise.
        room: How it compares with the users that have to be carried.
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
        """True where the knee is known to one doubling: only then a number of users is named."""
        return not self.open and self.most <= DECIDED_RATIO * max(1, self.above)

    @property
    def beyond(self) -> bool:
        """True where it is open, and more than half of the most that were tried are surely not enough.

        Else too little is known: more trials would tell, and not more users.
        """
        return self.open and 2 * self.above >= self.tried


class CapacityFinding(msgspec.Struct, frozen=True, kw_only=True, tag_field="study", tag="capacity"):
    """How many users the host carries.

    Attributes:
        headline: The answer as one sentence.
        knees: One per load and split that could be told.
        demand_users: How many it has to carry; 0 where nobody says.
        reasons: Sentences of evidence, most important first.
        advice: What to do, as sentences; empty where nobody says how many users there are.
        limits: How far it holds.
    """

    headline: str
    knees: tuple[KneeEstimate, ...] = ()
    demand_users: int = 0
    reasons: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


class SlowdownEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """How much longer something takes on one side than on the base.

    Attributes:
        load: Load kind.
        side: Label of the side.
        item: What it is of, for example `Q17`; the load's short name where it has no parts; empty for all of them.
        base_ms: On the base, mean over the blocks, milliseconds; likewise side_ms.
        slowdown_frac: How much longer, 0.1 for 10 %: of the mean of ln(side / base) within blocks.
        ci95_frac: Its 95 % interval; None with too few blocks.
        blocks: Blocks that have both.
        added_ci95_ms: 95 % interval of side_ms - base_ms; None likewise.
        smallest_frac: The smallest slowdown that so many blocks tell from noise, four times in five; None likewise.
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
    """What one counter has to do with a slowdown: its part of the added time, or how it goes with it over the items.

    Attributes:
        load: Load kind.
        side: Label of the side.
        counter: Its name, for example `system CPU`.
        unit: Of the change that is correlated; empty of a part.
        added_frac: What the side has more, as a part of the base's time: all of them add up to the slowdown of the sum.
            None of what is only correlated.
        added_ci95_frac: Its 95 % interval; None with too few blocks.
        correlation: Pearson's, over the items, with the slowdown; None of a part.
        correlation_ci: Its interval; those of all counters hold together at 95 %.
        claimed: It may be said that it goes with the slowdown; that is no cause yet.
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


class OverheadFinding(msgspec.Struct, frozen=True, kw_only=True, tag_field="study", tag="overhead"):
    """What stands between users and database costs.

    Attributes:
        headline: The answer as one sentence.
        overall: One per load and side: the geometric mean over the items, each counting alike.
        totals: Likewise of the sum over the items, where long ones count more.
        items: One per load, side and item.
        causes: Parts of the added time, then correlations, of each load and side.
        reasons: Sentences of evidence, most important first.
        advice: What to do; empty.
        limits: How far it holds.
    """

    headline: str
    overall: tuple[SlowdownEstimate, ...] = ()
    totals: tuple[SlowdownEstimate, ...] = ()
    items: tuple[SlowdownEstimate, ...] = ()
    causes: tuple[SlowdownCause, ...] = ()
    reasons: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


class SaturatedPart(enum.StrEnum):
    """What was full at a number of vCPUs."""

    GUEST = "guest"
    IO = "io"
    BOTH = "both"  # the CPUs that the two share
    CLIENT = "client"
    NOTHING = "nothing"
    UNKNOWN = "unknown"  # no CPU was measured


class VcpuThroughput(msgspec.Struct, frozen=True, kw_only=True):
    """One number of the guest's vCPUs under one load.

    Attributes:
        load: Load kind.
        unit: Unit of its rates.
        vcpus: The number.
        mean_tps: Mean throughput over the blocks.
        ratio: Normalised throughput: that of the smallest number is 1; of blocks that have both.
        ci95: Its 95 % interval; None of the smallest number itself, and with too few blocks.
        blocks: Blocks that have both.
        guest_cpus: CPU that the guest received, in CPUs; None where it was not measured.
        io_cpus: Likewise, the I/O domain.
        client_frac: CPU of the users, of that left to them, or the busiest one's of one CPU, 0..1.
        filled: What was full.
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
    """What going from one number of vCPUs to the next gains, within blocks.

    Attributes:
        load: Load kind.
        fewer: The smaller number.
        more: The larger one.
        gain_frac: What the larger one has more throughput, as a part of the smaller one's.
        ci95_frac: Its 95 % interval; None with too few blocks.
        doubling_frac: The same for one doubling, where `more` is not twice `fewer`.
        doubling_ci95_frac: Its 95 % interval.
        blocks: Blocks that have both.
        io_added_cpus: CPU that the I/O domain received more, in CPUs; None where it was not measured.
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
        """True where the larger number is surely better."""
        return self.ci95_frac is not None and self.ci95_frac[0] > 0.0


class ScaleUpFinding(msgspec.Struct, frozen=True, kw_only=True, tag_field="study", tag="scale-up"):
    """What more vCPUs of the guest gain, and what limits them.

    Attributes:
        headline: The answer as one sentence.
        sizes: One per load and number of vCPUs, ascending.
        steps: One per load and pair of neighbouring numbers, ascending.
        natives: One per load and number that a base was measured at, too, ascending; empty without a base.
        reasons: Sentences of evidence, most important first.
        advice: What to do.
        limits: How far it holds.
    """

    headline: str
    sizes: tuple[VcpuThroughput, ...] = ()
    steps: tuple[VcpuStep, ...] = ()
    natives: tuple[ReferenceRatio, ...] = ()
    reasons: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()


StudyFinding = CapacityFinding | OverheadFinding | ScaleUpFinding | IsolationFinding
