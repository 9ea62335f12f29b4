"""What is assumed of how much trials differ, and how much that weighs beside what is seen.

The variance of a trial has a scaled inverse chi-square prior of two degrees of freedom: so heavy a tail that it has no
mean (Gelman, Bayesian Analysis 1(3), 2006, advises heavy ones where few groups are seen). About 8 % it leaves a chance
of 5 % to 35 % and more, and two trials that differ as widely weigh as much. Where something else that was seen says
more than 8 %, that is its place, the less so the more the trials themselves tell.
"""

import math
from collections.abc import Sequence
from statistics import mean

from scheduler.model.documents import TrialDone
from scheduler.stats.stalls import drop_superseded

PRIOR_DOF = 2
"""Weight of what is assumed, in degrees of freedom."""

PRIOR_SD = 0.08
"""A trial's deviation before anything is known, of ln(throughput)."""

ENOUGH_DOF = 8
"""Degrees of freedom of the trials from which on nothing else is asked how much they differ. Chosen."""

MOST_BORROWED = 4
"""Weight of what all splits show together beside what a pair shows, at most; calibrated for few repeats."""


def borrowed_dof(own: int, all_splits: int) -> int:
    """Return the weight of the pooled variance beside `own` degrees of freedom, of `all_splits` in that variance.

    No more than the others have: of two splits both are the pair itself, and only the prior is left.
    """
    return min(MOST_BORROWED, PRIOR_DOF + max(0, all_splits - own))


def prior_variance(place_sd: float, dof: int) -> float:
    """Return the variance of a trial as assumed: that of `place_sd`, fading to the usual one as `dof` grows."""
    fading = max(0.0, 1 - dof / ENOUGH_DOF)
    return PRIOR_SD**2 + fading * max(0.0, place_sd**2 - PRIOR_SD**2)


def estimate_place_sd(trials: Sequence[TrialDone]) -> float:
    """Return by how much trials may differ as far as their seconds and the CPU's other users show, ln scale.

    That is the largest of: `PRIOR_SD`; the standard error of a trial's mean, from the difference of the halves of its
    window; the part of the shared CPU that others took.
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
