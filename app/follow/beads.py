"""Where the dots of a dotted line of steps stand: wherever it has a value there is one, however long the line is."""

import math

import numpy as np

from app.live.series import Floats


def beads(t_s: Floats, values: Floats, window_s: float, end_s: float, most: int) -> tuple[Floats, Floats]:
    """Return times and values of dots, at equal distances; where one stands for several values, the least and the most.

    Args:
        t_s: When each window ended, ascending, seconds.
        values: One value per window; NaN for none.
        window_s: Length of a window, seconds.
        end_s: Length of the axis, seconds.
        most: Largest number of dots beside each other.
    """
    known = np.isfinite(values)
    # A power of two of seconds: while a line grows, its dots stay where they are until their distance doubles.
    step_s = 2.0 ** math.ceil(math.log2(max(end_s, window_s) / max(1, most)))
    if not known.any():
        return np.empty(0), np.empty(0)
    if step_s < window_s:
        return _within(t_s, values, window_s, step_s)
    at, found = t_s[known] - window_s / 2, values[known]
    places = np.floor(at / step_s)
    starts = np.flatnonzero(np.diff(places, prepend=-1.0))
    low, high = np.minimum.reduceat(found, starts), np.maximum.reduceat(found, starts)
    middle, both = (places[starts] + 0.5) * step_s, high > low
    return np.concatenate((middle, middle[both])), np.concatenate((low, high[both]))


def _within(t_s: Floats, values: Floats, window_s: float, step_s: float) -> tuple[Floats, Floats]:
    """Return one or more dots per window: their distance is less than its length."""
    middle = (np.arange(math.ceil(float(t_s[-1]) / step_s)) + 0.5) * step_s
    middle = middle[middle <= t_s[-1]]
    row = np.searchsorted(t_s, middle)
    seen = (middle > t_s[row] - window_s) & np.isfinite(values[row])
    return middle[seen], values[row[seen]]
