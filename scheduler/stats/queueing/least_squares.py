"""Damped least squares for a few parameters (Marquardt, J. SIAM 11(2), 1963).

This module replaces scipy, whose import would block the window for too long.
"""

from collections.abc import Callable

import numpy as np

from scheduler.stats.queueing.mva import Floats

Curve = Callable[[Floats], tuple[Floats, Floats]]
"""Function from parameters to values and their slopes; slopes have the shape (values, parameters)."""

_MOST_STEPS = 100
_LONGEST_STEP = 1.0
_ENOUGH = 1e-7  # of the squares; a step that gains less ends the search
_DAMPING = (1e-12, 1e-2, 1e9)  # least, first, most
# Of the best known parameter's curvature. Parameters without influence so keep their start.
_KEPT = 1e-4


def least_squares(curve: Curve, target: Floats, start: Floats) -> Floats:
    """Return the parameters whose values are nearest to the target.

    The same arguments give the same answer.

    Args:
        curve: Function to fit, with parameters for which a step of 1 is long (logarithms).
        target: Target values.
        start: First parameters; parameters without influence on the values keep them.
    """
    least, damping, most = _DAMPING
    at, (values, slopes) = start, curve(start)
    squares = _sum_squares(values - target)
    for _ in range(_MOST_STEPS):
        trial = at + _next_step(slopes, values - target, damping)
        new_values, new_slopes = curve(trial)
        new_squares = _sum_squares(new_values - target)
        if new_squares >= squares:
            damping *= 4
            if damping > most:
                break
            continue
        gained = squares - new_squares
        at, values, slopes, squares = trial, new_values, new_slopes, new_squares
        damping = max(least, damping / 5)
        if gained <= _ENOUGH * (squares + gained):
            break
    return at


def _next_step(slopes: Floats, off: Floats, damping: float) -> Floats:
    curvature = slopes.T @ slopes
    scale = np.diag(curvature)
    damped = curvature + damping * np.diag(scale + _KEPT * max(float(scale.max()), 1e-30))
    step = np.linalg.solve(damped, -slopes.T @ off)
    return np.asarray(np.clip(step, -_LONGEST_STEP, _LONGEST_STEP), dtype=np.float64)


def _sum_squares(off: Floats) -> float:
    return float(off @ off)
