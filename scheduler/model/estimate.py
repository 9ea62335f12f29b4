"""Estimate: a figure with its 95 % interval.

Only this module decides if a figure differs from a reference.
"""

from typing import NamedTuple

IntervalEnds = tuple[float, float]
"""Lower and upper end of an interval."""


class Estimate(NamedTuple):
    """A figure with its 95 % interval, all in one unit.

    Attributes:
        value: The figure, in any unit.
        low: Lower end of the interval, in the unit of `value`; None with too few blocks or trials for an interval.
        high: Upper end of the interval, in the unit of `value`; None like `low`.
    """

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def ends(self) -> IntervalEnds | None:
        """The interval; None with too few blocks or trials for an interval."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def differs_from(self, reference: float = 0.0) -> bool:
        """Return True when the interval excludes a reference; else the figure is noise."""
        return self.low is not None and self.high is not None and not self.low <= reference <= self.high

    def scaled(self, factor: float) -> "Estimate":
        """Return the same figure in another unit, for example times 100 in percent.

        Args:
            factor: Size of one unit in the new unit, > 0.
        """
        ends = self.ends
        return Estimate(factor * self.value, *((factor * end for end in ends) if ends else ()))


def estimate_of(value: float, ends: IntervalEnds | None) -> Estimate:
    """Return a figure with an interval that may not exist.

    Args:
        value: The figure, in any unit.
        ends: Lower and upper end, in the same unit; None for no interval.
    """
    return Estimate(value, *(ends or ()))
