"""Days of changing loads, followed in windows of ten seconds: beside an oracle that follows at once, and one split.

Closed queueing networks, so they flatter the promise, which is of the same family; the rule itself was checked on
another simulation and on a real sweep. What is made worse than life: counters 3 % off and drifting by 4 %, a part of a
window lost with each move, a start at 1:1, the wide range.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from scheduler.follow.gain_model import GRID
from scheduler.follow.move_decision import FollowBounds, MoveDecider
from scheduler.follow.split_rule import WIDEST, PairLimits, PairUsage, io_share_of
from scheduler.stats.queueing.mva import Floats, solve_networks
from tests.bench.follow_kinds import LOCAL, PAPER, WIDE, Kind, Kinds, mixed

WINDOW_S = 10.0
WINDOWS = 8640
USERS = 8
_NOISE, _DRIFT, _DRIFT_WINDOWS = 0.03, 0.04, 180
LOST_FRAC = (0.07, 0.20)
_STEPS = 50  # a mix is taken to the fiftieth
_EVEN = len(GRID) // 2  # place of 1:1
RANGE = FollowBounds(low=-WIDEST, high=WIDEST)


class Moment(NamedTuple):
    """What there is in one window: the part of the transactions of the first kind, users, the part others take."""

    part: float
    users: int = USERS
    others_frac: float = 0.0


Course = Callable[[int, np.random.Generator], Moment]


class Scene(NamedTuple):
    """A machine and its day.

    Attributes:
        name: What the table calls it.
        kinds: Two kinds of load.
        course: What there is at each window.
        spins: The I/O domain takes all that it may, whatever it needs. Beside a guest that does, too, nothing can be
            told, so that the split stays where it was found, good or bad.
        weights: The split is of weights, not of limits.
        least: Least percent of the oracle; None, here and below, where nothing is promised.
        gain: Least gain over the best static split, percent.
        over_start: Least gain over the split that it began at: a load that shows nothing is left where it is.
        moves_per_h: Most moves an hour.
    """

    name: str
    kinds: Kinds
    course: Course
    spins: bool = False
    weights: bool = False
    least: float | None = None
    gain: float | None = None
    over_start: float | None = None
    moves_per_h: float | None = None


class Day(NamedTuple):
    """What following a day came to.

    Attributes:
        of_oracle_pct: Throughput of each window over that of an oracle that follows at once, mean.
        gain_pct: Over the best static split, by the mean of ln(throughput): as much more as less counts alike.
        over_start_pct: Likewise over the split that it began at.
        moves_per_h: Moves an hour.
    """

    of_oracle_pct: float
    gain_pct: float
    over_start_pct: float
    moves_per_h: float


def turns(minutes: float) -> Course:
    """Return a course that turns from one kind to the other."""
    return lambda window, rng: Moment(float(int(window * WINDOW_S / 60 // minutes) % 2))


def by_day(window: int, rng: np.random.Generator) -> Moment:
    """A mix that goes round in a day, and wavers; by night there are half the users."""
    part = 0.5 + 0.5 * math.sin(2 * math.pi * window / WINDOWS) + 0.05 * float(rng.standard_normal())
    awake = 0.5 - 0.5 * math.cos(2 * math.pi * window / WINDOWS)
    return Moment(min(1.0, max(0.0, part)), round(USERS / 2 * (1 + awake)))


def constant(window: int, rng: np.random.Generator) -> Moment:
    """Nothing changes."""
    del window, rng
    return Moment(0.5)


def _readers(window: int, rng: np.random.Generator) -> Moment:
    return constant(window, rng)._replace(part=0.8)


def bursts(window: int, rng: np.random.Generator) -> Moment:
    """All users for three minutes, one for the next three."""
    return by_day(window, rng)._replace(users=1 if window // 18 % 2 else USERS)


def _neighbours(window: int, rng: np.random.Generator) -> Moment:
    return by_day(window, rng)._replace(others_frac=0.15 + 0.30 * (window // 90 % 2))


def waiting(kinds: Kinds, wait_ms: float) -> Kinds:
    """Return the same with users who pause so long after a transaction."""
    return kinds[0]._replace(wait_ms=wait_ms), kinds[1]._replace(wait_ms=wait_ms)


SCENES = (
    Scene("paper, by day", PAPER, by_day, least=98.5, moves_per_h=3),
    Scene("paper, turns of 1 h", PAPER, turns(60), least=98.5, moves_per_h=3),
    Scene("local, by day", LOCAL, by_day, gain=-0.5),
    Scene("nothing changes", PAPER, constant, gain=-1.5, moves_per_h=0.5),
    Scene("wide, by day", WIDE, by_day, least=97.5),
    Scene("wide, turns of 1 h", WIDE, turns(60), least=97.5),
    Scene("wide, turns of 10 min", WIDE, turns(10), least=93),
    Scene("wide, turns of 1 min", WIDE, turns(1), gain=-3),
    Scene("light load", waiting(WIDE, 40), by_day, least=97.5),
    Scene("nearly idle", waiting(WIDE, 400), by_day, moves_per_h=0),
    Scene("bursts", WIDE, bursts, least=97.5),
    Scene("neighbours", WIDE, _neighbours, least=97.5),
    Scene("it spins, I/O-bound", WIDE, _readers, spins=True, gain=-6),
    Scene("it spins, guest-bound", PAPER, by_day, spins=True, over_start=-1),
    Scene("weights, no neighbour", WIDE, by_day, weights=True, moves_per_h=0),
)


@cache
def _rates(kinds: Kinds, step: int, users: int, left: float) -> tuple[Floats, Kind]:
    """Return throughput by split, per second, and what a transaction costs."""
    cost, io_frac = mixed(kinds, step / _STEPS), 1 / (1 + np.exp(-GRID))
    demands_s = 1e-3 * np.stack([cost.io_ms / io_frac, cost.guest_ms / (1 - io_frac)], axis=1) / left
    return solve_networks(demands_s, 1e-3 * cost.wait_ms, users).tps, cost


def rates_in(scene: Scene, moment: Moment) -> tuple[Floats, Kind]:
    """Return throughput by split in one window, per second, and what a transaction costs."""
    return _rates(scene.kinds, round(_STEPS * moment.part), moment.users, 1.0 - moment.others_frac)


class Counters:
    """What counters show of the CPU that was used: off by some noise, and by a drift."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng, self._drift = rng, np.zeros(2)

    def use(self, used: tuple[float, float], allowed: PairLimits, left: float) -> PairUsage:
        steps = self._rng.standard_normal((2, 2))
        self._drift += _DRIFT * math.sqrt(2 / _DRIFT_WINDOWS) * steps[0] - self._drift / _DRIFT_WINDOWS
        io, guest = np.array(used) * np.exp(_NOISE * steps[1] + self._drift)
        return PairUsage(min(allowed.io_cpus * left, float(io)), min(allowed.guest_cpus * left, float(guest)), left)


def follow(scene: Scene, seed: int) -> Day:
    """Follow one day, from 1:1."""
    rng = np.random.default_rng(seed)
    follower, counters = MoveDecider(RANGE), Counters(rng)
    place, moves, lost_frac = 0.0, 0, 0.0
    done, of_oracle, static = 0.0, 0.0, np.zeros(len(GRID))
    for window in range(WINDOWS):
        moment, at_s = scene.course(window, rng), window * WINDOW_S
        left = 1.0 - moment.others_frac
        rates, cost = rates_in(scene, moment)
        tps = float(np.interp(place, GRID, rates))
        done += math.log(tps * (1 - lost_frac))
        of_oracle += tps * (1 - lost_frac) / float(rates.max())
        static += np.log(rates)
        allowed = PairLimits(io_share_of(place), 1 - io_share_of(place))
        io_cpus = allowed.io_cpus * left if scene.spins else 1e-3 * tps * cost.io_ms
        seen = counters.use((io_cpus, 1e-3 * tps * cost.guest_ms), allowed, left)
        decision = follower.decide(at_s, seen, allowed, decides=not scene.weights or moment.others_frac > 0)
        lost_frac = 0.0
        if decision.move is not None:
            place, moves, lost_frac = decision.move, moves + 1, float(rng.uniform(*LOST_FRAC))
            follower.note_move(at_s)
    gain, over_start = (100 * math.expm1((done - float(other)) / WINDOWS) for other in (static.max(), static[_EVEN]))
    return Day(100 * of_oracle / WINDOWS, gain, over_start, moves / (WINDOWS * WINDOW_S / 3600))
