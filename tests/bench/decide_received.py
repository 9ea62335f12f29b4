"""CPU that domains received in a simulated visit, as a host would tell it, right or wrong; and what the rule says.

A transaction costs each domain what it costs, whatever the split; both together are `_FILLED` full at the best one.
A starved I/O domain spends all it gets, since looking after waiting requests costs it CPU, too.
"""

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from scheduler.follow.minutes import GRID, Minute, mean_losses, minute_of
from scheduler.follow.rule import Allowed, Use
from scheduler.model.documents import VisitDone
from scheduler.model.setting import split_setting
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, IO
from scheduler.stats.between import _simple_splits
from scheduler.stats.queueing.mva import Floats
from tests.bench.follow_kinds import PAPER

_FILLED = 0.85
_SPENT = 0.97  # of what it may, by a domain that takes all it gets
_NOISE_SD = 0.03
_NEAR = 0.15  # of ln(I/O domain / guest)

Costs = Mapping[str, tuple[float, float]]
"""Load to CPU per transaction, I/O domain and guest; only their ratio means something."""

PAPER_COSTS: Costs = {"osdb-ir": PAPER[0][:2], "osdb-oltp": PAPER[1][:2]}

Pair = tuple[float, float]
Distortion = Callable[[Pair, Pair, random.Random], Pair]
"""From CPU received and CPU allowed, I/O domain first, to what is told instead."""


def _right(got: Pair, allowed: Pair, dice: random.Random) -> Pair:
    return got


def _spins(got: Pair, allowed: Pair, dice: random.Random) -> Pair:
    return _SPENT * allowed[0], got[1]


def _stolen(got: Pair, allowed: Pair, dice: random.Random) -> Pair:
    """Up to half is taken by others, now more and now less, and the host does not say so."""
    left = dice.uniform(0.5, 1.0)
    return left * got[0], left * got[1]


def _elsewhere(got: Pair, allowed: Pair, dice: random.Random) -> Pair:
    """Most of what the guest uses is counted elsewhere: the rule points to 3:1."""
    return got[0], got[1] / 12


DISTORTIONS: Mapping[str, Distortion] = {
    "right": _right,
    "spins": _spins,
    "stolen": _stolen,
    "elsewhere": _elsewhere,
}


class Received(NamedTuple):
    """What a host says of the CPU that its domains received.

    Attributes:
        costs: The truth.
        told: One of `DISTORTIONS`.
    """

    costs: Costs
    told: str = "right"

    def of(self, done: VisitDone, best_tps: float, dice: random.Random) -> Mapping[str, float]:
        """Return domain to CPUs received; the host as found is 1:1."""
        io_frac = 0.5 if done.setting is None else done.setting.split.io_frac
        allowed = (io_frac, 1 - io_frac)
        io, guest = self.costs[done.load]
        part = io / (io + guest)
        busy = _FILLED * done.mean_tps / best_tps
        io_cpus = _SPENT * io_frac if io_frac < part / 2 else min(io_frac, busy * part)
        got = (io_cpus, min(1 - io_frac, busy * (1 - part)))
        got = DISTORTIONS[self.told](got, allowed, dice)
        blurred = (cpus * math.exp(dice.gauss(0, _NOISE_SD)) for cpus in got)
        told = [min(cpus, most) for cpus, most in zip(blurred, allowed, strict=True)]
        return {IO: told[0], GUEST: told[1]}


def curve_told(visits: Sequence[VisitDone], spec: RunSpec) -> Floats | None:
    """Return ln(objective) on the grid of splits (`GRID`), 0 at its top, as the rule has it; None where it is silent.

    Of each load the curves of its visits, each with its top where the rule points, are averaged; visits in which a
    domain was starved count only where there are no others.
    """
    total = np.zeros(len(GRID))
    for load in spec.loads:
        seen = _minutes(visit for visit in visits if visit.load == load.name and visit.valid)
        calm = [minute for minute in seen if not minute.starved] or seen
        if not calm:
            return None
        total += spec.weight_of(load.name) * mean_losses(calm)
    return total - total.max()


def losses_told(visits: Sequence[VisitDone], spec: RunSpec) -> Mapping[str, float]:
    """Return what each split of the plan loses in ln(objective) as the rule has it, >= 0; empty where it is silent."""
    curve = curve_told(visits, spec)
    if curve is None:
        return {}
    return {setting.label: -float(np.interp(setting.position, GRID, curve)) for setting in spec.settings}


def split_told(visits: Sequence[VisitDone], spec: RunSpec) -> str:
    """Return the simplest split near the top of that curve; empty where one of the plan is as near, or it is silent."""
    curve = curve_told(visits, spec)
    if curve is None:
        return ""
    top = float(GRID[int(np.argmax(curve))])
    if any(abs(setting.position - top) < _NEAR for setting in spec.settings):
        return ""
    near = [split for place, split in _simple_splits() if abs(place - top) < _NEAR]
    return min(near, key=lambda split: split.io + split.guest).label


def _minutes(visits: Iterable[VisitDone]) -> list[Minute]:
    found: list[Minute] = []
    for visit in visits:
        setting = visit.setting or split_setting("1:1")
        io_frac = setting.split.io_frac
        use = Use(visit.delivered_frac[IO], visit.delivered_frac[GUEST])
        minute = minute_of(use, Allowed(io_frac, 1 - io_frac), visit.t_s)
        if minute is not None and not minute.blind:
            found.append(minute)
    return found
