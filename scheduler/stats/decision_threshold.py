"""Largest doubt at which a claim about the best split may be made.

Where splits differ by little more than the tolerance and the error of a difference is large, the leader is ahead by
luck. A test that errs in 4 % of all sweeps may claim a result in only 8 % of them. Half of its claims are then wrong.

Let g be the gap, z the tolerance, e the error of the lead, and q the bound in errors, with known deviations. A claim is
right in 95 % when N((g + z) / e - q) >= 19 N((z - g) / e - q). At a gap of 3 % the doubt N(-q) may be 0.05 at an error
of 3 %. The doubt may be 0.006 at an error of 5 %, and almost 0 beyond. The error is itself an estimate, and few trials
may show too small an error. So its upper quartile counts.
"""

import math

BY_SPREAD = ((0.06, 0.04), (0.12, 0.02), (math.inf, 0.01))
"""Deviation of a trial up to which this sum of tails is allowed. Calibrated by simulation (tests/unit/stats). The
leader was chosen for its lead, so the sum understates the doubt, more so for noisier trials."""

BY_ERROR = ((0.035, 0.04), (0.05, 0.01), (0.06, 0.005), (0.08, 0.003), (0.12, 0.001), (math.inf, 0.0004))
"""Error of the lead over the likeliest rival (upper quartile, of ln(utility)) up to which this sum is allowed. From
the formula above, calibrated by `make bench-claims`. Above 12 % only a wide lead supports a claim."""

LEAST_DOF = 2
"""Least degrees of freedom of the trials for any claim. Two trials of each of two splits give one. A deviation
estimated from one is three times too small in a quarter of the cases."""

_UPPER = 0.6745  # of a normal deviate: its upper quartile


def allowed_doubt(sd: float, scale: float, dof: int) -> float:
    """Return the largest sum of tails at which the claim still holds at 95 %.

    Args:
        sd: Deviation of one trial, of ln(throughput), >= 0.
        scale: Error of the lead over the likeliest rival, of ln(utility), >= 0.
        dof: Degrees of freedom of `scale`, >= 1.
    """
    error = scale * _deviation_quantile(dof)
    return min(_look_up_doubt(BY_SPREAD, sd), _look_up_doubt(BY_ERROR, error))


def _look_up_doubt(table: tuple[tuple[float, float], ...], value: float) -> float:
    return next(doubt for limit, doubt in table if value <= limit)


def _deviation_quantile(dof: int) -> float:
    """Return the upper quartile of true over estimated deviation.

    Source: Wilson and Hilferty, PNAS 17, 1931.
    """
    return (1 - 2 / (9 * dof) - _UPPER * math.sqrt(2 / (9 * dof))) ** -1.5
