"""The knee of throughput over users, N95, as an interval that trials justify.

N95 is the smallest number of users at which the mean throughput reaches 95 % of the highest within the studied range.
It is not fitted: two straight segments and the universal scalability law hold the true one in 0 to 60 of 100 trials on
curves that a limit of CPU makes (reference simulation). Instead the means at the measured numbers are drawn from what
the trials leave open, each draw has a first number that reaches 95 %, and the knee lies above the number before the
lowest of these, and at most at the highest: between two measured numbers the curve is unknown.

A curve may reach 95 %, dip and rise again (a lock that convoys, a cache that overflows). So a number below 95 % shows
only that its own rate is too low. Where a peak may hide between two measured numbers, the interval begins below the
gap. Assumption: up to a peak, each further user adds at most as much as the users before (a concave curve).

Trials of a block share its luck: a block's part is a normal deviate with a variance of `_BLOCK` that of a trial. A
trial's variance has a scaled inverse chi-square prior of one degree of freedom: it weighs as much as one trial more.
"""

import math
from collections.abc import Sequence
from typing import cast

import msgspec
import numpy as np

from scheduler.stats.queueing.mva import Floats

REACHED_FRAC = 0.95
TAIL_CHANCE = 0.01
"""Chance on either side that the knee lies beyond the interval: where to look was chosen by what was seen, so that
2.5 % a side hold it in 93 of 100 searches on a curve that falls (`make bench-capacity`)."""

OPEN_CHANCE = 0.05
"""Chance that only the highest number reaches 95 %, beyond which the range is called too short for a knee."""

_BLOCK = 0.36  # of a trial's variance: 3 % where trials differ by 5 %, as blocks on real hosts do
_PRIOR_DOF, _PRIOR_SD = 1, 0.05  # of ln(throughput): what trials of ten seconds differ by before any was made
_GAP = 2  # of numbers that are not adjacent
_SURE_CHANCE = 0.95
_MAY_HIDE = 0.05  # chance from which on a peak in a gap is looked for
_DRAWS = 2_000
_SEED = 1


class TrialRate(msgspec.Struct, frozen=True):
    """One valid trial: its block, how many users there were, and ln(throughput)."""

    block: int
    users: int
    ln_rate: float


class CapacityCurve(msgspec.Struct, frozen=True):
    """What trials say of throughput over users.

    Attributes:
        users: The numbers of users that were measured, rising.
        ln_rates: Mean of ln(throughput) at each.
        draws: Array [draw, number], of these means.
        deviation: Of a trial, of ln(throughput).
    """

    users: tuple[int, ...]
    ln_rates: tuple[float, ...]
    draws: Floats
    deviation: float

    @property
    def first_there(self) -> Floats:
        """For each draw the place of the first number that reaches 95 % of the highest."""
        lowest = self.draws.max(axis=1, keepdims=True) + math.log(REACHED_FRAC)
        return (self.draws >= lowest).argmax(axis=1)

    @property
    def reach_chances(self) -> Floats:
        """For each number the chance that it reaches 95 % of the highest."""
        lowest = self.draws.max(axis=1, keepdims=True) + math.log(REACHED_FRAC)
        return (self.draws >= lowest).mean(axis=0)

    @property
    def highest(self) -> Floats:
        """For each number the chance that it is the best."""
        return np.bincount(self.draws.argmax(axis=1), minlength=len(self.users)) / len(self.draws)


class KneeInterval(msgspec.Struct, frozen=True):
    """Where the curve stops rising.

    Attributes:
        above: More users than this are needed to reach 95 %, >= 0; a peak may hide directly above.
        most: So many are enough.
        open_frac: Chance that only the highest number reaches it, 0..1.
        highest: Throughput at the best number, with the 95 % interval.
        crossing: N* = highest / throughput of one user, with its interval: how many users a server without any loss
            of time would carry (Little's law); None where one user was not measured.
        falls_frac: How much less there is at the highest number than at the best one, where that is certain; else 0.
    """

    above: int
    most: int
    open_frac: float
    highest: tuple[float, float, float]
    crossing: tuple[float, float, float] | None
    falls_frac: float

    @property
    def is_open(self) -> bool:
        """True when the range may end before the knee: no knee is named then, and none is extrapolated."""
        return self.open_frac > OPEN_CHANCE


def fit_curve(seen: Sequence[TrialRate], draws: int = _DRAWS) -> CapacityCurve:
    """Return the curve of some trials, at least one; the same trials give the same draws."""
    users = sorted({each.users for each in seen})
    blocks = sorted({each.block for each in seen})
    count = len(users)
    terms = np.zeros((len(seen), count + len(blocks)))
    for row, each in enumerate(seen):
        terms[row, users.index(each.users)] = terms[row, count + blocks.index(each.block)] = 1.0
    rates = np.array([each.ln_rate for each in seen])
    held = np.diag([0.0] * count + [1 / _BLOCK] * len(blocks))  # mixed model equations (Henderson, Biometrics 31, 1975)
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
        certain: Chance on either side that it lies beyond.
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
    """Return the place of the lowest number above which a peak of 95 % may hide; None where no gap is left.

    Args:
        curve: The curve.
        end: Place of the first number that reaches 95 %; gaps between lower numbers are looked at.
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
