"""What following is worth, from pairs of epochs: intervals over blocks, and what they say. Gains are ratios minus 1.

Gain = exp(mean d) - 1, d = ln(rate of following) - ln(rate of another arm) of one block; its interval is Student's over
blocks. Windows are no replicates: counters of databases come late, and what happens lasts for minutes. Looked at
`looks` times by plan, each look has 1 - 0.05 / looks (Bonferroni), so that looking does not make findings.

Where both domains have slack the rate is what the clients ask for, and no split can change it. What a split then
changes is how long a transaction takes, so that is compared, by the same epochs, where the database tells it.
"""

import enum
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from scheduler.follow.epochs import Arm, Epoch
from scheduler.stats.student import quantile

ERROR_FRAC = 0.05
ALIKE_FRAC = 0.02  # gains within this are none: the plan's indifference
_LEAST_BLOCKS = 3  # of two, Student's interval is wider than anything that could be said
_MOST = 0.5  # of the windows


class Verdict(enum.StrEnum):
    """What a planned look came to."""

    BETTER = "better"
    WORSE = "worse"
    ALIKE = "alike"  # the interval lies within what is indifferent
    OPEN = "open"


class Change(msgspec.Struct, frozen=True):
    """A ratio, minus 1, over some blocks.

    Attributes:
        frac: 0.02 for 2 % more.
        low: Lower end of its interval; None with too few blocks.
        high: Upper end; None likewise.
        blocks: How many it is made of.
    """

    frac: float
    low: float | None
    high: float | None
    blocks: int


class Gain(msgspec.Struct, frozen=True):
    """Following over another arm.

    Attributes:
        over: The other arm.
        frac: Of throughput; 0.02 for 2 %.
        low: Lower end of the interval; None with too few blocks.
        high: Upper end; None likewise.
        blocks: How many it is made of.
        verdict: What that says; what the time per transaction says where both domains have slack and it is known.
        slack: True when both domains had slack most of the time, under both arms: the rate is the clients'.
        time: Of the time per transaction, more of which is worse; None where no block has it.
    """

    over: Arm
    frac: float
    low: float | None
    high: float | None
    blocks: int
    verdict: Verdict
    slack: bool = False
    time: Change | None = None

    @property
    def by_time(self) -> Change | None:
        """The time per transaction where that is what is judged; None where it is the rate."""
        return self.time if self.slack else None


class EpochRate(msgspec.Struct, frozen=True):
    """What was counted in one epoch.

    Attributes:
        epoch: Which.
        rate_tps: Commits per second after its first minute; None where it was not counted, or too little of it.
        transaction_s: Time in statements per commit, seconds; None where that is not known, or nothing was committed.
        slack_frac: Part of its windows in which neither domain was near its limit; None where no window tells.
    """

    epoch: Epoch
    rate_tps: float | None
    transaction_s: float | None = None
    slack_frac: float | None = None


class Pair(NamedTuple):
    """Two epochs of one block, both with a rate: of following, and of another arm."""

    following: EpochRate
    other: EpochRate


def compared(pairs: Sequence[Pair], over: Arm, looks: int) -> Gain | None:
    """Return the gain of pairs of epochs; None of none.

    Args:
        pairs: One of each block; every rate is > 0.
        over: The other arm.
        looks: How many are planned.
    """
    gain = gain_of(_logs((pair.following.rate_tps, pair.other.rate_tps) for pair in pairs), over, looks)
    if gain is None:
        return None
    times = _logs((pair.following.transaction_s, pair.other.transaction_s) for pair in pairs)
    time = change_of(times, looks) if times else None
    slack = all(_slack([pair[place] for pair in pairs]) for place in range(2))
    verdict = gain.verdict
    if slack and time is not None:
        shorter = gain_of([-each for each in times], over, looks)
        verdict = shorter.verdict if shorter else verdict
    return msgspec.structs.replace(gain, slack=slack, time=time, verdict=verdict)


def gain_of(differences: Sequence[float], over: Arm, looks: int) -> Gain | None:
    """Return the gain of differences of ln(rate), one per block; None of none."""
    if not differences:
        return None
    change = change_of(differences, looks)
    return Gain(over, change.frac, change.low, change.high, change.blocks, _verdict(change))


def change_of(differences: Sequence[float], looks: int) -> Change:
    """Return what differences of logarithms, one per block and at least one, come to."""
    count = len(differences)
    mean = math.fsum(differences) / count
    if count < _LEAST_BLOCKS:
        return Change(math.expm1(mean), None, None, count)
    variance = math.fsum((each - mean) ** 2 for each in differences) / (count - 1)
    half = quantile(count - 1, 1 - ERROR_FRAC / looks / 2) * math.sqrt(variance / count)
    return Change(math.expm1(mean), math.expm1(mean - half), math.expm1(mean + half), count)


def _verdict(change: Change) -> Verdict:
    """Alike comes first: a tenth of a per cent, however certain, is nothing that anybody follows for."""
    low, high = change.low, change.high
    if low is None or high is None:
        return Verdict.OPEN
    if low >= -ALIKE_FRAC and high <= ALIKE_FRAC:
        return Verdict.ALIKE
    if high < 0:
        return Verdict.WORSE
    return Verdict.BETTER if low > 0 else Verdict.OPEN


def _slack(epochs: Sequence[EpochRate]) -> bool:
    told = [epoch.slack_frac for epoch in epochs if epoch.slack_frac is not None]
    return bool(told) and sum(told) > _MOST * len(told)


def _logs(ratios: Iterable[tuple[float | None, float | None]]) -> list[float]:
    """Return ln(one / other) of those that have both."""
    return [math.log(one / other) for one, other in ratios if one and other]
