"""Comparison of following with other variants, by whole comparison periods.

The run consists of comparison periods of ten minutes. A block holds one period of each variant in random order. The
order comes from a seed alone, never from throughput. The block is the unit of comparison, so that hourly changes of the
load affect all variants alike. Such designs are called switchback experiments (Bojinov, Simchi-Levi and Zhao,
Management Science 69(7), 2023). Outside blocks, following continues and is not counted. No rate ever decides on a
split.

A gain is a ratio minus 1: exp(mean d) - 1. d is ln(rate of following) - ln(rate of another variant) of one block. The
interval of the gain is Student's over blocks. Windows are no replicates: database counters lag, and disturbances last
minutes. With `looks` planned looks, each look has the level 1 - 0.05 / looks (Bonferroni), against false findings.

Where both domains have slack, the clients determine the rate, and no split can change the rate. A split then changes
the time per transaction. That time is compared by the same periods, if the database reports the time.
"""

import enum
import math
import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from scheduler.model.commit_counter import CommitDelta
from scheduler.stats.student import student_quantile
from scheduler.translation import _

COMPARISON_PERIOD_S = 600.0
SKIPPED_S = 60.0  # at the start of each period: effects of the period before
_PERCENTS = (0, 10, 50)
_ALL, _SOME = 50, 10


class Variant(enum.StrEnum):
    """Variant of a comparison period."""

    FOLLOWING = "following"
    STATIC = "static"
    FOUND = "found"


class ComparisonPeriod(msgspec.Struct, frozen=True):
    """Ten minutes of one variant.

    Attributes:
        number: Index of the period, >= 0, counted on the run's clock.
        arm: The variant.
        block: Number of the period's block; None for a period that is not counted.
    """

    number: int
    arm: Variant = Variant.FOLLOWING
    block: int | None = None

    @property
    def begins_s(self) -> float:
        """Start of the period on the run's clock, seconds."""
        return self.number * COMPARISON_PERIOD_S

    @property
    def ends_s(self) -> float:
        """End of the period on the run's clock, seconds."""
        return self.begins_s + COMPARISON_PERIOD_S


class PeriodSchedule:
    """Order of the comparison periods of one run.

    Args:
        arms: The compared variants, following among them.
        account_pct: 50: every period is counted. 10: a tenth of the time is not following. 0: no period is counted.
        seed: Seed of the random order.
        for_s: Length of the run, seconds; a block that does not fit does not begin.

    Raises:
        ValueError: `account_pct` is not 0, 10 or 50.
    """

    def __init__(self, arms: tuple[Variant, ...], account_pct: int, seed: int, for_s: float) -> None:
        if account_pct not in _PERCENTS:
            raise ValueError(
                _("account_pct is {account_pct}, not one of {percents}").format(
                    account_pct=account_pct, percents=_PERCENTS
                )
            )
        self._arms, self._seed, self._for_s = arms, seed, for_s
        others = len(arms) - 1
        self._turn = 0 if not account_pct or not others else len(arms)
        if account_pct == _SOME:
            self._turn = others * 100 // _SOME

    def at(self, elapsed_s: float) -> ComparisonPeriod:
        """Return the comparison period at a time of the run, seconds."""
        number = int(elapsed_s // COMPARISON_PERIOD_S)
        if not self._turn:
            return ComparisonPeriod(number)
        block, place = divmod(number, self._turn)
        dice = random.Random(f"{self._seed} {block}")  # the order of a block must not depend on the blocks before
        first = dice.randrange(self._turn - len(self._arms) + 1)
        order = list(self._arms)
        dice.shuffle(order)
        ends_s = (block * self._turn + first + len(order)) * COMPARISON_PERIOD_S
        if not first <= place < first + len(order) or ends_s > self._for_s:
            return ComparisonPeriod(number)
        return ComparisonPeriod(number, order[place - first], block)

    @property
    def blocks(self) -> int:
        """Largest number of blocks that fit into the run."""
        return int(self._for_s // (self._turn * COMPARISON_PERIOD_S)) if self._turn else 0


ERROR_FRAC = 0.05
ALIKE_FRAC = 0.02  # a gain within this tolerance counts as none
_LEAST_BLOCKS = 3  # with two, Student's interval is too wide for any finding
_MOST = 0.5  # of the windows


class GainVerdict(enum.StrEnum):
    """Result of a planned look."""

    BETTER = "better"
    WORSE = "worse"
    ALIKE = "alike"  # the interval lies within the tolerance
    OPEN = "open"


class RatioChange(msgspec.Struct, frozen=True):
    """Ratio minus 1 over some blocks, with its interval.

    Attributes:
        frac: The change, > -1; 0.02 for 2 % more.
        low: Lower end of the interval, in the same unit; None with too few blocks.
        high: Upper end of the interval, in the same unit; None with too few blocks.
        blocks: Number of blocks, >= 1.
    """

    frac: float
    low: float | None
    high: float | None
    blocks: int


class FollowingGain(msgspec.Struct, frozen=True):
    """Gain of following over another variant.

    Attributes:
        over: The other variant.
        frac: Change of throughput, > -1; 0.02 for 2 % more.
        low: Lower end of the interval, in the same unit; None with too few blocks.
        high: Upper end of the interval, in the same unit; None with too few blocks.
        blocks: Number of blocks, >= 1.
        verdict: Verdict on throughput; on the time per transaction if that is known and both domains have slack.
        slack: True when both domains had slack most of the time under both variants, so that the clients set the rate.
        time: Change of the time per transaction, where more is worse; None when no block has such times.
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
        """Change of the time per transaction when the verdict rests on it, else None."""
        return self.time if self.slack else None


class PeriodRate(msgspec.Struct, frozen=True):
    """Rate of one comparison period.

    Attributes:
        epoch: The comparison period.
        rate_tps: Commits per second after the first minute; None when too little of the period was counted.
        transaction_s: Time in statements per commit, seconds; None when it is not known, or nothing was committed.
        slack_frac: Share of windows in which neither domain was near its limit, 0..1; None when no window shows it.
    """

    epoch: ComparisonPeriod
    rate_tps: float | None
    transaction_s: float | None = None
    slack_frac: float | None = None


class PeriodPair(NamedTuple):
    """Two comparison periods of one block with rates: following, and another variant."""

    following: PeriodRate
    other: PeriodRate


def compare_pairs(pairs: Sequence[PeriodPair], over: Variant, looks: int) -> FollowingGain | None:
    """Return the gain of following by pairs of periods; None without pairs.

    Args:
        pairs: One pair of each block; every rate is > 0.
        over: The other variant.
        looks: Number of planned looks, >= 1.
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
    """Return the gain from differences of ln(rate); None without differences.

    Args:
        differences: ln(rate of following / rate of the other variant), one per block.
        over: The other variant.
        looks: Number of planned looks, >= 1.
    """
    if not differences:
        return None
    change = estimate_change(differences, looks)
    return FollowingGain(over, change.frac, change.low, change.high, change.blocks, _judge_change(change))


def estimate_change(differences: Sequence[float], looks: int) -> RatioChange:
    """Return the ratio change from differences of logarithms, with Student's interval.

    Args:
        differences: One per block, at least one.
        looks: Number of planned looks, >= 1.
    """
    count = len(differences)
    mean = math.fsum(differences) / count
    if count < _LEAST_BLOCKS:
        return RatioChange(math.expm1(mean), None, None, count)
    variance = math.fsum((each - mean) ** 2 for each in differences) / (count - 1)
    half = student_quantile(count - 1, 1 - ERROR_FRAC / looks / 2) * math.sqrt(variance / count)
    return RatioChange(math.expm1(mean), math.expm1(mean - half), math.expm1(mean + half), count)


def _judge_change(change: RatioChange) -> GainVerdict:
    """Return the verdict of an interval.

    `ALIKE` comes first: a tenth of a per cent, however certain, is no reason to follow.
    """
    low, high = change.low, change.high
    if low is None or high is None:
        return GainVerdict.OPEN
    if low >= -ALIKE_FRAC and high <= ALIKE_FRAC:
        return GainVerdict.ALIKE
    if high < 0:
        return GainVerdict.WORSE
    return GainVerdict.BETTER if low > 0 else GainVerdict.OPEN


def _has_slack(epochs: Sequence[PeriodRate]) -> bool:
    reported = [epoch.slack_frac for epoch in epochs if epoch.slack_frac is not None]
    return bool(reported) and sum(reported) > _MOST * len(reported)


def _log_ratios(ratios: Iterable[tuple[float | None, float | None]]) -> list[float]:
    """Return ln(one / other) of the pairs that have both values."""
    return [math.log(one / other) for one, other in ratios if one and other]


_DAY_S = 86_400.0
_LEAST_COUNTED_FRAC = 0.5  # of a period after its start; less is no measurement


def planned_looks(for_s: float) -> int:
    """Return the number of looks at the gain: one a day, and one at the end."""
    return max(1, math.ceil(for_s / _DAY_S - 1e-9))


def looks_so_far(elapsed_s: float, for_s: float) -> int:
    """Return the number of looks up to a time of the run.

    Args:
        elapsed_s: Time since the start of the run, seconds, >= 0.
        for_s: Length of the run, seconds.
    """
    return planned_looks(for_s) if elapsed_s >= for_s else int(elapsed_s // _DAY_S)


class VariantComparison:
    """Rates by block and variant, collected window by window.

    Args:
        looks: Number of planned looks, >= 1.

    Attributes:
        off: Reason why nothing more is counted; empty while counting goes on.
    """

    def __init__(self, looks: int) -> None:
        self._looks = looks
        self._blocks: dict[int, dict[Variant, PeriodRate]] = {}
        self._epoch: ComparisonPeriod | None = None
        self._sums = _PeriodSums()
        self.off = ""

    def take(
        self,
        epoch: ComparisonPeriod,
        ended_s: float,
        took_s: float,
        counted: CommitDelta | None,
        *,
        slack: bool | None = None,
    ) -> PeriodRate | None:
        """Add a window; return the comparison period that it ended, else None.

        Args:
            epoch: The comparison period of the window.
            ended_s: End of the window on the run's clock, seconds.
            took_s: Length of the window, seconds.
            counted: Commits of the window; None when they are not known.
            slack: True when neither domain was near its limit; None when that is not known.
        """
        ended = self._switch_period(epoch)
        if ended_s - took_s >= epoch.begins_s + SKIPPED_S - took_s / 2:
            self._sums.take(took_s, None if self.off else counted, slack=slack)
        return ended

    def close(self) -> PeriodRate | None:
        """Return the last comparison period at the end of the run."""
        return self._switch_period(None)

    def turn_off(self, why: str) -> None:
        """Stop counting; rates counted until now remain."""
        self.off = self.off or why

    def gain(self, over: Variant) -> FollowingGain | None:
        """Return the gain over another variant so far; None before a whole block."""
        whole = [block for block in self._blocks.values() if Variant.FOLLOWING in block and over in block]
        return compare_pairs([PeriodPair(block[Variant.FOLLOWING], block[over]) for block in whole], over, self._looks)

    def _switch_period(self, epoch: ComparisonPeriod | None) -> PeriodRate | None:
        before, sums = self._epoch, self._sums
        if before == epoch:
            return None
        self._epoch, self._sums = epoch, _PeriodSums()
        if before is None or before.block is None:
            return None
        rate = sums.over(before)
        if rate.rate_tps:
            self._blocks.setdefault(before.block, {})[before.arm] = rate
        return rate


class _PeriodSums:
    """Sums of one comparison period so far."""

    def __init__(self) -> None:
        self._passed_s = self._counted_s = self._timed_s = self._active_s = 0.0
        self._commits = self._timed = 0
        self._told = self._slack = 0

    def take(self, took_s: float, counted: CommitDelta | None, *, slack: bool | None) -> None:
        self._passed_s += took_s
        self._told += slack is not None
        self._slack += slack is True
        if counted is None:
            return
        self._commits += counted.commits
        self._counted_s += took_s
        if counted.active_s is not None:
            self._timed += counted.commits
            self._timed_s += took_s
            self._active_s += counted.active_s

    def over(self, epoch: ComparisonPeriod) -> PeriodRate:
        least_s = _LEAST_COUNTED_FRAC * (epoch.ends_s - epoch.begins_s - SKIPPED_S)
        enough = self._counted_s >= least_s and self._passed_s >= least_s
        timed = self._timed_s >= least_s and self._timed > 0
        return PeriodRate(
            epoch,
            rate_tps=self._commits / self._counted_s if enough else None,
            transaction_s=self._active_s / self._timed if timed else None,
            slack_frac=self._slack / self._told if self._told else None,
        )
