"""Thinning of curves to a maximum number of points, with all peaks and gaps kept."""

import numpy as np

from app.plots.sample_series import Floats

MAX_POINTS = 1000  # per curve; redrawing four such curves takes less than 16 ms (architecture, 5.6)
GAP_S = 2.5  # one sample per second; a longer distance is a gap


def thin_curve(
    t_s: Floats, values: Floats, max_points: int = MAX_POINTS, gap_s: float = GAP_S
) -> tuple[Floats, Floats]:
    """Return a curve with at most `max_points` points, plus one NaN per visible gap.

    Each bin of equal time keeps its lowest and its highest value. A curve with few points stays unchanged.

    Args:
        t_s: Times, ascending, seconds.
        values: One value per time.
        max_points: Maximum number of points, >= 4.
        gap_s: Longest distance between two samples without a gap, seconds.
    """
    if len(t_s) > max_points:
        starts, bin_s = _bin_starts(t_s, max_points // 2)
        ends = np.append(starts[1:], len(t_s)) - 1
        low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
        rising = values[starts] <= values[ends]
        t_s = np.column_stack((t_s[starts], t_s[ends])).ravel()
        values = np.column_stack((np.where(rising, low, high), np.where(rising, high, low))).ravel()
        gap_s = max(gap_s, 1.5 * bin_s)
    return _break_at_gaps(t_s, values, gap_s)


def bin_means(t_s: Floats, columns: tuple[Floats, ...], max_points: int = MAX_POINTS) -> tuple[Floats, ...]:
    """Return times and columns averaged over bins of equal time, for stacked areas.

    Args:
        t_s: Times, ascending, seconds.
        columns: Values, one array per curve.
        max_points: Maximum number of rows, >= 2.
    """
    if len(t_s) <= max_points:
        return (t_s, *columns)
    starts, _ = _bin_starts(t_s, max_points)
    counts = np.diff(np.append(starts, len(t_s)))
    return tuple(np.add.reduceat(column, starts) / counts for column in (t_s, *columns))


def _bin_starts(t_s: Floats, bins: int) -> tuple[np.ndarray, float]:
    """Return the first row of every non-empty bin, and the length of a bin in seconds."""
    # A power of two of seconds keeps the bins of a growing run in place until their length doubles.
    span_s = max(float(t_s[-1] - t_s[0]), 1e-9)
    bin_s = 2.0 ** np.ceil(np.log2(span_s / (bins - 1)))
    numbers = np.floor(t_s / bin_s)
    return np.flatnonzero(np.diff(numbers, prepend=-1.0)), float(bin_s)


def _break_at_gaps(t_s: Floats, values: Floats, gap_s: float) -> tuple[Floats, Floats]:
    """Insert a NaN into every gap, so that no line crosses the gap."""
    gaps = np.flatnonzero(np.diff(t_s) > gap_s) + 1
    if not len(gaps):
        return t_s, values
    return np.insert(t_s, gaps, t_s[gaps]), np.insert(values, gaps, np.nan)
