"""Monte Carlo values of splits where "best" is not a weighted mean.

The worst case and the limit take minima over loads and compare with each load's own best split, so their errors follow
no t distribution. Instead the means under each load are drawn many times from the additive model of
`paired_comparison`, with its corrections, prior and degrees of freedom. The difference of two splits is Student's t as
in that model. Each draw is valued by itself.

The probability that a rival is better by more than the tolerance is counted, never extrapolated. The value of a rival
jumps where the rival comes within the limit, so no fitted tail would show the jump. The stop of a race at 0.005
corresponds to 82 draws. The chance at which a split is dropped corresponds to two or three draws.
"""

import math
from functools import lru_cache
from typing import cast

import msgspec
import numpy as np

from scheduler.model.objective import WORST_CASE, Objective
from scheduler.stats.paired_comparison import RCOND, WORST_CV, AdditiveFit, Floats, TrialCells, compute_corrections

DRAWS = 16_384

_SEED = 1
_MAY_BE_BEST = 0.02
"""Least chance of being a load's own best split to stay measured: the other splits are compared with that split."""


class ObjectiveSamples(msgspec.Struct, frozen=True):
    """Values of the splits in an objective.

    Attributes:
        values: Array [split, draw], ln scale, 0 where the objective is met fully.
        yardsticks: Indexes of the splits that may be the best of a load that others are compared with.
        sd: Deviation of one trial, of ln(throughput), pooled over splits and loads.
        dof: Degrees of freedom of `sd`, under the load that has fewest.
    """

    values: Floats
    yardsticks: tuple[int, ...]
    sd: float
    dof: int


def sample_objective(cells: TrialCells, objective: Objective) -> ObjectiveSamples:
    """Value the splits of `cells` in an objective by random draws.

    In the worst case the value is that of the load that loses most against its own best split. With a limit the value
    is the smaller of two: the throughput of the favoured load against the best split within the limit, and the distance
    to the limit under the load that loses most. So a break within the tolerance counts as little as any loss of that
    size.

    Args:
        cells: The judged splits (`select_judged`), each measured under every load.
        objective: Worst case or limit.
    """
    means = draw_means(cells)
    below_best = means - means.max(axis=1, keepdims=True)
    if objective.name == WORST_CASE:
        compared = list(range(len(cells.kinds)))
        values = below_best.min(axis=0)
    else:
        favoured = cells.kinds.index(objective.load)
        compared = [load for load in range(len(cells.kinds)) if load != favoured]
        slack = below_best[compared].min(axis=0) - math.log1p(-objective.limit_frac)
        best = np.where(slack >= 0, means[favoured], -np.inf).max(axis=0)
        values = np.minimum(means[favoured] - best, slack)
    leads = (below_best[compared] == 0).mean(axis=2).max(axis=0)
    variance = sum(fit.pooled_variance() for fit in _list_fits(cells)) / len(cells.kinds)
    contenders = tuple(int(i) for i in np.flatnonzero(leads >= _MAY_BE_BEST))
    return ObjectiveSamples(values, contenders, math.sqrt(variance), min(fit.dof for fit in _list_fits(cells)))


def draw_means(cells: TrialCells) -> Floats:
    """Return draws of the mean of ln(throughput), [load, split, draw].

    The same cells give the same draws. Means are relative within a load: the common luck of a block cancels.
    """
    means = np.empty((len(cells.kinds), len(cells.labels), DRAWS))
    for load, (kind, fit) in enumerate(zip(cells.kinds, _list_fits(cells), strict=True)):
        spread = _covariance_root(fit) @ _draw_normals(len(cells.labels), load)
        trials = (~np.isnan(fit.residuals)).sum(axis=0)
        if trials.max() > 1:
            spread *= np.stack([_student_factors(fit.borrowed(int(n) - 1) + int(n) - 1, load) for n in trials])
        means[load] = (fit.means + compute_corrections(cells, {kind: 1.0}))[:, None] + spread
    return means


def _list_fits(cells: TrialCells) -> list[AdditiveFit]:
    return [found.fit for found in cells.load_fits if found is not None]


def _covariance_root(fit: AdditiveFit) -> Floats:
    """Return a root of the covariance of the fitted means.

    Each split has its own variance of a trial.
    """
    seen = (~np.isnan(fit.residuals)).astype(float)
    variances = fit.variances if len(seen) > 1 else np.full(seen.shape[1], WORST_CV**2)
    counts = seen.sum(axis=1)
    centring = seen[:, :, None] * np.eye(seen.shape[1]) - seen[:, :, None] * seen[:, None, :] / counts[:, None, None]
    solve = cast("Floats", np.linalg.pinv(centring.sum(axis=0), rcond=RCOND, hermitian=True))
    covariance = cast("Floats", solve @ np.einsum("pij,j,pkj->ik", centring, variances, centring) @ solve)
    powers, vectors = np.linalg.eigh(covariance)
    return cast("Floats", vectors * np.sqrt(np.maximum(powers, 0.0)))


@lru_cache(maxsize=64)
def _draw_normals(splits: int, load: int) -> Floats:
    return np.random.default_rng((_SEED, 0, splits, load)).standard_normal((splits, DRAWS))


@lru_cache(maxsize=256)
def _student_factors(dof: int, load: int) -> Floats:
    """Return the factors that turn normal draws into Student's t with `dof`.

    All splits have the same factors, because their variance is pooled.
    """
    dice = np.random.default_rng((_SEED, 1, load))
    order = dice.permutation(DRAWS)
    factors = np.sqrt(dof / np.sort(np.random.default_rng((_SEED, 2, dof)).chisquare(dof, DRAWS)))
    return cast("Floats", factors[order])
