"""How much doubt a claim bears: the less, the less trials tell about who is ahead.

Where splits lie hardly further apart than the zone and the error of a difference is large, whoever is ahead is so by
luck, and a test that errs in 4 % of all sweeps is right in half of those in which it claims. With known deviations a
claim is right in 95 % at a gap g, a zone z and an error e when N((g + z) / e - q) >= 19 N((z - g) / e - q), for a bound
of q errors: at a gap of 3 % the doubt N(-q) may be 0.05 at an error of 3 %, 0.006 at 5 %, and next to nothing beyond.
The error is estimated, too, and from few trials by luck too small; so its upper quartile counts.
"""

import math

BY_SPREAD = ((0.06, 0.04), (0.12, 0.02), (math.inf, 0.01))
"""Deviation of a trial up to which this sum of tails is allowed. Calibrated by simulation (tests/unit/stats): the
leader was chosen for being ahead, so the sum understates the doubt, and the more so the noisier the trials are."""

BY_ERROR = ((0.035, 0.04), (0.05, 0.01), (0.06, 0.005), (0.08, 0.003), (0.12, 0.001), (math.inf, 0.0004))
"""The same by the error of the lead over the likeliest rival, its upper quartile, of ln(utility): from the formula
above, and calibrated by `make bench-claims`. Above 12 % only what a wide lead shows is claimed."""

LEAST_DOF = 2
"""Degrees of freedom that the trials must give before anything is claimed: two trials to each of two splits give one,
and a deviation that is estimated so is three times too small once in four times."""

_UPPER = 0.6745  # of a normal deviate: its upper quartile


def allowed_doubt(sd: float, scale: float, dof: int) -> float:
    """Return the largest sum of tails at which the claim still holds at 95 %.

    Args:
        sd: Deviation of one trial, of ln(throughput).
        scale: Error of the lead over the likeliest rival, of ln(utility).
        dof: Its degrees of freedom.
    """
    error = scale * _deviation_quantile(dof)
    return min(_look_up_doubt(BY_SPREAD, sd), _look_up_doubt(BY_ERROR, error))


def _look_up_doubt(table: tuple[tuple[float, float], ...], value: float) -> float:
    return next(doubt for limit, doubt in table if value <= limit)


def _deviation_quantile(dof: int) -> float:
    """Return the upper quartile of true over estimated deviation (Wilson and Hilferty, PNAS 17, 1931)."""
    return (1 - 2 / (9 * dof) - _UPPER * math.sqrt(2 / (9 * dof))) ** -1.5
