"""The mean of independent replicates, one per block, with Student's interval: nothing is borrowed from others."""

import math
from collections.abc import Sequence
from statistics import fmean

from scheduler.stats.student import student_quantile, two_sided_factor

LEAST_BLOCKS = 3
"""Blocks below which nothing is said of the noise: with two, 95 % lie within 13 standard errors."""


POWER = 0.8
"""Chance with which the smallest difference is shown (Bloom, Evaluation Review 19(5), 1995)."""


def smallest_difference(blocks: int, noise_frac: float) -> float:
    """Return the smallest relative difference of two settings that the blocks show with a chance of `POWER`.

    Args:
        blocks: Blocks, at least `LEAST_BLOCKS`.
        noise_frac: Standard deviation of a trial within a block, as a fraction.
    """
    dof, error = blocks - 1, noise_frac * math.sqrt(2 / blocks)
    return math.expm1((two_sided_factor(dof) + student_quantile(dof, POWER)) * error)


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of the mean of at least two values."""
    middle = fmean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1) / len(values))


def estimate_mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return Student's 95 % interval of the mean of these, one per block; None with fewer than `LEAST_BLOCKS`."""
    if len(values) < LEAST_BLOCKS:
        return None
    middle, half = fmean(values), two_sided_factor(len(values) - 1) * standard_error(values)
    return middle - half, middle + half
