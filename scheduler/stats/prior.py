"""Prior of the variance of a trial, and its weight against the trials.

The variance of a trial has a scaled inverse chi-square prior of two degrees of freedom. Its tail is so heavy that it
has no mean; Gelman, Bayesian Analysis 1(3), 2006, advises heavy tails where few groups were measured. A prior at 8 %
leaves a chance of 5 % for a deviation of 35 % and more. Two trials that differ as widely have the same weight as the
prior. Where other measurements show a deviation above 8 %, that deviation is used. Its influence fades as the trials
themselves give more degrees of freedom.
"""

import math
from collections.abc import Sequence
from statistics import mean

from scheduler.model.documents import TrialDone
from scheduler.stats.stalls import drop_superseded

PRIOR_DOF = 2
"""Weight of the prior, in degrees of freedom."""

PRIOR_SD = 0.08
"""Assumed deviation of a trial before any measurement, of ln(throughput)."""

ENOUGH_DOF = 8
"""Degrees of freedom of the trials at which the deviation on this host no longer counts. Chosen."""

MOST_BORROWED = 4
"""Largest weight of the pooled variance against that of a pair, in degrees of freedom; calibrated for few repeats."""


def borrowed_dof(own: int, all_splits: int) -> int:
    """Return the weight of the pooled variance, in degrees of freedom.

    The weight is at most the degrees of freedom of the other splits. With two splits both are the pair itself, and only
    the prior remains.

    Args:
        own: Degrees of freedom of the pair itself, >= 0.
        all_splits: Degrees of freedom of the pooled variance, >= 0.
    """
    return min(MOST_BORROWED, PRIOR_DOF + max(0, all_splits - own))


def prior_variance(place_sd: float, dof: int) -> float:
    """Return the assumed variance of a trial, of ln(throughput).

    It fades from that of `place_sd` to the usual one as `dof` grows.

    Args:
        place_sd: Deviation on this host (`estimate_place_sd`), of ln(throughput).
        dof: Degrees of freedom of the trials, >= 0.
    """
    fading = max(0.0, 1 - dof / ENOUGH_DOF)
    return PRIOR_SD**2 + fading * max(0.0, place_sd**2 - PRIOR_SD**2)


def estimate_place_sd(trials: Sequence[TrialDone]) -> float:
    """Return the deviation of trials on this host, of ln(throughput).

    The result is the largest of: `PRIOR_SD`; the standard error of a trial's mean, from the difference of the halves of
    its window; the fraction of the shared CPU that others took.
    """
    usable = [trial for trial in drop_superseded(trials) if trial.valid and trial.mean_tps > 0]
    return max(PRIOR_SD, _seconds_sd(usable), _taken_frac(usable))


def _seconds_sd(trials: Sequence[TrialDone]) -> float:
    errors: list[float] = []
    for trial in trials:
        half = int(trial.seconds) // 2
        early, late = sum(trial.rates_tps[-2 * half : -half]), sum(trial.rates_tps[-half:])
        if half and early > 0 and late > 0:
            errors.append(math.log(late / early) / 2)
    return math.sqrt(mean([error**2 for error in errors])) if errors else 0.0


def _taken_frac(trials: Sequence[TrialDone]) -> float:
    taken = [(trial.stolen_frac or 0.0) + (trial.foreign_frac or 0.0) for trial in trials]
    return mean(taken) if taken else 0.0
