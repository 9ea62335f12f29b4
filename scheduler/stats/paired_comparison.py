"""Paired comparison of splits by Student's t.

Trials of one block are close in time, so a block's common luck (drift, other users of the CPU) cancels in differences.
Model: u[p,a] = m_a + b_p + error for block p and split a. Here u is the weighted mean of ln(throughput) over the loads,
the logarithm of a weighted geometric mean. The geometric mean is the only average of ratios that does not depend on the
units (Fleming & Wallace, CACM 29(3), 1986). The variance of a difference mixes the variance of its own pairs with that
of all splits. Module `prior` documents the weights and the assumptions.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler.model.documents import TrialDone
from scheduler.model.earlier_run import AcceptedHistory
from scheduler.model.load_name import LoadName, group_by_mix
from scheduler.model.setting import label_of
from scheduler.model.studies import Setting
from scheduler.stats.prior import MOST_BORROWED, PRIOR_DOF, PRIOR_SD, borrowed_dof, prior_variance
from scheduler.stats.stalls import drop_superseded
from scheduler.stats.student import normal_cdf, one_sided_factor, student_cdf, two_sided_factor

Floats = NDArray[np.float64]

_MIXTURE = ((0.5, 0.7), (20.0, 0.3))
"""Variances of the lead, in units of a difference's own variance, and their weights: one for leads like the noise, one
for large leads. After the shared study of such sweeps."""

RCOND = 1e-9
"""Fraction of the largest eigenvalue below which one counts as 0; numpy's default lets rounding errors through."""

WORST_CV = 0.25
"""Deviation assumed while every split has one trial: the largest that Calheiros et al. (2007) report."""


class RateAdjustment(msgspec.Struct, frozen=True):
    """Adjustment of the trials under one load for CPU time that others took.

    See `control_variates`.

    Attributes:
        slope: Change of ln(throughput) per ln(CPU time that others left), > 0.
        sd_before: Deviation of a trial as measured, of ln(throughput).
        sd_after: Deviation of an adjusted trial, < `sd_before`.
    """

    slope: float
    sd_before: float
    sd_after: float


class TrialCells(msgspec.Struct, frozen=True, dict=True):
    """ln(throughput) by block, split and load.

    Attributes:
        settings: The columns, along the axis; None for the original settings, in the middle.
        kinds: The loads.
        x: Array [block, split, load]; NaN where there is no usable trial.
        adjustments: Adjustment of `x` by load, None for an unadjusted load; empty when no load was adjusted.
        prior_sd: Deviation of a trial that is assumed before these cells, of ln(throughput).
        history: Means of an earlier run that comparisons count; None for none.
        ends_early: True for a sweep that ends as soon as it is decided.
    """

    settings: tuple[Setting | None, ...]
    kinds: tuple[LoadName, ...]
    x: Floats
    adjustments: tuple[RateAdjustment | None, ...] = ()
    prior_sd: float = PRIOR_SD
    history: AcceptedHistory | None = None
    ends_early: bool = False

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels of the columns."""
        return tuple(map(label_of, self.settings))

    @property
    def mixes(self) -> tuple[tuple[LoadName, ...], ...]:
        """The loads that run together; a load that runs alone is a mix of one."""
        return group_by_mix(self.kinds)

    @property
    def positions(self) -> tuple[float, ...]:
        """Positions of the columns on the axis, 0 for 1:1."""
        return tuple(map(_position_of, self.settings))

    def find_setting(self, label: str) -> Setting:
        """Return the setting of a column that is not the original settings."""
        return next(each for each in self.settings if each is not None and each.label == label)

    def utility(self, weights: Mapping[str, float]) -> Floats:
        """Return u[block, split].

        NaN where a load with weight has no trial in that block.
        """
        used = [i for i, kind in enumerate(self.kinds) if weights.get(kind, 0.0) > 0]
        factors = np.array([weights[self.kinds[i]] for i in used])
        return self.x[:, :, used] @ factors

    @property
    def slopes(self) -> int:
        """Number of slopes learned from `x`; each costs a degree of freedom."""
        return sum(adjustment is not None for adjustment in self.adjustments)

    @cached_property
    def load_fits(self) -> "tuple[LoadFit | None, ...]":
        """Fit of the additive model per load, None for a load without trials.

        The fits are cached, because they do not depend on the weights of the loads.
        """
        return tuple(_load_fit(self, load) for load in range(len(self.kinds)))


class AdditiveFit(msgspec.Struct, frozen=True):
    """The fitted additive model.

    Attributes:
        means: m per split, relative (min-norm: only differences have a meaning).
        residuals: Residuals of the model, [block, split], NaN where nothing was measured.
        rss: Sum of squares of the residuals, which are logarithms.
        dof: Degrees of freedom of the residuals, >= 0.
        prior_sd: Assumed deviation of a trial, of its logarithm; as in `TrialCells`.
    """

    means: Floats
    residuals: Floats
    rss: float
    dof: int
    prior_sd: float = PRIOR_SD

    def pooled_variance(self, weight_squares: float = 1.0) -> float:
        """Return the variance of one observation, the prior included."""
        assumed = prior_variance(self.prior_sd, self.dof) * weight_squares
        return (PRIOR_DOF * assumed + self.rss) / (PRIOR_DOF + self.dof)

    def borrowed(self, own: int) -> int:
        """Return the degrees of freedom lent by the other splits to one with `own`."""
        return borrowed_dof(own, self.dof)

    @property
    def variances(self) -> Floats:
        """Variance of one observation of each split: its own mixed with the pooled one."""
        squares = np.nansum(self.residuals**2, axis=0)
        dof = np.maximum((~np.isnan(self.residuals)).sum(axis=0) - 1, 0)
        return (MOST_BORROWED * self.pooled_variance() + squares) / (MOST_BORROWED + dof)


class LoadFit(msgspec.Struct, frozen=True):
    """The additive model of ln(throughput) under one load.

    Attributes:
        seen: Indexes of the splits that were measured under the load.
        fit: The model, over these splits only.
    """

    seen: tuple[int, ...]
    fit: AdditiveFit


class PairwiseComparison(msgspec.Struct, frozen=True):
    """Comparison of one split with the leader.

    Attributes:
        ahead: Lead of the leader over the split, of ln(utility); negative when the leader is behind.
        scale: Scale of the t distribution of `ahead`.
        dof: Its degrees of freedom.
        pairs: Number of blocks that contain both.
        lent_pairs: Number of blocks that the history counts like; 0 without a history.
        p_better: Probability that this split is better than the leader by more than the tolerance, 0..1.
        p_worse: Probability that this split is worse by more than the tolerance, 0..1.
        tolerance: Tolerance: the largest difference of ln(utility) that counts as none.
    """

    ahead: float
    scale: float
    dof: int
    pairs: int
    p_better: float
    p_worse: float
    tolerance: float
    lent_pairs: float = 0.0

    @property
    def interval_frac(self) -> tuple[float, float]:
        """95 % interval of the split's loss against the leader, as a fraction.

        -inf..1 when the scale is infinite.
        """
        return loss_interval_frac(self.ahead, self.dof, self.scale)

    @property
    def p_ahead(self) -> float:
        """Probability that this split is better than the leader at all, 0..1."""
        return student_cdf(self.dof, -self.ahead / self.scale)

    @property
    def evidence(self) -> float:
        """E-value against this split being better than the leader; 0 for none.

        Better means by more than the tolerance. The value is the ratio of two likelihoods of the pairs: with the lead
        drawn from normal mixtures, and with no lead (a t test's Bayes factor; Perez-Ortiz, Lardy, de Heide, Gruenwald,
        AoS 52(4), 2024). The value may be examined after every trial: the probability that it ever reaches x by chance
        is at most 1 / x.
        """
        n, lead = self.pairs, self.ahead + self.tolerance
        if lead <= 0 or n == 0:
            return 0.0
        spread, squares = self.scale**2 * self.dof * n, n * lead**2
        return math.fsum(
            part
            / math.sqrt(1 + n * wide)
            * ((spread + squares) / (spread + squares / (1 + n * wide))) ** ((self.dof + 1) / 2)
            for wide, part in _MIXTURE
        )

    @property
    def loss_bound_frac(self) -> float:
        """Largest loss of this split against the leader at 95 % confidence, as a fraction."""
        return -math.expm1(-self.ahead - one_sided_factor(self.dof) * self.scale)


def log_rate(trial: TrialDone) -> float:
    """Return ln(throughput) of a trial in which something completed."""
    return math.log(trial.mean_tps)


def build_cells(
    trials: Sequence[TrialDone],
    kinds: Sequence[LoadName],
    value_of: Callable[[TrialDone], float] = log_rate,
    *,
    baseline: bool = False,
) -> TrialCells:
    """Sort the usable trials into blocks, splits and loads.

    A trial is usable when it is valid and something completed. A split that became unresponsive once, under any load,
    is excluded from all comparisons.

    Args:
        trials: All trials.
        kinds: The loads, in the order of the last axis.
        value_of: Returns the value of a trial's cell.
        baseline: Include the original settings as a column, in the middle of the axis.
    """
    left = {v.setting for v in trials if not v.responsive}
    usable = [v for v in trials if v.valid and v.mean_tps > 0 and v.load in kinds]
    usable = [v for v in usable if (baseline or v.setting is not None) and v.setting not in left]
    settings = tuple(sorted({v.setting for v in usable}, key=lambda each: (_position_of(each), label_of(each))))
    blocks = sorted({v.block for v in usable})
    row, column = ({key: at for at, key in enumerate(keys)} for keys in (blocks, settings))
    x = np.full((len(blocks), len(settings), len(kinds)), np.nan)
    for v in drop_superseded(usable):
        x[row[v.block], column[v.setting], kinds.index(v.load)] = value_of(v)
    return TrialCells(settings, tuple(kinds), x)


def _position_of(setting: Setting | None) -> float:
    return 0.0 if setting is None else setting.position


def fit_additive(u: Floats, slopes: int = 0, prior_sd: float = PRIOR_SD) -> AdditiveFit:
    """Fit u[p,a] = m_a + b_p by least squares.

    Args:
        u: Array [block, split], NaN where nothing was measured; every split must have a value.
        slopes: Number of slopes that were learned from `u` and subtracted, >= 0.
        prior_sd: Deviation of a trial that is assumed, of ln(throughput).
    """
    seen = ~np.isnan(u)
    passes = seen.any(axis=1)
    u, seen = u[passes], seen[passes]
    counts = seen.sum(axis=1, keepdims=True)
    centred = np.where(seen, u - np.nansum(u, axis=1, keepdims=True) / counts, 0.0)
    normal = np.diag(seen.sum(axis=0).astype(float)) - (seen / counts).T @ seen
    right = centred.sum(axis=0)
    means = cast("Floats", np.linalg.pinv(normal, rcond=RCOND, hermitian=True) @ right)
    expected = np.where(seen, means, 0.0)
    expected = np.where(seen, expected - expected.sum(axis=1, keepdims=True) / counts, 0.0)
    residuals = np.where(seen, centred - expected, np.nan)
    rss = float(np.nansum(residuals**2))
    return AdditiveFit(means, residuals, rss, max(0, int(seen.sum()) - len(u) - u.shape[1] + 1 - slopes), prior_sd)


def _load_fit(cells: TrialCells, load: int) -> LoadFit | None:
    x = cells.x[:, :, load]
    seen = tuple(i for i in range(len(cells.labels)) if not np.isnan(x[:, i]).all())
    slopes = int(bool(cells.adjustments and cells.adjustments[load]))
    return LoadFit(seen, fit_additive(x[:, seen], slopes, cells.prior_sd)) if seen else None


def compute_corrections(cells: TrialCells, weights: Mapping[str, float]) -> Floats:
    """Return half the variance per split.

    Added to the mean of a logarithm, this correction gives the logarithm of a mean.

    Args:
        cells: The judged splits (`select_judged`), each measured under every load with weight.
        weights: Load to normalised weight, 0..1.
    """
    total = np.zeros(len(cells.labels))
    for kind, found in zip(cells.kinds, cells.load_fits, strict=True):
        if weights.get(kind, 0.0) > 0 and found is not None:
            total += weights[kind] * found.fit.variances / 2
    return total


def loss_interval_frac(ahead: float, dof: int, scale: float) -> tuple[float, float]:
    """Return the 95 % interval of a loss, as a fraction.

    Args:
        ahead: Lead in ln(throughput).
        dof: Degrees of freedom of the lead, >= 1.
        scale: Scale of its t distribution, > 0; may be infinite.
    """
    half = two_sided_factor(dof) * scale
    return -math.expm1(half - ahead) if math.isfinite(half) else -math.inf, -math.expm1(-half - ahead)


def compare_pair(
    differences: Floats, shift: float, pooled_variance: float, tolerance: float, borrowed: int = MOST_BORROWED
) -> PairwiseComparison:
    """Compare a leader with one split by Student's t.

    Args:
        differences: Leader minus split, of ln(utility), one per block that contains both.
        shift: Difference of their corrections, which are logarithms, added to the mean difference.
        pooled_variance: Variance of one such difference of logarithms, pooled over all splits.
        tolerance: Tolerance: the largest difference of ln(utility) that counts as none.
        borrowed: Weight of that variance, degrees of freedom; see `borrowed_dof`.
    """
    n = len(differences)
    if n == 0:
        return PairwiseComparison(
            ahead=0.0, scale=math.inf, dof=MOST_BORROWED, pairs=0, p_better=1.0, p_worse=1.0, tolerance=tolerance
        )
    ahead = float(differences.mean()) + shift
    dof, scale = estimate_scale(differences, pooled_variance, borrowed)
    p_better, p_worse = student_cdf(dof, -(ahead + tolerance) / scale), student_cdf(dof, (ahead - tolerance) / scale)
    return PairwiseComparison(
        ahead=ahead, scale=scale, dof=dof, pairs=n, p_better=p_better, p_worse=p_worse, tolerance=tolerance
    )


def estimate_scale(differences: Floats, pooled_variance: float, borrowed: int) -> tuple[int, float]:
    """Return degrees of freedom and scale of the mean of the differences.

    Args:
        differences: Differences of ln(utility), at least one.
        pooled_variance: Variance of one such difference of logarithms, pooled over all splits.
        borrowed: Weight of that variance, degrees of freedom.
    """
    n = len(differences)
    squares = float(((differences - differences.mean()) ** 2).sum())
    dof = borrowed + n - 1
    return dof, math.sqrt((borrowed * pooled_variance + squares) / dof / n)


def compare_single_pair(difference: float, weight_squares: float, tolerance: float) -> PairwiseComparison:
    """Compare two splits after a single block, with the largest assumed deviation.

    Args:
        difference: Leader minus split, of ln(utility).
        weight_squares: Variance of the weighted mean, in units of a trial's variance (`sum_weight_squares`).
        tolerance: Tolerance: the largest difference of ln(utility) that counts as none.
    """
    scale = WORST_CV * math.sqrt(2 * weight_squares)
    p_better, p_worse = normal_cdf(-(difference + tolerance) / scale), normal_cdf((difference - tolerance) / scale)
    return PairwiseComparison(
        ahead=difference, scale=scale, dof=200, pairs=1, p_better=p_better, p_worse=p_worse, tolerance=tolerance
    )
