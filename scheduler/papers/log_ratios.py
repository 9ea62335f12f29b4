"""Ratio of two splits' throughputs in a run: its logarithm with a 95 % interval.

Against a load's own best split, the interval is that of the recommendation's table. The pairs of trials there lie close
together in time. Between two other splits the interval follows by the square-and-add rule (see
`scheduler.stats.run_comparison`). The rule combines the two points' intervals, or the losses of both against the best
split. Both ways are wider than pairs of the two splits would be. In the first way, the common part of a block's trials
does not cancel. In the second way, the noise of the best split counts twice. So the narrower interval is taken.
"""

import math
from collections.abc import Iterable

import msgspec

from scheduler.model.results import MeasuredPoint, RegretRow, Results
from scheduler.model.studies import Setting
from scheduler.stats.student import CONFIDENCE, student_quantile


class LogRatio(msgspec.Struct, frozen=True):
    """ln(throughput of a first split / throughput of a second split).

    Attributes:
        first: Label of the first split.
        second: Label of the second split.
        middle: The estimate, a logarithm; negative when the first split is behind.
        low: Lower end of the 95 % interval; -inf without an interval.
        high: Upper end of the 95 % interval; inf without an interval.
    """

    first: str
    second: str
    middle: float
    low: float
    high: float

    @property
    def ahead(self) -> bool:
        """True when the first split is ahead at 95 %."""
        return self.low > 0

    @property
    def behind(self) -> bool:
        """True when the second split is ahead at 95 %."""
        return self.high < 0

    @property
    def back(self) -> "LogRatio":
        """The ratio with both splits exchanged."""
        return LogRatio(self.second, self.first, -self.middle, -self.high, -self.low)

    def wider(self, factor: float) -> "LogRatio":
        """Return the ratio with both sides of the interval extended by a factor."""
        low, high = (self.middle + factor * (end - self.middle) for end in (self.low, self.high))
        return LogRatio(self.first, self.second, self.middle, low, high)


class LogRatios:
    """Ratios of all splits of one load of a run.

    Args:
        results: Results of the run.
        load: Load kind.
        splits: Labels of the splits to use; other splits of the run are ignored.
    """

    def __init__(self, results: Results, load: str, splits: Iterable[str]) -> None:
        wanted = frozenset(splits)
        points = [point for point in results.points if point.load == load and point.label in wanted and point.mean_tps]
        self._points = {point.label: point for point in points}
        split = results.answer.recommendation
        self._rows = {row.label: row for row in split.regret if load in row.loss_frac} if split else {}
        self._load = load
        self._own_best = next((row.label for row in self._rows.values() if _is_best_row(row, load)), "")
        self._dof = max(1, sum(point.trials - 1 for point in points))

    @property
    def measured(self) -> tuple[str, ...]:
        """The splits with a throughput, along the axis."""
        return tuple(self._points)

    def find_setting(self, label: str) -> Setting | None:
        """Return the setting with this label, which must be measured."""
        return self._points[label].setting

    @property
    def order(self) -> list[str]:
        """The splits with a throughput, by falling mean."""
        return sorted(self._points, key=lambda split: -(self._points[split].mean_tps or 0.0))

    def lead(self, first: str, second: str) -> LogRatio:
        """Return the ratio of two measured splits.

        Args:
            first: Label of the first split.
            second: Label of the second split.
        """
        if first == self._own_best and (found := self._ratio_to_best(second)):
            return found
        if second == self._own_best and (found := self._ratio_to_best(first)):
            return found.back
        ways = (self._ratio_by_points(first, second), self._ratio_by_best(first, second))
        return min((way for way in ways if way), key=lambda way: way.high - way.low)

    def widening_factor(self, looks: int) -> float:
        """Return the Bonferroni factor that widens one of several intervals.

        `looks` is the number of intervals that must hold together, >= 1.
        """
        one, all_together = ((1 - CONFIDENCE) / 2 / number for number in (1, max(1, looks)))
        return student_quantile(self._dof, 1 - all_together) / student_quantile(self._dof, 1 - one)

    def _ratio_by_points(self, first: str, second: str) -> LogRatio:
        one, two = self._points[first], self._points[second]
        middle = math.log((one.mean_tps or 1.0) / (two.mean_tps or 1.0))
        return _combine_intervals(first, second, middle, (_interval_reach(one), _interval_reach(two)))

    def _ratio_by_best(self, first: str, second: str) -> LogRatio | None:
        one, two = self._ratio_to_best(first), self._ratio_to_best(second)
        if one is None or two is None:
            return None
        arms = ((one.high - one.middle, one.middle - one.low), (two.high - two.middle, two.middle - two.low))
        return _combine_intervals(first, second, two.middle - one.middle, arms)

    def _ratio_to_best(self, other: str) -> LogRatio | None:
        row = self._rows.get(other)
        if row is None or self._load not in row.loss_ci95_frac:
            return None
        low, high = (_log_ratio_of_loss(loss) for loss in row.loss_ci95_frac[self._load])
        return LogRatio(self._own_best, other, _log_ratio_of_loss(row.loss_frac[self._load]), low, high)


def _is_best_row(row: RegretRow, load: str) -> bool:
    return row.loss_frac[load] <= 0 and load not in row.loss_ci95_frac


def _log_ratio_of_loss(loss_frac: float) -> float:
    return math.inf if loss_frac >= 1 else -math.log1p(-loss_frac) if math.isfinite(loss_frac) else -math.inf


def _combine_intervals(
    first: str, second: str, middle: float, arms: tuple[tuple[float, float], tuple[float, float]]
) -> LogRatio:
    """Return a ratio from the distances of both figures to their interval ends."""
    one, two = arms
    return LogRatio(first, second, middle, middle - math.hypot(one[0], two[1]), middle + math.hypot(one[1], two[0]))


def _interval_reach(point: MeasuredPoint) -> tuple[float, float]:
    """Return the distances from ln(mean) to the lower and upper end of its interval.

    Both are infinite without an interval above 0.
    """
    if point.ci95_tps is None or not point.mean_tps or point.ci95_tps[0] <= 0:
        return math.inf, math.inf
    return math.log(point.mean_tps / point.ci95_tps[0]), math.log(point.ci95_tps[1] / point.mean_tps)
