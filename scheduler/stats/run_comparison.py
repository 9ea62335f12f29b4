"""Two runs beside each other: how much faster one is, per split and over all splits that both measured.

Each run states a mean and its 95 % interval per split and load. The interval of a difference of logarithms follows from
the two by the square-and-add rule (Zou & Donner, Statistics in Medicine 27, 2008), which needs no more than those. Runs
are not made in blocks with each other: what else changed between them is in the difference, too.
"""

import math
from collections.abc import Iterable, Sequence

import msgspec

from scheduler.model.estimate import Estimate, estimate_of
from scheduler.model.results import MeasuredPoint, leading_points
from scheduler.model.setting import Setting


class RateRatio(msgspec.Struct, frozen=True, kw_only=True):
    """How the second run's throughput compares with the first's.

    Attributes:
        setting: The setting; None for the original settings, and for the geometric mean over several.
        load: The load's kind.
        gain_frac: What the second has more, as a part of the first's; negative for less.
        ci95_frac: Its 95 % interval; None where one of the two has none.
        splits: Number of splits that it rests on.
    """

    setting: Setting | None
    load: str
    gain_frac: float
    ci95_frac: tuple[float, float] | None
    splits: int = 1

    @property
    def gain(self) -> Estimate:
        """Gain with its interval, as a fraction."""
        return estimate_of(self.gain_frac, self.ci95_frac)


def compare_splits(first: Iterable[MeasuredPoint], second: Iterable[MeasuredPoint]) -> list[RateRatio]:
    """Return one ratio per split and load that both runs have figures for, in the first's order."""
    return [_mean_ratio([pair], pair[0].setting) for pair in _pair_points(first, second)]


def compare_overall(first: Iterable[MeasuredPoint], second: Iterable[MeasuredPoint]) -> list[RateRatio]:
    """Return per load the geometric mean of the ratios over the splits that both have; the host as found is none."""
    pairs = [pair for pair in _pair_points(first, second) if pair[0].setting is not None]
    loads = dict.fromkeys(one.load for one, _ in pairs)
    return [_mean_ratio([pair for pair in pairs if pair[0].load == load], None) for load in loads]


def _pair_points(
    first: Iterable[MeasuredPoint], second: Iterable[MeasuredPoint]
) -> list[tuple[MeasuredPoint, MeasuredPoint]]:
    other = {(point.setting, point.load): point for point in leading_points(second) if point.mean_tps}
    mine = [point for point in leading_points(first) if point.mean_tps]
    pairs = [(point, other[point.setting, point.load]) for point in mine if (point.setting, point.load) in other]
    return [pair for pair in pairs if pair[0].unit == pair[1].unit]  # of one kind, and yet no figures to compare


def _mean_ratio(pairs: Sequence[tuple[MeasuredPoint, MeasuredPoint]], setting: Setting | None) -> RateRatio:
    """Return the geometric mean of the ratios of these pairs, which are of one load."""
    count = len(pairs)
    middle = sum(math.log((two.mean_tps or 1.0) / (one.mean_tps or 1.0)) for one, two in pairs) / count
    arms = [(_interval_reach(one), _interval_reach(two)) for one, two in pairs]
    known = [(one, two) for one, two in arms if one is not None and two is not None]
    low = middle - math.hypot(*(arm for one, two in known for arm in (two[0], one[1]))) / count
    high = middle + math.hypot(*(arm for one, two in known for arm in (two[1], one[0]))) / count
    return RateRatio(
        setting=setting,
        load=pairs[0][0].load,
        gain_frac=math.expm1(middle),
        ci95_frac=(math.expm1(low), math.expm1(high)) if len(known) == count else None,
        splits=count,
    )


def _interval_reach(point: MeasuredPoint) -> tuple[float, float] | None:
    """Return how far the interval reaches below and above ln(mean); None without an interval above 0."""
    if point.ci95_tps is None or not point.mean_tps or point.ci95_tps[0] <= 0:
        return None
    low_tps, high_tps = point.ci95_tps
    return math.log(point.mean_tps / low_tps), math.log(high_tps / point.mean_tps)
