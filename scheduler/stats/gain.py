"""Gain of a split over the original settings, from differences within blocks.

The original settings take part in every block, so the common luck of a block cancels in the difference. The split is
chosen for its lead, which overstates its gain. A race goes on measuring its leader, so most trials come after the
choice. Estimating on the blocks that did not choose (cross-fitting) was tried: its intervals contained the true gain
less often (docs/decisions/0052).
"""

import math
from collections.abc import Mapping

import msgspec
import numpy as np

from scheduler.model.setting import BASELINE
from scheduler.stats.history_combination import DifferenceEstimate, PriorUtility, combine_estimates, prior_utilities
from scheduler.stats.leader_comparison import select_with_baseline, sum_weight_squares
from scheduler.stats.paired_comparison import TrialCells, compute_corrections, estimate_scale, fit_additive
from scheduler.stats.student import student_cdf, two_sided_factor

_EARLY_END = 1.05
"""Factor on the scale of a gain whose race ends once it is decided: it ends sooner where the trials happen to differ
little. Without the factor 92.5 to 95 % of the intervals hold (`make bench-decide`, 300 sweeps per noise)."""

_LEAST_DOF = 2  # least degrees of freedom of the trials themselves for an interval


class SplitGain(msgspec.Struct, frozen=True, kw_only=True):
    """Gain of a setting over the original settings.

    Attributes:
        frac: Relative gain, > -1; negative when the original settings are faster.
        ci95_frac: Its 95 % interval; None when too few trials show how much trials differ.
        pairs: Number of blocks that contain both.
        lent_pairs: Number of blocks that the history counts like; 0 without a history.
    """

    frac: float
    ci95_frac: tuple[float, float] | None
    pairs: int = 0
    lent_pairs: float = 0.0

    @property
    def half_width(self) -> float:
        """Half of the interval, of ln(1 + gain); infinite without an interval."""
        if self.ci95_frac is None:
            return math.inf
        low, high = self.ci95_frac
        return (math.log1p(high) - math.log1p(low)) / 2


class PairedGain(msgspec.Struct, frozen=True, kw_only=True):
    """ln(utility) of a setting minus that of the original settings, as Student's t.

    Attributes:
        ahead: Estimate of the difference of logarithms; positive when the setting is faster.
        scale: Scale of its t distribution, > 0.
        dof: Degrees of freedom, >= 1.
        pairs: Number of blocks that contain both, >= 1.
        known: True when the trials give at least two degrees of freedom of their own.
        lent_pairs: Number of blocks that the history counts like; 0 without a history.
    """

    ahead: float
    scale: float
    dof: int
    pairs: int
    known: bool
    lent_pairs: float = 0.0

    def gain(self, choices: int = 1) -> SplitGain:
        """Return the gain as a fraction with its interval.

        Args:
            choices: Number of settings that may be the best, this one among them, >= 1. The best was chosen for its
                lead, so more choices widen the interval.
        """
        if not self.known:
            return SplitGain(frac=math.expm1(self.ahead), ci95_frac=None, pairs=self.pairs, lent_pairs=self.lent_pairs)
        half = two_sided_factor(self.dof, choices) * self.scale
        span = (math.expm1(self.ahead - half), math.expm1(self.ahead + half))
        return SplitGain(frac=math.expm1(self.ahead), ci95_frac=span, pairs=self.pairs, lent_pairs=self.lent_pairs)

    def chance_above(self, frac: float) -> float:
        """Return the probability that the gain is larger than `frac`, 0..1.

        1 when the trials show too little.
        """
        return student_cdf(self.dof, (self.ahead - math.log1p(frac)) / self.scale) if self.known else 1.0


def paired_gains(cells: TrialCells, weights: Mapping[str, float]) -> dict[str, PairedGain]:
    """Compare settings with the original settings by a mean of ln(throughput).

    Args:
        cells: All trials, the original settings included.
        weights: Load to normalised weight, 0..1.

    Returns:
        Label to comparison, of every setting with a block in common with the original settings; empty without a
        baseline.
    """
    cells = select_with_baseline(cells, weights)
    if BASELINE not in cells.labels:
        return {}
    u, base = cells.utility(weights), cells.labels.index(BASELINE)
    fit = fit_additive(u, cells.slopes, cells.prior_sd)
    shifts = compute_corrections(cells, weights)
    pooled = 2 * fit.pooled_variance(sum_weight_squares(cells.mixes, weights))
    priors = prior_utilities(cells.history, cells.mixes, weights, of_gain=True)
    found: dict[str, PairedGain] = {}
    for i, label in enumerate(cells.labels):
        differences = (u + shifts)[:, i] - (u[:, base] + shifts[base])
        differences = differences[~np.isnan(differences)]
        if label == BASELINE or not len(differences):
            continue
        borrowed = fit.borrowed(len(differences) - 1)
        dof, scale = estimate_scale(differences, pooled, borrowed)
        scale *= _EARLY_END if cells.ends_early else 1.0
        own = DifferenceEstimate(float(differences.mean()), scale, dof)
        found[label] = _with_history(own, len(differences), priors.get(label), priors.get(BASELINE), fit.dof)
    return found


def _with_history(
    own: DifferenceEstimate, pairs: int, setting: PriorUtility | None, baseline: PriorUtility | None, fit_dof: int
) -> PairedGain:
    """Return the gain from own trials, combined with the history where it has both."""
    known, lent = fit_dof >= _LEAST_DOF, 0.0
    if setting is not None and baseline is not None:
        lent = own.scale**2 * pairs / (setting.variance + baseline.variance)
        own = combine_estimates(own, setting, baseline)
    return PairedGain(ahead=own.ahead, scale=own.scale, dof=own.dof, pairs=pairs, known=known, lent_pairs=lent)
