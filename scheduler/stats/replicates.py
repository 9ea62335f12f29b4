"""Mean of independent replicates, one per block, with Student's interval.

No variance is borrowed from other settings.
"""

import math
from collections.abc import Sequence
from statistics import fmean

from scheduler.stats.student import student_quantile, two_sided_factor

LEAST_BLOCKS = 3
"""Least number of blocks for an interval: with two, its half width is 13 standard errors (Student's t)."""


POWER = 0.8
"""Chance of detecting the smallest difference, 0..1 (Bloom, Evaluation Review 19(5), 1995)."""


def smallest_difference(blocks: int, noise_frac: float) -> float:
    """Return the smallest relative difference that blocks show with chance `POWER`.

    Args:
        blocks: Number of blocks, at least `LEAST_BLOCKS`.
        noise_frac: Standard deviation of a trial within a block, as a fraction.
    """
    dof, error = blocks - 1, noise_frac * math.sqrt(2 / blocks)
    return math.expm1((two_sided_factor(dof) + student_quantile(dof, POWER)) * error)


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of the mean of at least two values."""
    middle = fmean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1) / len(values))


def estimate_mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return Student's 95 % interval of the mean of values, one per block.

    None with fewer than `LEAST_BLOCKS` values.
    """
    if len(values) < LEAST_BLOCKS:
        return None
    middle, half = fmean(values), two_sided_factor(len(values) - 1) * standard_error(values)
    return middle - half, middle + half
