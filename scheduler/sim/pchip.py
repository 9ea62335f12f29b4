"""Interpolation without overshoot (PCHIP: Fritsch and Butland 1984), no scipy."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise


def interpolate_pchip(places: Sequence[float], heights: Sequence[float], at: float) -> float:
    """Return the height at a place; beyond the ends the last height.

    Args:
        places: Rising, at least one.
        heights: One for each place.
        at: The place, on the scale of `places`.
    """
    if at <= places[0]:
        return heights[0]
    if at >= places[-1]:
        return heights[-1]
    slopes = _node_slopes(places, heights)
    left = bisect_right(places, at) - 1
    width = places[left + 1] - places[left]
    t = (at - places[left]) / width
    low, high = heights[left], heights[left + 1]
    rise = (1 - t) ** 2 * t * width * slopes[left] - t**2 * (1 - t) * width * slopes[left + 1]
    return low * (1 + 2 * t) * (1 - t) ** 2 + high * t**2 * (3 - 2 * t) + rise


def _node_slopes(places: Sequence[float], heights: Sequence[float]) -> list[float]:
    widths = [right - left for left, right in pairwise(places)]
    steps = [(heights[i + 1] - heights[i]) / width for i, width in enumerate(widths)]
    if len(steps) == 1:
        return steps * 2
    inner = [_inner_slope(widths[i - 1], widths[i], steps[i - 1], steps[i]) for i in range(1, len(steps))]
    first = _end_slope(widths[0], widths[1], steps[0], steps[1])
    last = _end_slope(widths[-1], widths[-2], steps[-1], steps[-2])
    return [first, *inner, last]


def _inner_slope(left: float, right: float, before: float, after: float) -> float:
    """Return a weighted harmonic mean, 0 at a peak or a valley."""
    if before * after <= 0:
        return 0.0
    one, two = 2 * right + left, right + 2 * left
    return (one + two) / (one / before + two / after)


def _end_slope(near: float, far: float, step: float, next_step: float) -> float:
    slope = ((2 * near + far) * step - near * next_step) / (near + far)
    if slope * step <= 0:
        return 0.0
    if step * next_step <= 0 and abs(slope) > 3 * abs(step):
        return 3 * step
    return slope
