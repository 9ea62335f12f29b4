"""Compare following with other variants, by whole comparison periods in blocks. Gains are ratios minus 1.

Time is cut into epochs of ten minutes. A block is an epoch of each arm in random order, drawn from a seed alone, never
from throughput; the block is what is compared, so that whatever changes from hour to hour hits all its arms alike
(switchback experiments: Bojinov, Simchi-Levi and Zhao, Management Science 69(7), 2023). Outside of blocks, following
goes on uncounted. No rate ever decides on a split.

Gain = exp(mean d) - 1, d = ln(rate of following) - ln(rate of another arm) of one block; its interval is Student's over
blocks. Windows are no replicates: counters of databases come late, and what happens lasts for minutes. Looked at
`looks` times by plan, each look has 1 - 0.05 / looks (Bonferroni), so that looking does not make findings.

Where both domains have slack the rate is what the clients ask for, and no split can change it. What a split then
changes is how long a transaction takes, so that is compared, by the same epochs, where the database tells it.
"""

import enum
import math
import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from scheduler.model.commit_counter import CommitDelta
from scheduler.stats.student import student_quantile

COMPARISON_PERIOD_S = 600.0
SKIPPED_S = 60.0  # of each epoch, at its start: what the one before left behind
_PERCENTS = (0, 10, 50)
_ALL, _SOME = 50, 10


class Variant(enum.StrEnum):
    """What is done in an epoch."""

    FOLLOWING = "following"
    STATIC = "static"
    FOUND = "found"


class ComparisonPeriod(msgspec.Struct, frozen=True):
    """Ten minutes of one arm.

    Attributes:
        number: From 0, on the run's clock.
        arm: What is done.
        block: Number of its block; None where it is not counted.
    """

    number: int
    arm: Variant = Variant.FOLLOWING
    block: int | None = None

    @property
    def begins_s(self) -> float:
        """On the run's clock."""
        return self.number * COMPARISON_PERIOD_S

    @property
    def ends_s(self) -> float:
        """On the run's clock."""
        return self.begins_s + COMPARISON_PERIOD_S


class PeriodSchedule:
    """The order of epochs of one run.

    Args:
        arms: Those that are compared; following is among them.
        account_pct: 50: every block. 10: so many of them that a tenth of the time is not following. 0: none.
        seed: What the order is drawn from.
        for_s: How long the run takes; a block that does not fit is not begun.
    """

    def __init__(self, arms: tuple[Variant, ...], account_pct: int, seed: int, for_s: float) -> None:
        if account_pct not in _PERCENTS:
            raise ValueError(f"account_pct is {account_pct}, not one of {_PERCENTS}")
        self._arms, self._seed, self._for_s = arms, seed, for_s
        others = len(arms) - 1
        self._turn = 0 if not account_pct or not others else len(arms)
        if account_pct == _SOME:
            self._turn = others * 100 // _SOME

    def at(self, elapsed_s: float) -> ComparisonPeriod:
        """Return the epoch of a moment of the run."""
        number = int(elapsed_s // COMPARISON_PERIOD_S)
        if not self._turn:
            return ComparisonPeriod(number)
        block, place = divmod(number, self._turn)
        dice = random.Random(f"{self._seed} {block}")  # the order of a block does not hang on how one came to it
        first = dice.randrange(self._turn - len(self._arms) + 1)
        order = list(self._arms)
        dice.shuffle(order)
        ends_s = (block * self._turn + first + len(order)) * COMPARISON_PERIOD_S
        if not first <= place < first + len(order) or ends_s > self._for_s:
            return ComparisonPeriod(number)
        return ComparisonPeriod(number, order[place - first], block)

    @property
    def blocks(self) -> int:
        """How many blocks fit into the run, at most."""
        return int(self._for_s // (self._turn * COMPARISON_PERIOD_S)) if self._turn else 0


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


_DAY_S = 86_400.0
_LEAST_COUNTED_FRAC = 0.5  # of an epoch after its start; else it is no measurement


def planned_looks(for_s: float) -> int:
    """Return how often a run looks at its gain: once a day, and at its end."""
    return max(1, math.ceil(for_s / _DAY_S - 1e-9))


def looks_so_far(elapsed_s: float, for_s: float) -> int:
    """Return how many looks are due by then."""
    return planned_looks(for_s) if elapsed_s >= for_s else int(elapsed_s // _DAY_S)


class VariantComparison:
    """Rates by block and arm; fed window by window.

    Args:
        looks: How many are planned.
    """

    def __init__(self, looks: int) -> None:
        self._looks = looks
        self._blocks: dict[int, dict[Variant, PeriodRate]] = {}
        self._epoch: ComparisonPeriod | None = None
        self._sums = _PeriodSums()
        self.off = ""  # why no more is counted

    def take(
        self,
        epoch: ComparisonPeriod,
        ended_s: float,
        took_s: float,
        counted: CommitDelta | None,
        *,
        slack: bool | None = None,
    ) -> PeriodRate | None:
        """Take a window; return the epoch that it ended, if it did.

        Args:
            epoch: The one in which it lay.
            ended_s: When it ended, on the run's clock.
            took_s: How long it was.
            counted: What the database did in it; None where that is not known.
            slack: Whether neither domain was near its limit; None where that is not known.
        """
        ended = self._switch_period(epoch)
        if ended_s - took_s >= epoch.begins_s + SKIPPED_S - took_s / 2:
            self._sums.take(took_s, None if self.off else counted, slack=slack)
        return ended

    def close(self) -> PeriodRate | None:
        """Return the epoch that was under way; to be called once it is over."""
        return self._switch_period(None)

    def turn_off(self, why: str) -> None:
        """Count no more: what was counted until now stays."""
        self.off = self.off or why

    def gain(self, over: Variant) -> FollowingGain | None:
        """Return what following has brought over another arm so far; None before the first whole block."""
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
    """What was counted in an epoch so far."""

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
