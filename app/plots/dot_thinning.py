"""Dotted lines of values per window.

Every stretch with a value has a dot, however long the time axis is.
"""

import math

import numpy as np

from app.plots.sample_series import Floats


def thinned_dots(t_s: Floats, values: Floats, window_s: float, end_s: float, most: int) -> tuple[Floats, Floats]:
    """Return a step line as dots at equal distances.

    A dot that covers several values becomes their minimum and their maximum.

    Args:
        t_s: End of each window, ascending, seconds.
        values: One value per window; NaN for none.
        window_s: Length of a window, seconds.
        end_s: Length of the axis, seconds.
        most: Maximum number of dot positions.
    """
    step_s = dot_distance_s(max(end_s, window_s), most)
    if step_s >= window_s:
        places, low, high = _bin_extremes(t_s - window_s / 2, values, step_s)
        return _join_extremes((places + 0.5) * step_s, low, high)
    if not len(t_s):
        return t_s, values
    middle = np.asarray((np.arange(math.ceil(float(t_s[-1]) / step_s)) + 0.5) * step_s, dtype=np.float64)
    middle = middle[middle <= t_s[-1]]
    row = np.searchsorted(t_s, middle)
    seen = (middle > t_s[row] - window_s) & np.isfinite(values[row])
    return middle[seen], values[row[seen]]


def value_dots(t_s: Floats, values: Floats, end_s: float, most: int) -> tuple[Floats, Floats]:
    """Return one dot per value, or the extremes of each stretch for many values.

    Args:
        t_s: Times, ascending, seconds.
        values: One value per time; NaN for none.
        end_s: Length of the axis, seconds.
        most: Number of values above which dots are merged.
    """
    known = np.isfinite(values)
    if int(known.sum()) <= most:
        return t_s[known], values[known]
    step_s = dot_distance_s(end_s, most)
    places, low, high = _bin_extremes(t_s, values, step_s)
    return _join_extremes((places + 0.5) * step_s, low, high)


def bin_medians(t_s: Floats, values: Floats, step_s: float) -> tuple[Floats, Floats]:
    """Return the median of the known values of each stretch, at their mean time.

    Args:
        t_s: Times, ascending, seconds.
        values: One value per time; NaN for none.
        step_s: Length of a stretch, seconds.
    """
    known = np.isfinite(values)
    at, found = t_s[known], values[known]
    starts = _bin_starts(np.floor(at / step_s))
    times = [float(group.mean()) for group in _split_bins(at, starts)]
    middles = [float(np.median(group)) for group in _split_bins(found, starts)]
    return np.array(times, dtype=np.float64), np.array(middles, dtype=np.float64)


def dot_distance_s(end_s: float, most: int) -> float:
    """Return the distance between dots, seconds.

    The distance is a power of two or three quarters of a power of two. While a line grows, its dots stay in place until
    the distance changes.

    Args:
        end_s: Length of the axis, seconds.
        most: Maximum number of dot positions.
    """
    least_s = max(end_s, 1.0) / max(1, most)
    whole_s = 2.0 ** math.ceil(math.log2(least_s))
    return 0.75 * whole_s if 0.75 * whole_s >= least_s else whole_s


def _bin_extremes(at_s: Floats, values: Floats, step_s: float) -> tuple[Floats, Floats, Floats]:
    """Return the number, the minimum and the maximum of each non-empty stretch."""
    known = np.isfinite(values)
    places, found = np.floor(at_s[known] / step_s), values[known]
    starts = _bin_starts(places)
    if not len(starts):
        return found, found, found
    return places[starts], np.minimum.reduceat(found, starts), np.maximum.reduceat(found, starts)


def _bin_starts(places: Floats) -> np.ndarray:
    return np.flatnonzero(np.diff(places, prepend=-1.0))


def _split_bins(values: Floats, starts: np.ndarray) -> list[Floats]:
    return np.split(values, starts[1:]) if len(starts) else []


def _join_extremes(at_s: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    more = high > low
    return np.concatenate((at_s, at_s[more])), np.concatenate((low, high[more]))
