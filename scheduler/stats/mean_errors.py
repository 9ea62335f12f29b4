"""Variance per setting, from the variances of differences of fitted means."""

from itertools import combinations
from typing import cast

import numpy as np

from scheduler.stats.paired_comparison import RCOND, AdditiveFit, Floats

BETWEEN_BLOCKS = 1.3
"""Variance of a trial between blocks over the variance of residuals within blocks. Most residuals come from blocks of
few settings, whose trials are close in time. Calibrated by `python -m tests.bench.second_sweep`."""

_LEAST_PART = 0.5  # of 1 / trials: no setting counts more than twice its own trials


def variance_factors(fit: AdditiveFit) -> Floats:
    """Return the variance of each setting's mean, in variances of one trial, > 0.

    The sum of two factors approximates the variance of the difference of two means, by least squares of the relative
    errors. In complete blocks a factor is `BETWEEN_BLOCKS` / trials. A setting that shares its blocks with few others
    has a larger factor, because its differences contain the luck of these blocks.
    """
    seen = (~np.isnan(fit.residuals)).astype(float)
    trials, settings = seen.sum(axis=0), seen.shape[1]
    if settings < 3:
        return BETWEEN_BLOCKS / trials
    normal = np.diag(trials) - (seen / seen.sum(axis=1, keepdims=True)).T @ seen
    inverse = cast("Floats", np.linalg.pinv(normal, rcond=RCOND, hermitian=True))
    pairs = list(combinations(range(settings), 2))
    rows = np.zeros((len(pairs), settings))
    for row, pair in zip(rows, pairs, strict=True):
        row[list(pair)] = 1 / _difference_variance(inverse, *pair)
    factors = cast("Floats", np.linalg.lstsq(rows, np.ones(len(rows)), rcond=None)[0])
    return BETWEEN_BLOCKS * np.maximum(factors, _LEAST_PART / trials)


def _difference_variance(inverse: Floats, one: int, other: int) -> float:
    return float(inverse[one, one] + inverse[other, other] - 2 * inverse[one, other])
