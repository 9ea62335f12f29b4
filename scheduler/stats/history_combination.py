"""Combination of a sweep's own trials with its history, by precision.

The earlier run gives mean and variance of ln(throughput) of every setting, relative to the other settings. Between runs
a setting changes, with a variance of its own. A comparison of two settings is then the mean of two estimates, each
weighted by its precision. Its degrees of freedom are Satterthwaite's (Biometrics Bulletin 2(6), 1946). Only comparisons
use this combination. Figures that are shown as measured rest on the sweep's own trials.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.earlier_run import AcceptedHistory, LoadHistory
from scheduler.stats.paired_comparison import PairwiseComparison
from scheduler.stats.student import student_cdf


class PriorUtility(msgspec.Struct, frozen=True):
    """ln(utility) of one setting in the history, relative to the other settings.

    Attributes:
        mean: Its mean, a logarithm.
        variance: Its variance, the change between the runs included, > 0.
        dof: Degrees of freedom of the variance, >= 1.
    """

    mean: float
    variance: float
    dof: int


class DifferenceEstimate(msgspec.Struct, frozen=True):
    """A difference of ln(utility) as a Student-t statistic.

    Attributes:
        ahead: The estimate, a difference of logarithms.
        scale: Scale of its t distribution, > 0; infinite where nothing was measured.
        dof: Its degrees of freedom, >= 1.
    """

    ahead: float
    scale: float
    dof: int


def prior_utilities(
    carried: AcceptedHistory | None,
    mixes: Sequence[Sequence[str]],
    weights: Mapping[str, float],
    *,
    of_gain: bool = False,
) -> dict[str, PriorUtility]:
    """Return label to the weighted mean of ln(throughput) in the history.

    Args:
        carried: The history; None for none.
        mixes: The loads that run together; a load that runs alone is a mix of one.
        weights: Load to normalised weight, 0..1.
        of_gain: True for gains over the original settings, False for comparisons of splits.

    Returns:
        Every setting that the history has under each load with weight; empty where the history lacks such a load.
    """
    used = {name: weight for name, weight in weights.items() if weight > 0}
    if carried is None or not used or not used.keys() <= carried.loads.keys():
        return {}
    loads = {name: carried.loads[name] for name in used}
    together = [[name for name in mix if name in used] for mix in mixes]
    labels = set[str].intersection(*(set(load.means) for load in loads.values()))
    dof = min(carried.dof, *(load.dof for load in loads.values()))
    between = carried.gain_variance if of_gain else carried.between_variance
    return {label: _prior_utility(label, loads, used, together, between, dof) for label in sorted(labels)}


def _prior_utility(
    label: str,
    loads: Mapping[str, LoadHistory],
    weights: Mapping[str, float],
    mixes: Sequence[Sequence[str]],
    between_variance: float,
    dof: int,
) -> PriorUtility:
    mean = math.fsum(weights[name] * load.means[label].log_rate for name, load in loads.items())
    # Members of a mix count as fully correlated, as in `leader_comparison.sum_weight_squares`.
    errors = (math.fsum(weights[name] * math.sqrt(loads[name].means[label].variance) for name in mix) for mix in mixes)
    return PriorUtility(mean, between_variance + math.fsum(error**2 for error in errors), dof)


def combine_estimates(own: DifferenceEstimate, one: PriorUtility, other: PriorUtility) -> DifferenceEstimate:
    """Return the difference of two settings, combined with the history.

    Args:
        own: `one` minus `other`, from the sweep's own trials.
        one: The first setting in the history.
        other: The second setting in the history.
    """
    variance = one.variance + other.variance
    own_part = 1 / own.scale**2 if math.isfinite(own.scale) else 0.0
    total = own_part + 1 / variance
    share = own_part / total
    ahead = share * own.ahead + (1 - share) * (one.mean - other.mean)
    dof = 1 / (share**2 / own.dof + (1 - share) ** 2 / one.dof)
    return DifferenceEstimate(ahead, math.sqrt(1 / total), max(1, math.floor(dof)))


def combine_comparison(
    own: PairwiseComparison, leader: PriorUtility | None, rival: PriorUtility | None
) -> PairwiseComparison:
    """Return a comparison with the leader, combined with the history.

    Args:
        own: The comparison from the sweep's own trials.
        leader: The leader in the history; None where it is missing.
        rival: The other split in the history; None where it is missing. Without either, `own` is returned.
    """
    if leader is None or rival is None:
        return own
    found = combine_estimates(DifferenceEstimate(own.ahead, own.scale, own.dof), leader, rival)
    lent = own.scale**2 * own.pairs / (leader.variance + rival.variance) if own.pairs else 0.0
    return msgspec.structs.replace(
        own,
        ahead=found.ahead,
        scale=found.scale,
        dof=found.dof,
        p_better=student_cdf(found.dof, -(found.ahead + own.tolerance) / found.scale),
        p_worse=student_cdf(found.dof, (found.ahead - own.tolerance) / found.scale),
        lent_pairs=lent,
    )


def combine_means(
    means: Mapping[str, float], variances: Mapping[str, float], priors: Mapping[str, PriorUtility]
) -> dict[str, float]:
    """Return label to ln(utility), combined from own trials and history.

    Both are relative, so the history is first shifted to the level of the own means.

    Args:
        means: Label to ln(utility) from own trials.
        variances: Label to the variance of that mean, > 0.
        priors: Label to ln(utility) in the history; labels may be missing.
    """
    shared = [label for label in means if label in priors]
    if not shared:
        return dict(means)
    parts = {label: 1 / (variances[label] + priors[label].variance) for label in shared}
    height = math.fsum(parts[label] * (means[label] - priors[label].mean) for label in shared)
    height /= math.fsum(parts.values())
    found = dict(means)
    for label in shared:
        own_part, prior_part = 1 / variances[label], 1 / priors[label].variance
        moved = priors[label].mean + height
        found[label] = (own_part * means[label] + prior_part * moved) / (own_part + prior_part)
    return found
