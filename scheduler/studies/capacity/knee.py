"""Knee of throughput over users, N95, as an interval that the trials justify.

N95 is the smallest number of users at which the mean throughput reaches 95 % of the highest within the studied range.
The knee is not fitted. In a reference simulation on curves with a limit of CPU, two straight segments and the universal
scalability law contained the true knee in only 0 to 60 of 100 trials. Instead the means at the measured numbers are
drawn at random from their estimated distribution. Each draw has a first number that reaches 95 %. The knee lies above
the number before the lowest of these, and at most at the highest: between two measured numbers the curve is unknown.

A curve may reach 95 %, dip and rise again (a lock that convoys, a cache that overflows). So a number below 95 % shows
only that its own rate is too low. Where a peak may hide between two measured numbers, the interval begins below the
gap. Assumption: up to a peak, each further user adds at most as much as the users before (a concave curve).

Trials of a block share its luck: the effect of a block is a normal deviate whose variance is `_BLOCK` times that of a
trial. The variance of a trial has a scaled inverse chi-square prior of one degree of freedom, which has the weight of
one more trial.
"""

import math
from collections.abc import Sequence
from typing import cast

import msgspec
import numpy as np

from scheduler.stats.queueing.mva import Floats

REACHED_FRAC = 0.95
TAIL_CHANCE = 0.01
"""Chance on either side that the knee lies beyond the interval. Earlier results choose the numbers to measure, so 2.5 %
per side would contain the knee in 93 of 100 searches on a falling curve (`make bench-capacity`)."""

OPEN_CHANCE = 0.05
"""Chance that only the largest number reaches 95 %, above which the range is too short for a knee."""

_BLOCK = 0.36  # of a trial's variance: 3 % where trials differ by 5 %, as blocks on real hosts do
_PRIOR_DOF, _PRIOR_SD = 1, 0.05  # of ln(throughput): assumed deviation of trials of ten seconds
_GAP = 2  # least difference of numbers with a number between them
_SURE_CHANCE = 0.95
_MAY_HIDE = 0.05  # chance of a hidden peak above which a gap is examined
_DRAWS = 2_000
_SEED = 1


class TrialRate(msgspec.Struct, frozen=True):
    """One valid trial: its block, its number of users, and ln(throughput)."""

    block: int
    users: int
    ln_rate: float


class CapacityCurve(msgspec.Struct, frozen=True):
    """Throughput over users, estimated from trials.

    Attributes:
        users: The measured numbers of users, rising.
        ln_rates: Mean of ln(throughput) at each number.
        draws: Array [draw, number] of random draws of these means.
        deviation: Deviation of a trial, of ln(throughput).
    """

    users: tuple[int, ...]
    ln_rates: tuple[float, ...]
    draws: Floats
    deviation: float

    @property
    def first_there(self) -> Floats:
        """Index of the first number that reaches 95 % of the highest, for each draw."""
        lowest = self.draws.max(axis=1, keepdims=True) + math.log(REACHED_FRAC)
        return (self.draws >= lowest).argmax(axis=1)

    @property
    def reach_chances(self) -> Floats:
        """Chance that each number reaches 95 % of the highest, 0..1."""
        lowest = self.draws.max(axis=1, keepdims=True) + math.log(REACHED_FRAC)
        return (self.draws >= lowest).mean(axis=0)

    @property
    def highest(self) -> Floats:
        """Chance that each number is the best, 0..1."""
        return np.bincount(self.draws.argmax(axis=1), minlength=len(self.users)) / len(self.draws)


class KneeInterval(msgspec.Struct, frozen=True):
    """Interval of the number of users at which the curve stops rising.

    Attributes:
        above: More users than this are needed to reach 95 %, >= 0; a peak may hide directly above.
        most: Number of users that is enough to reach 95 %.
        open_frac: Chance that only the largest number reaches 95 %, 0..1.
        highest: Throughput at the best number, with the ends of its 95 % interval.
        crossing: N* = highest / throughput of one user, with the ends of its interval: the number of users at which a
            server without waiting would saturate (Little's law). None where one user was not measured.
        falls_frac: Loss of throughput at the largest number against the best one, as a fraction, where it is certain;
            else 0.
    """

    above: int
    most: int
    open_frac: float
    highest: tuple[float, float, float]
    crossing: tuple[float, float, float] | None
    falls_frac: float

    @property
    def is_open(self) -> bool:
        """True when the range may end before the knee.

        No knee is stated or extrapolated then.
        """
        return self.open_frac > OPEN_CHANCE


def fit_curve(seen: Sequence[TrialRate], draws: int = _DRAWS) -> CapacityCurve:
    """Return the curve of trials, at least one; the same trials give the same draws.

    Mixed model equations: Henderson, Biometrics 31, 1975.

    Args:
        seen: The trials.
        draws: Number of random draws, >= 1.
    """
    users = sorted({each.users for each in seen})
    blocks = sorted({each.block for each in seen})
    count = len(users)
    terms = np.zeros((len(seen), count + len(blocks)))
    for row, each in enumerate(seen):
        terms[row, users.index(each.users)] = terms[row, count + blocks.index(each.block)] = 1.0
    rates = np.array([each.ln_rate for each in seen])
    held = np.diag([0.0] * count + [1 / _BLOCK] * len(blocks))  # Henderson, Biometrics 31, 1975
    spread = np.linalg.inv(terms.T @ terms + held)
    found = spread @ terms.T @ rates
    rest = rates - terms @ found
    squares = float(rest @ rest) + float(found[count:] @ found[count:]) / _BLOCK
    dof = len(seen) - count + _PRIOR_DOF
    squares += _PRIOR_DOF * _PRIOR_SD**2
    rng = np.random.default_rng(_SEED)
    deviations = np.sqrt(squares / rng.chisquare(dof, draws))
    root = np.linalg.cholesky(spread[:count, :count])
    drawn = found[:count] + deviations[:, None] * (rng.standard_normal((draws, count)) @ root.T)
    return CapacityCurve(tuple(users), tuple(map(float, found[:count])), drawn, math.sqrt(squares / dof))


def find_knee(curve: CapacityCurve, certain: float = TAIL_CHANCE) -> KneeInterval:
    """Return the knee of a curve.

    Args:
        curve: The curve.
        certain: Chance on either side that the knee lies beyond the interval, 0..0.5.
    """
    ordered = sorted(cast("list[int]", curve.first_there.tolist()))
    low, high = (ordered[math.ceil(part * len(ordered)) - 1] for part in (certain, 1 - certain))
    hidden = lowest_hidden_gap(curve, low)
    low = low if hidden is None else hidden + 1
    last = len(curve.users) - 1
    fall: Floats = curve.draws.max(axis=1) - curve.draws[:, last]
    falls = -math.expm1(-float(np.mean(fall))) if float(np.quantile(fall, 0.025)) > 0 and last else 0.0
    return KneeInterval(
        above=curve.users[low - 1] if low else 0,
        most=curve.users[high],
        open_frac=ordered.count(last) / len(ordered),
        highest=_median_interval(curve.draws.max(axis=1)),
        crossing=_median_interval(curve.draws.max(axis=1) - curve.draws[:, 0]) if curve.users[0] == 1 else None,
        falls_frac=falls,
    )


def lowest_hidden_gap(curve: CapacityCurve, end: int) -> int | None:
    """Return the index of the lowest number above which a peak of 95 % may hide.

    None where no gap is left.

    Args:
        curve: The curve.
        end: Index of the first number that reaches 95 %; only gaps between lower numbers are examined.
    """
    users = (0, *curve.users)
    rates = np.hstack([np.zeros((len(curve.draws), 1)), np.exp(curve.draws)])
    wanted = REACHED_FRAC * rates.max(axis=1)
    for place in range(end - 1):
        before, here, after = users[place : place + 3]
        if after - here < _GAP:
            continue
        gained = np.maximum(0.0, rates[:, place + 1] - rates[:, place]) / (here - before)
        hides = float((rates[:, place + 1] + gained * (after - 1 - here) >= wanted).mean()) > _MAY_HIDE
        falls = float((rates[:, place + 2] < rates[:, place + 1]).mean()) > _SURE_CHANCE
        if hides or falls:
            return place
    return None


def _median_interval(draws: Floats) -> tuple[float, float, float]:
    middle, low, high = (math.exp(float(np.quantile(draws, part))) for part in (0.5, 0.025, 0.975))
    return middle, low, high
