"""Days that are followed half of the time, and what the accounts say of them beside what following was worth in truth.

Truth: the same day followed throughout, against the static split throughout, without the noise of a counter, as the
mean over periods of ln(rate) of a period, which is the mean that the accounts estimate. The accounts see rates that are
4 % off in each window and drift by 5 % over half an hour, as those of a database do. Where both domains have slack it
is the time per transaction that is accounted for, and that is what is compared.
"""

import math
from typing import NamedTuple

import numpy as np

from scheduler.follow.ab_test import (
    COMPARISON_PERIOD_S,
    FollowingGain,
    GainVerdict,
    PeriodSchedule,
    RatioChange,
    Variant,
    VariantComparison,
)
from scheduler.follow.aggregation import SLACK_FRAC
from scheduler.follow.gain_model import GRID
from scheduler.follow.move_decision import MoveDecider
from scheduler.follow.split_rule import PairLimits, io_share_of
from scheduler.model.commit_counter import CommitDelta
from scheduler.stats.queueing.mva import Floats
from tests.bench.follow_days import (
    LOST_FRAC,
    RANGE,
    WINDOW_S,
    WINDOWS,
    Counters,
    Moment,
    Scene,
    bursts,
    by_day,
    rates_in,
    turns,
    waiting,
)
from tests.bench.follow_kinds import PAPER, WIDE

_ARMS = (Variant.FOLLOWING, Variant.STATIC)
_RATE_NOISE, _DRIFT, _DRIFT_WINDOWS = 0.04, 0.05, 180
_COMMITS = 100  # of each unit of the rate: counts are whole numbers


def _few_users(window: int, rng: np.random.Generator) -> Moment:
    return by_day(window, rng)._replace(users=2 + int(18 * (0.5 - 0.5 * math.cos(2 * math.pi * window / WINDOWS))))


PAPER_DAY = Scene("paper, by day", PAPER, by_day)
FEW_USERS = Scene("wide, 2 to 20 users", WIDE, _few_users)
# Not of an hour: turns that begin with an epoch lie in the minute that is not counted.
SLACK = Scene("wide, with slack: time", waiting(WIDE, 70), turns(47))
# The load changes faster than following may move: the moves that are allowed decide what following brings.
QUICK_TURNS = Scene("wide, turns of 90 s", WIDE, turns(1.5))
BURSTS = Scene("bursts", WIDE, bursts)


class Told(NamedTuple):
    """What the accounts of one day said, and what was true, of ln(throughput) and of ln(time per transaction)."""

    gain: FollowingGain
    truth: float
    time_truth: float

    @property
    def said(self) -> RatioChange:
        """What a person is told: of the rate, or of the time where both domains have slack."""
        gain = self.gain
        return gain.by_time or RatioChange(gain.frac, gain.low, gain.high, gain.blocks)

    @property
    def true(self) -> float:
        """The same in truth, a ratio minus 1."""
        return math.expm1(self.truth if self.gain.by_time is None else self.time_truth)

    @property
    def covers(self) -> bool:
        low, high = self.said.low, self.said.high
        return low is not None and high is not None and low <= self.true <= high


class _Day:
    """The same moments for everybody who follows them: of a day, or of its first windows."""

    def __init__(self, scene: Scene, seed: int, windows: int = WINDOWS) -> None:
        self.scene, self._rng = scene, np.random.default_rng(seed)
        self.moments = [scene.course(window, self._rng) for window in range(windows)]
        self._rates = [rates_in(scene, moment) for moment in self.moments]
        by_split = np.sum([np.log(rates) for rates, _ in self._rates], axis=0)
        self.static = float(GRID[int(np.argmax(by_split))])

    def lived(self, epochs: PeriodSchedule, seed: int, *, controls: bool = True) -> "_Lived":
        """Live it, each arm in its turn."""
        rng = np.random.default_rng(seed)
        follower, counters, rates, accounts = MoveDecider(RANGE), Counters(rng), _Rates(rng), VariantComparison(1)
        place, lost, arm, left = self.static, 0.0, Variant.FOLLOWING, self.static
        done, times = np.zeros(len(self.moments)), np.zeros(len(self.moments))
        for window in range(len(self.moments)):
            at_s, epoch = window * WINDOW_S, epochs.at(window * WINDOW_S)
            if epoch.arm is not arm:
                arm, before = epoch.arm, place
                place, left = (self.static, place) if arm is Variant.STATIC else (left, left)
                if place != before:
                    lost = float(rng.uniform(*LOST_FRAC))
                    follower.note_move(at_s)
            tps = float(np.interp(place, GRID, self._rates[window][0])) * (1 - lost)
            time_s, lost = self.time_s(window, tps), 0.0
            done[window], times[window] = math.log(tps), math.log(time_s)
            cost, allowed = self._rates[window][1], PairLimits(io_share_of(place), 1 - io_share_of(place))
            use = counters.use((1e-3 * tps * cost.io_ms, 1e-3 * tps * cost.guest_ms), allowed, 1.0)
            slack = max(use.of_allowed(allowed)) < SLACK_FRAC
            accounts.take(epoch, at_s + WINDOW_S, WINDOW_S, rates.counted(tps, time_s), slack=slack)
            if not controls:
                continue
            waits = None if arm is Variant.FOLLOWING else left
            decision = follower.decide(at_s + WINDOW_S, use, allowed, left=waits)
            left = left if decision.would is None else decision.would
            if decision.move is not None:
                place, lost = decision.move, float(rng.uniform(*LOST_FRAC))
                follower.note_move(at_s + WINDOW_S)
        accounts.close()
        return _Lived(done, times, accounts)

    def stood(self) -> "_Lived":
        """Return the same of the static split throughout."""
        tps = [float(np.interp(self.static, GRID, rates)) for rates, _ in self._rates]
        times = [math.log(self.time_s(window, each)) for window, each in enumerate(tps)]
        return _Lived(np.log(tps), np.array(times), VariantComparison(1))

    def time_s(self, window: int, tps: float) -> float:
        """Return what a transaction takes (Little's law), the pause of its user left out."""
        return self.moments[window].users / tps - 1e-3 * self._rates[window][1].wait_ms


class _Lived(NamedTuple):
    """ln(throughput) and ln(time per transaction) of each window, and the accounts."""

    done: Floats
    times: Floats
    accounts: VariantComparison

    @property
    def ln_rate(self) -> float:
        """Mean over periods of ln(commits per second of the period)."""
        return float(np.mean(np.log(_by_period(np.exp(self.done)))))

    @property
    def ln_time(self) -> float:
        """Mean over periods of ln(time in statements / commits of the period)."""
        commits = np.exp(self.done)
        return float(np.mean(np.log(_by_period(commits * np.exp(self.times)) / _by_period(commits))))


def _by_period(values: Floats) -> Floats:
    """Return the mean of the windows of each comparison period."""
    return values.reshape(-1, round(COMPARISON_PERIOD_S / WINDOW_S)).mean(axis=1)


class _Rates:
    """What a database counts: off by some noise, and by a drift."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng, self._drift = rng, 0.0

    def counted(self, tps: float, time_s: float) -> CommitDelta:
        steps = self._rng.standard_normal(3)
        self._drift += _DRIFT * math.sqrt(2 / _DRIFT_WINDOWS) * steps[0] - self._drift / _DRIFT_WINDOWS
        commits = _COMMITS * tps * math.exp(_RATE_NOISE * steps[1] + self._drift)
        return CommitDelta(WINDOW_S, round(commits), commits * time_s * math.exp(_RATE_NOISE * steps[2]))


def trial(scene: Scene, seed: int, *, controls: bool = True, windows: int = WINDOWS) -> Told:
    """Account for one day; the truth is that of the same day followed throughout.

    Args:
        scene: The load.
        seed: Of the moments, the periods and the noise.
        controls: False to leave the split where it is.
        windows: First windows of the day that are lived, whole periods.
    """
    day, for_s = _Day(scene, seed, windows), windows * WINDOW_S
    accounts = day.lived(PeriodSchedule(_ARMS, 50, seed, for_s), seed + 1, controls=controls).accounts
    static = day.stood()
    whole = day.lived(PeriodSchedule(_ARMS, 0, seed, for_s), seed + 2, controls=controls) if controls else static
    gain = accounts.gain(Variant.STATIC)
    assert gain is not None
    return Told(gain, whole.ln_rate - static.ln_rate, whole.ln_time - static.ln_time)


class Summary(NamedTuple):
    """Of some trials: percent."""

    true_pct: float
    bias_pct: float
    half_width_pct: float
    covered_pct: float
    better_pct: float
    worse_pct: float


def summed_up(told: list[Told]) -> Summary:
    """Return what trials came to."""
    count = len(told)
    halves = [((each.said.high or 0.0) - (each.said.low or 0.0)) / 2 for each in told]
    said = [each.gain.verdict for each in told]
    return Summary(
        100 * float(np.mean([each.true for each in told])),
        100 * float(np.mean([each.said.frac - each.true for each in told])),
        100 * float(np.mean(halves)),
        100 * sum(each.covers for each in told) / count,
        100 * said.count(GainVerdict.BETTER) / count,
        100 * said.count(GainVerdict.WORSE) / count,
    )
