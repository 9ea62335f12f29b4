"""Student's t distribution for whole degrees of freedom, as finite series.

Source: Abramowitz and Stegun, 26.7.3 and 26.7.4. The module avoids scipy, whose import takes longer than the window may
be blocked.
"""

import math
from functools import lru_cache

CONFIDENCE = 0.95


def student_cdf(dof: int, value: float) -> float:
    """Return P(T <= value); absolute error below 1e-12 up to 400 degrees of freedom.

    Args:
        dof: Degrees of freedom, >= 1.
        value: Any finite or infinite value.
    """
    angle = math.atan2(abs(value), math.sqrt(dof))
    sine, square = math.sin(angle), math.cos(angle) ** 2
    odd = dof % 2
    term = total = math.cos(angle) if odd else 1.0
    for i in range(2 + odd, dof, 2):
        term *= square * (i - 1) / i
        total += term
    if odd:
        total = total if dof > 1 else 0.0
        inside = 2 / math.pi * (angle + sine * total)
    else:
        inside = sine * total
    return (1 + inside) / 2 if value > 0 else (1 - inside) / 2


def normal_cdf(value: float) -> float:
    """Return P(Z <= value) of the standard normal distribution."""
    return math.erfc(-value / math.sqrt(2)) / 2


@lru_cache(maxsize=1024)
def student_quantile(dof: int, probability: float) -> float:
    """Return t with P(T <= t) = `probability`.

    Args:
        dof: Degrees of freedom, >= 1.
        probability: Probability below the quantile, 0.5..1.
    """
    low, high = 0.0, 1.0
    while student_cdf(dof, high) < probability:
        high *= 2
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if student_cdf(dof, middle) < probability else (low, middle)
    return (low + high) / 2


def two_sided_factor(dof: int, choices: int = 1) -> float:
    """Return the factor of a two-sided 95 % interval.

    Args:
        dof: Degrees of freedom, >= 1.
        choices: Number of estimates, >= 1, of which this one was chosen as the largest (Bonferroni).
    """
    return student_quantile(dof, 1 - (1 - CONFIDENCE) / 2 / choices)


def one_sided_factor(dof: int) -> float:
    """Return the factor of a one-sided 95 % bound."""
    return student_quantile(dof, CONFIDENCE)
