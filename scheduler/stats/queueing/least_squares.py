"""Least squares for a few parameters, damped (Marquardt, J. SIAM 11(2), 1963).

Written out because importing scipy takes longer than a window may stand still.
"""

from collections.abc import Callable

import numpy as np

from scheduler.stats.queueing.mva import Floats

Curve = Callable[[Floats], tuple[Floats, Floats]]
"""Parameters to values and their slopes (value, parameter)."""

_MOST_STEPS = 100
_LONGEST_STEP = 1.0
_ENOUGH = 1e-7  # of the squares; a step that gains less ends it
_DAMPING = (1e-12, 1e-2, 1e9)  # least, first, most
# Of the best known parameter's curvature: what the values hardly depend on stays where it began.
_KEPT = 1e-4


def least_squares(curve: Curve, target: Floats, start: Floats) -> Floats:
    """Return the parameters whose values lie nearest to the target; the same arguments give the same answer.

    Args:
        curve: What is fitted; its parameters are such that a step of 1 is a long one (logarithms).
        target: Values to come near to.
        start: Where to begin; kept of parameters on which the values do not depend.
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
