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

from scheduler.follow.ab_schedule import ComparisonPeriod, Variant
from scheduler.stats.student import student_quantile

ERROR_FRAC = 0.05
ALIKE_FRAC = 0.02  # gains within this are none: the plan's indifference
_LEAST_BLOCKS = 3  # of two, Student's interval is wider than anything that could be said
_MOST = 0.5  # of the windows


class GainVerdict(enum.StrEnum):
    """What a planned look came to."""

    BETTER = "better"
    WORSE = "worse"
    ALIKE = "alike"  # the interval lies within what is indifferent
    OPEN = "open"


class RatioChange(msgspec.Struct, frozen=True):
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


class FollowingGain(msgspec.Struct, frozen=True):
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

    over: Variant
    frac: float
    low: float | None
    high: float | None
    blocks: int
    verdict: GainVerdict
    slack: bool = False
    time: RatioChange | None = None

    @property
    def by_time(self) -> RatioChange | None:
        """The time per transaction where that is what is judged; None where it is the rate."""
        return self.time if self.slack else None


class PeriodRate(msgspec.Struct, frozen=True):
    """What was counted in one epoch.

    Attributes:
        epoch: Which.
        rate_tps: Commits per second after its first minute; None where it was not counted, or too little of it.
        transaction_s: Time in statements per commit, seconds; None where that is not known, or nothing was committed.
        slack_frac: Part of its windows in which neither domain was near its limit; None where no window tells.
    """

    epoch: ComparisonPeriod
    rate_tps: float | None
    transaction_s: float | None = None
    slack_frac: float | None = None


class PeriodPair(NamedTuple):
    """Two epochs of one block, both with a rate: of following, and of another arm."""

    following: PeriodRate
    other: PeriodRate


def compare_pairs(pairs: Sequence[PeriodPair], over: Variant, looks: int) -> FollowingGain | None:
    """Return the gain of pairs of epochs; None of none.

    Args:
        pairs: One of each block; every rate is > 0.
        over: The other arm.
        looks: How many are planned.
    """
    gain = estimate_gain(_log_ratios((pair.following.rate_tps, pair.other.rate_tps) for pair in pairs), over, looks)
    if gain is None:
        return None
    times = _log_ratios((pair.following.transaction_s, pair.other.transaction_s) for pair in pairs)
    time = estimate_change(times, looks) if times else None
    slack = all(_has_slack([pair[place] for pair in pairs]) for place in range(2))
    verdict = gain.verdict
    if slack and time is not None:
        shorter = estimate_gain([-each for each in times], over, looks)
        verdict = shorter.verdict if shorter else verdict
    return msgspec.structs.replace(gain, slack=slack, time=time, verdict=verdict)


def estimate_gain(differences: Sequence[float], over: Variant, looks: int) -> FollowingGain | None:
    """Return the gain of differences of ln(rate), one per block; None of none."""
    if not differences:
        return None
    change = estimate_change(differences, looks)
    return FollowingGain(over, change.frac, change.low, change.high, change.blocks, _judge_change(change))


def estimate_change(differences: Sequence[float], looks: int) -> RatioChange:
    """Return what differences of logarithms, one per block and at least one, come to."""
    count = len(differences)
    mean = math.fsum(differences) / count
    if count < _LEAST_BLOCKS:
        return RatioChange(math.expm1(mean), None, None, count)
    variance = math.fsum((each - mean) ** 2 for each in differences) / (count - 1)
    half = student_quantile(count - 1, 1 - ERROR_FRAC / looks / 2) * math.sqrt(variance / count)
    return RatioChange(math.expm1(mean), math.expm1(mean - half), math.expm1(mean + half), count)


def _judge_change(change: RatioChange) -> GainVerdict:
    """Alike comes first: a tenth of a per cent, however certain, is nothing that anybody follows for."""
    low, high = change.low, change.high
    if low is None or high is None:
        return GainVerdict.OPEN
    if low >= -ALIKE_FRAC and high <= ALIKE_FRAC:
        return GainVerdict.ALIKE
    if high < 0:
        return GainVerdict.WORSE
    return GainVerdict.BETTER if low > 0 else GainVerdict.OPEN


def _has_slack(epochs: Sequence[PeriodRate]) -> bool:
    told = [epoch.slack_frac for epoch in epochs if epoch.slack_frac is not None]
    return bool(told) and sum(told) > _MOST * len(told)


def _log_ratios(ratios: Iterable[tuple[float | None, float | None]]) -> list[float]:
    """Return ln(one / other) of those that have both."""
    return [math.log(one / other) for one, other in ratios if one and other]
