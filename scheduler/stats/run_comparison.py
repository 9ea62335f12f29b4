"""Comparison of two runs: ratio of their rates, per split and over all splits.

Each run states a mean and its 95 % interval per split and load. The interval of a difference of logarithms follows from
the two intervals by the square-and-add rule (Zou & Donner, Statistics in Medicine 27, 2008). Runs share no blocks, so
the difference also includes other changes between the runs.
"""

import math
from collections.abc import Iterable, Sequence

import msgspec

from scheduler.model.estimate import Estimate, estimate_of
from scheduler.model.results import MeasuredPoint, leading_points
from scheduler.model.studies import Setting


class RateRatio(msgspec.Struct, frozen=True, kw_only=True):
    """Throughput of the second run against that of the first run.

    Attributes:
        setting: The setting; None for the original settings, and for the geometric mean over several.
        load: The load's kind.
        gain_frac: Gain of the second run as a fraction of the first run's rate; negative for a loss.
        ci95_frac: Its 95 % interval; None where a run has no interval.
        splits: Number of splits in the ratio, >= 1.
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
    """Return one ratio per split and load that both runs measured.

    Args:
        first: Points of the first run; they give the order.
        second: Points of the second run.
    """
    return [_mean_ratio([pair], pair[0].setting) for pair in _pair_points(first, second)]


def compare_overall(first: Iterable[MeasuredPoint], second: Iterable[MeasuredPoint]) -> list[RateRatio]:
    """Return the geometric mean of the ratios per load, over all common splits.

    The original settings are not counted as a split.

    Args:
        first: Points of the first run.
        second: Points of the second run.
    """
    pairs = [pair for pair in _pair_points(first, second) if pair[0].setting is not None]
    loads = dict.fromkeys(one.load for one, _ in pairs)
    return [_mean_ratio([pair for pair in pairs if pair[0].load == load], None) for load in loads]


def _pair_points(
    first: Iterable[MeasuredPoint], second: Iterable[MeasuredPoint]
) -> list[tuple[MeasuredPoint, MeasuredPoint]]:
    other = {(point.setting, point.load): point for point in leading_points(second) if point.mean_tps}
    mine = [point for point in leading_points(first) if point.mean_tps]
    pairs = [(point, other[point.setting, point.load]) for point in mine if (point.setting, point.load) in other]
    return [pair for pair in pairs if pair[0].unit == pair[1].unit]  # rates in different units cannot be compared


def _mean_ratio(pairs: Sequence[tuple[MeasuredPoint, MeasuredPoint]], setting: Setting | None) -> RateRatio:
    """Return the geometric mean of the ratios of these pairs, all of one load."""
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
    """Return the distances from ln(mean) to both ends of the interval.

    None without an interval above 0.
    """
    if point.ci95_tps is None or not point.mean_tps or point.ci95_tps[0] <= 0:
        return None
    low_tps, high_tps = point.ci95_tps
    return math.log(point.mean_tps / low_tps), math.log(high_tps / point.mean_tps)
