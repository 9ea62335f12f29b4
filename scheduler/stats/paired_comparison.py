"""Paired comparison of splits: which is best, and how sure is that.

Trials of one block lie close together in time, so a block's common luck (drift, a neighbour) cancels in differences.
Model: u[p,a] = m_a + b_p + error for pass p and split a, where u is the weighted mean of ln(throughput) over the
loads, that is the logarithm of a weighted geometric mean (Fleming & Wallace, CACM 29(3), 1986: the only average of
ratios that does not depend on the units). The variance of a difference mixes what its own pairs show with what all
splits show together, as a Student-t statistic; see `prior` for how much the latter weighs, and for what is assumed.
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
from scheduler.model.setting import Setting, label_of
from scheduler.stats.prior import MOST_BORROWED, PRIOR_DOF, PRIOR_SD, borrowed_dof, prior_variance
from scheduler.stats.stalls import drop_superseded
from scheduler.stats.student import normal_cdf, one_sided_factor, student_cdf, two_sided_factor

Floats = NDArray[np.float64]

_MIXTURE = ((0.5, 0.7), (20.0, 0.3))
"""Variances of the lead, in units of a difference's own, and their weights: one for leads like the noise, one for large
ones. After the shared study of such sweeps."""

RCOND = 1e-9
"""Eigenvalues below this part of the largest are none; numpy's own cut lets rounding errors through."""

WORST_CV = 0.25
"""Deviation assumed while every split has one trial: the largest that Calheiros et al. report."""


class RateAdjustment(msgspec.Struct, frozen=True):
    """How the trials under one load were freed of what others took of the CPU; see `variates`.

    Attributes:
        slope: Change of ln(throughput) per ln(CPU time that others left), > 0.
        sd_before: Deviation of a trial as measured, of ln(throughput).
        sd_after: The same, adjusted; smaller.
    """

    slope: float
    sd_before: float
    sd_after: float


class TrialCells(msgspec.Struct, frozen=True, dict=True):
    """ln(throughput) by pass, split and load.

    Attributes:
        settings: The columns, along the axis; None for the original settings, in the middle.
        kinds: The loads.
        x: Array [pass, split, load]; NaN where there is no usable trial.
        adjustments: How `x` was adjusted, by load, None for not at all; empty when no load was.
        prior_sd: A trial's deviation as far as other things than these cells tell it, of ln(throughput).
        history: Means of an earlier run that comparisons count; None for none.
        ends_early: True for a sweep that ends as soon as it is decided.
    """

    settings: tuple[Setting | None, ...]
    kinds: tuple[str, ...]
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
    def positions(self) -> tuple[float, ...]:
        """Positions of the columns on the axis, 0 for 1:1."""
        return tuple(map(_position_of, self.settings))

    def find_setting(self, label: str) -> Setting:
        """Return the setting of a column that is not the original settings."""
        return next(each for each in self.settings if each is not None and each.label == label)

    def utility(self, weights: Mapping[str, float]) -> Floats:
        """Return u[pass, split]; NaN where a load with weight has no trial in that pass."""
        used = [i for i, kind in enumerate(self.kinds) if weights.get(kind, 0.0) > 0]
        factors = np.array([weights[self.kinds[i]] for i in used])
        return self.x[:, :, used] @ factors

    @property
    def slopes(self) -> int:
        """How many slopes were learned from `x`; each has cost a degree of freedom."""
        return sum(adjustment is not None for adjustment in self.adjustments)

    @cached_property
    def load_fits(self) -> "tuple[LoadFit | None, ...]":
        """One per load, None for one without trials; kept, for they are the same whatever the loads count."""
        return tuple(_load_fit(self, load) for load in range(len(self.kinds)))


class AdditiveFit(msgspec.Struct, frozen=True):
    """The additive model, fitted.

    Attributes:
        means: m per split, relative (min-norm: only differences mean something).
        residuals: What the model leaves, [pass, split], NaN where nothing was measured.
        rss: Their sum of squares.
        dof: Degrees of freedom left, >= 0.
        prior_sd: As that of `TrialCells`.
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
        """Return how many degrees of freedom others lend to what has `own` of itself."""
        return borrowed_dof(own, self.dof)

    @property
    def variances(self) -> Floats:
        """The variance of one observation of each split: its own mixed with the pooled one."""
        squares = np.nansum(self.residuals**2, axis=0)
        dof = np.maximum((~np.isnan(self.residuals)).sum(axis=0) - 1, 0)
        return (MOST_BORROWED * self.pooled_variance() + squares) / (MOST_BORROWED + dof)


class LoadFit(msgspec.Struct, frozen=True):
    """The additive model of ln(throughput) under one load.

    Attributes:
        seen: Indexes of the splits that were measured under it.
        fit: The model, over those only.
    """

    seen: tuple[int, ...]
    fit: AdditiveFit


class PairwiseComparison(msgspec.Struct, frozen=True):
    """One split against the leader.

    Attributes:
        ahead: By how much the leader is ahead, of ln(utility); negative when it is behind.
        scale: Scale of the t distribution of `ahead`.
        dof: Its degrees of freedom.
        pairs: Passes that hold both.
        lent_pairs: Number of passes that the history counts like; 0 without one.
        p_better: Probability that this split is better than the leader by more than the zone.
        p_worse: Probability that it is worse by more than the zone.
        zone: Differences of ln(utility) up to this are taken for none.
    """

    ahead: float
    scale: float
    dof: int
    pairs: int
    p_better: float
    p_worse: float
    zone: float
    lent_pairs: float = 0.0

    @property
    def interval_frac(self) -> tuple[float, float]:
        """95 % interval of what this split loses against the leader, as a fraction; infinite doubt gives -inf..1."""
        return loss_interval_frac(self.ahead, self.dof, self.scale)

    @property
    def p_ahead(self) -> float:
        """Probability that this split is better than the leader at all."""
        return student_cdf(self.dof, -self.ahead / self.scale)

    @property
    def evidence(self) -> float:
        """E-value against this split being better than the leader by more than the zone; 0 for none.

        The ratio of two likelihoods of the pairs: with the lead drawn from normal mixtures, and with none (a t test's
        Bayes factor; Perez-Ortiz, Lardy, de Heide, Gruenwald, AoS 52(4), 2024). It may be looked at after every trial:
        that it ever reaches x by chance has a probability of at most 1 / x.
        """
        n, lead = self.pairs, self.ahead + self.zone
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
        """What this split loses against the leader at most, at 95 % confidence."""
        return -math.expm1(-self.ahead - one_sided_factor(self.dof) * self.scale)


def log_rate(trial: TrialDone) -> float:
    """Return ln(throughput) of a trial in which something completed."""
    return math.log(trial.mean_tps)


def build_cells(
    trials: Sequence[TrialDone],
    kinds: Sequence[str],
    value_of: Callable[[TrialDone], float] = log_rate,
    *,
    baseline: bool = False,
) -> TrialCells:
    """Sort the usable trials (valid, something completed) into passes, splits and loads.

    A split that became unresponsive, be it once and under one load, takes no part in any comparison.

    Args:
        trials: All trials.
        kinds: The loads, in the order of the last axis.
        value_of: Returns the value of a trial's cell.
        baseline: Include the original settings as a column, in the middle of the axis.
    """
    left = {v.setting for v in trials if not v.held}
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
    """Fit u[p,a] = m_a + b_p by least squares; every split must have been measured in some pass.

    `slopes` is how many slopes were learned from `u` and taken off.
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
    """Return c per split: what turns the mean of a logarithm into the logarithm of a mean (half the variance).

    Every split must have been measured under every load with weight, as `judged` sees to.
    """
    total = np.zeros(len(cells.labels))
    for kind, found in zip(cells.kinds, cells.load_fits, strict=True):
        if weights.get(kind, 0.0) > 0 and found is not None:
            total += weights[kind] * found.fit.variances / 2
    return total


def loss_interval_frac(ahead: float, dof: int, scale: float) -> tuple[float, float]:
    """Return the 95 % interval of a loss, as a fraction, from the lead in ln(throughput); see `PairwiseComparison`."""
    half = two_sided_factor(dof) * scale
    return -math.expm1(half - ahead) if math.isfinite(half) else -math.inf, -math.expm1(-half - ahead)


def compare_pair(
    differences: Floats, shift: float, pooled_variance: float, zone: float, borrowed: int = MOST_BORROWED
) -> PairwiseComparison:
    """Compare a leader with one split by Student's t.

    Args:
        differences: Leader minus split, of ln(utility), one per pass that holds both.
        shift: Difference of their corrections, added to the mean difference.
        pooled_variance: Variance of one such difference as all splits show it together.
        zone: Differences up to this are taken for none.
        borrowed: Weight of that variance, degrees of freedom; see `borrowed_dof`.
    """
    n = len(differences)
    if n == 0:
        return PairwiseComparison(
            ahead=0.0, scale=math.inf, dof=MOST_BORROWED, pairs=0, p_better=1.0, p_worse=1.0, zone=zone
        )
    ahead = float(differences.mean()) + shift
    dof, scale = estimate_scale(differences, pooled_variance, borrowed)
    p_better, p_worse = student_cdf(dof, -(ahead + zone) / scale), student_cdf(dof, (ahead - zone) / scale)
    return PairwiseComparison(ahead=ahead, scale=scale, dof=dof, pairs=n, p_better=p_better, p_worse=p_worse, zone=zone)


def estimate_scale(differences: Floats, pooled_variance: float, borrowed: int) -> tuple[int, float]:
    """Return degrees of freedom and scale of the mean of these, at least one; arguments as `rivalry`'s."""
    n = len(differences)
    squares = float(((differences - differences.mean()) ** 2).sum())
    dof = borrowed + n - 1
    return dof, math.sqrt((borrowed * pooled_variance + squares) / dof / n)


def compare_single_pair(difference: float, weight_squares: float, zone: float) -> PairwiseComparison:
    """Compare after a single pass: nothing is known of the spread, the worst is assumed."""
    scale = WORST_CV * math.sqrt(2 * weight_squares)
    p_better, p_worse = normal_cdf(-(difference + zone) / scale), normal_cdf((difference - zone) / scale)
    return PairwiseComparison(
        ahead=difference, scale=scale, dof=200, pairs=1, p_better=p_better, p_worse=p_worse, zone=zone
    )
