"""Pearson's correlation over few items, with its uncertainty.

The interval is Fisher's (Metron 1, 1921), widened so that the intervals of all tested correlations hold together at 95
% (Bonferroni). The interval assumes a normal distribution, which slowdowns do not have. So a claim needs two more
conditions. Shuffled items must hardly ever correlate as strongly (a permutation test, adjusted after Holm). No single
item may be the cause of the correlation.
"""

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler.stats.holm_correction import adjust_chances

FEWEST_ITEMS = 6
"""Least number of items for a correlation: the 120 orders of five items are too few for six tests."""

_Floats = NDArray[np.float64]
_ERROR_CHANCE = 0.05
_SHUFFLES = 10_000
_SEED = 1
_STILL = 1e-12  # range, as a fraction of the largest value, that is a rounding error


class CounterCorrelation(msgspec.Struct, frozen=True, kw_only=True):
    """Correlation of two figures over items.

    Attributes:
        r: Pearson's correlation, -1..1.
        interval: Its interval; the intervals of all tests hold together at 95 %.
        items: Number of items.
        chance: Probability that shuffled items correlate as strongly in any of the tests, 0..1.
        without: The item whose removal moves r nearest to 0, and r without that item.
        carried: True where r without that item cannot be distinguished from 0 by a single test.
    """

    r: float
    interval: tuple[float, float]
    items: int
    chance: float
    without: tuple[str, float]
    carried: bool

    @property
    def claimed(self) -> bool:
        """True where the correlation may be claimed."""
        return not self.interval[0] <= 0 <= self.interval[1] and self.chance < _ERROR_CHANCE and not self.carried


def correlate_counters(
    y: Mapping[str, float], xs: Mapping[str, Mapping[str, float]]
) -> dict[str, CounterCorrelation | None]:
    """Return the correlation of `y` with each of `xs`, by their names.

    Args:
        y: Item to its figure.
        xs: Name to item to figure; an item without a figure is left out for that name.

    Returns:
        None for a name with fewer than `FEWEST_ITEMS` common items, or where a figure does not vary.
    """
    tried: dict[str, tuple[list[str], _Floats, _Floats]] = {}
    for name, x in xs.items():
        items = [item for item in y if item in x]
        mine, theirs = (np.array([values[item] for item in items], float) for values in (x, y))
        if len(items) >= FEWEST_ITEMS and _is_varying(mine) and _is_varying(theirs):
            tried[name] = (items, mine, theirs)
    rng = np.random.default_rng(_SEED)
    chances = adjust_chances([_permutation_chance(x, y, rng) for _, x, y in tried.values()])
    found: dict[str, CounterCorrelation | None] = dict.fromkeys(xs)
    for (name, (items, mine, theirs)), chance in zip(tried.items(), chances, strict=True):
        found[name] = _correlate_items(items, mine, theirs, chance, len(tried))
    return found


def fisher_interval(r: float, items: int, tests: int = 1) -> tuple[float, float]:
    """Return Fisher's interval of a correlation.

    Args:
        r: Pearson's correlation, -1..1.
        items: Number of items, >= 4.
        tests: Number of tests that must hold together at 95 %, >= 1.
    """
    middle = math.atanh(max(-1 + 1e-15, min(1 - 1e-15, r)))
    half = NormalDist().inv_cdf(1 - _ERROR_CHANCE / 2 / tests) / math.sqrt(items - 3)
    return math.tanh(middle - half), math.tanh(middle + half)


def _correlate_items(items: Sequence[str], x: _Floats, y: _Floats, chance: float, tests: int) -> CounterCorrelation:
    r = _pearson_r(x, y)
    rests = [(_pearson_r(np.delete(x, place), np.delete(y, place)), item) for place, item in enumerate(items)]
    least, item = min(rests, key=lambda rest: rest[0] * math.copysign(1.0, r))
    low, high = fisher_interval(least, len(items) - 1)
    return CounterCorrelation(
        r=r,
        interval=fisher_interval(r, len(items), tests),
        items=len(items),
        chance=chance,
        without=(item, least),
        carried=low <= 0 <= high or least * r < 0,
    )


def _pearson_r(x: _Floats, y: _Floats) -> float:
    """Return Pearson's correlation; 0 where a figure does not vary."""
    if not (_is_varying(x) and _is_varying(y)):
        return 0.0
    x, y = x - x.mean(), y - y.mean()
    return float(x @ y / math.sqrt(float(x @ x) * float(y @ y)))


def _permutation_chance(x: _Floats, y: _Floats, rng: np.random.Generator) -> float:
    """Return the probability that shuffled items correlate at least as strongly.

    Source: Phipson and Smyth, SAGMB 9(1), 2010.
    """
    x, y = x - x.mean(), y - y.mean()
    shuffled = rng.permuted(np.tile(x, (_SHUFFLES, 1)), axis=1) @ y
    as_strong = int((np.abs(shuffled) >= abs(float(x @ y)) * (1 - _STILL)).sum())
    return (1 + as_strong) / (1 + _SHUFFLES)


def _is_varying(values: _Floats) -> bool:
    return bool(np.ptp(values) > _STILL * np.abs(values).max()) if len(values) else False
