"""Days that are followed half of the time, and what the accounts say of them beside what following was worth in truth.

Truth: the same day followed throughout, against the static split throughout, without the noise of a counter. The
accounts see rates that are 4 % off in each window and drift by 5 % over half an hour, as those of a database do.
"""

import math
from typing import NamedTuple

import numpy as np

from scheduler.follow.accounting import Accounts, Gain, Verdict
from scheduler.follow.epochs import Arm, Epochs
from scheduler.follow.following import Follower
from scheduler.follow.minutes import GRID
from scheduler.follow.rule import Allowed, share_of
from scheduler.stats.queueing.mva import Floats
from tests.bench.follow_days import (
    LOST_FRAC,
    RANGE,
    WINDOW_S,
    WINDOWS,
    Counters,
    Moment,
    Scene,
    by_day,
    rates_in,
)
from tests.bench.follow_kinds import PAPER, WIDE

_ARMS = (Arm.FOLLOWING, Arm.STATIC)
_RATE_NOISE, _DRIFT, _DRIFT_WINDOWS = 0.04, 0.05, 180
_COMMITS = 100  # of each unit of the rate: counts are whole numbers
_DAY_S = WINDOWS * WINDOW_S


def _few_users(window: int, rng: np.random.Generator) -> Moment:
    return by_day(window, rng)._replace(users=2 + int(18 * (0.5 - 0.5 * math.cos(2 * math.pi * window / WINDOWS))))


SCENES = (Scene("paper, by day", PAPER, by_day), Scene("wide, 2 to 20 users", WIDE, _few_users))


class Told(NamedTuple):
    """What the accounts of one day said, and what was true, of ln(throughput)."""

    gain: Gain
    truth: float

    @property
    def covers(self) -> bool:
        low, high = self.gain.low, self.gain.high
        return low is not None and high is not None and low <= math.expm1(self.truth) <= high


class _Day:
    """The same moments for everybody who follows them."""

    def __init__(self, scene: Scene, seed: int) -> None:
        self.scene, self._rng = scene, np.random.default_rng(seed)
        self.moments = [scene.course(window, self._rng) for window in range(WINDOWS)]
        self._rates = [rates_in(scene, moment) for moment in self.moments]
        by_split = np.sum([np.log(rates) for rates, _ in self._rates], axis=0)
        self.static = float(GRID[int(np.argmax(by_split))])

    def lived(self, epochs: Epochs, seed: int, *, controls: bool = True) -> tuple[Floats, Accounts]:
        """Live it; return ln(throughput) of each window, and the accounts."""
        rng = np.random.default_rng(seed)
        follower, counters, accounts = Follower(RANGE), Counters(rng), Accounts(1)
        place, lost, drift, arm, wish = self.static, 0.0, 0.0, Arm.FOLLOWING, self.static
        done = np.zeros(WINDOWS)
        for window in range(WINDOWS):
            at_s, epoch = window * WINDOW_S, epochs.at(window * WINDOW_S)
            if epoch.arm is not arm:
                arm, before = epoch.arm, place
                place = self.static if arm is Arm.STATIC else wish
                if place != before:
                    lost = float(rng.uniform(*LOST_FRAC))
                    follower.moved(at_s)
            tps = float(np.interp(place, GRID, self._rates[window][0])) * (1 - lost)
            done[window], lost = math.log(tps), 0.0
            drift += _DRIFT * math.sqrt(2 / _DRIFT_WINDOWS) * rng.standard_normal() - drift / _DRIFT_WINDOWS
            seen = tps * math.exp(_RATE_NOISE * rng.standard_normal() + drift)
            accounts.take(epoch, at_s + WINDOW_S, WINDOW_S, round(_COMMITS * seen))
            if not controls:
                continue
            cost, allowed = self._rates[window][1], Allowed(share_of(place), 1 - share_of(place))
            use = counters.use((1e-3 * tps * cost.io_ms, 1e-3 * tps * cost.guest_ms), allowed, 1.0)
            decision = follower.take(at_s + WINDOW_S, use, allowed, moves=arm is Arm.FOLLOWING)
            if decision.wish is not None:
                wish = decision.wish
            if decision.move is not None:
                place, lost = decision.move, float(rng.uniform(*LOST_FRAC))
                follower.moved(at_s + WINDOW_S)
        accounts.close()
        return done, accounts


def trial(scene: Scene, seed: int, *, controls: bool = True) -> Told:
    """Account for one day; the truth is that of the same day followed throughout."""
    day = _Day(scene, seed)
    _, accounts = day.lived(Epochs(_ARMS, 50, seed, _DAY_S), seed + 1, controls=controls)
    whole, _ = day.lived(Epochs(_ARMS, 0, seed, _DAY_S), seed + 2, controls=controls)
    static = [math.log(float(np.interp(day.static, GRID, rates_in(scene, moment)[0]))) for moment in day.moments]
    gain = accounts.gain(Arm.STATIC)
    assert gain is not None
    return Told(gain, float(np.mean(whole - np.array(static))))


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
    halves = [((each.gain.high or 0.0) - (each.gain.low or 0.0)) / 2 for each in told]
    said = [each.gain.verdict for each in told]
    return Summary(
        100 * float(np.mean([math.expm1(each.truth) for each in told])),
        100 * float(np.mean([each.gain.frac - math.expm1(each.truth) for each in told])),
        100 * float(np.mean(halves)),
        100 * sum(each.covers for each in told) / count,
        100 * said.count(Verdict.BETTER) / count,
        100 * said.count(Verdict.WORSE) / count,
    )
