"""Control variates: correct trials for CPU time that others took.

With z = ln(CPU time that others left) the trials under one load are x[p,a] = m_a + b_p + slope * z[p,a] + error. The
slope is the regression of the residuals of x on the residuals of z under the additive model (Frisch and Waugh,
Econometrica 1(4), 1933; Lovell, JASA 58, 1963). It is learned from the same trials, for one degree of freedom
(Lavenberg and Welch, Management Science 27(3), 1981). Splits are compared by x - slope * (z - z of the split's quietest
trial).

A control variate is measured from its known mean. The mean of z is unknown, and a split may itself change z. Measured
from the mean of all trials, such a split would be credited with its own effect. Measured from the split's own mean, all
means would stay the same and only seem more certain. Other users of the CPU come and go. So the quietest trial of a
split shows z without them, and the lasting effect of the split cancels. Where z has no such level, nothing is adjusted.
The CPU used, the CPU of the clients and stalled seconds are no such z: they follow from the throughput.
"""

import math
from collections.abc import Sequence
from statistics import median

import msgspec
import numpy as np

from scheduler.model.documents import TrialDone
from scheduler.model.spec import RunSpec
from scheduler.stats.paired_comparison import Floats, RateAdjustment, TrialCells, build_cells, fit_additive
from scheduler.stats.prior import estimate_place_sd

LEAST_DOF = 6
"""Degrees of freedom below which no slope is learned: about the second block of a race. Chosen."""

MOST_SLOPE = 2.0
"""Largest slope: a lost tenth of the CPU costs at most a fifth of the throughput. Limits errors of a z that hardly
varies. Chosen."""

MOST_LEFT = 0.75
"""Largest remaining fraction of the trials' variance. A weaker adjustment is not worth the doubt that it costs (see
`racing.ADJUSTED_FRAC`). Chosen by `make bench-variates`."""

_OFTEN = 5  # trials that show the quiet level of a split
_AS_QUIET = 0.15  # of the deviation of z; a normal z spans several times that and is not adjusted
_MOST_TAKEN = 0.99  # of a CPU; its logarithm must stay finite
_STILL = 1e-9  # squares of z below this: no CPU time was taken


def log_cpu_left(trial: TrialDone) -> float:
    """Return ln(fraction of the shared CPU time that others left), <= 0.

    NaN where the fraction is unknown.
    """
    if trial.stolen_frac is None:
        return math.nan
    return math.log1p(-min(_MOST_TAKEN, trial.stolen_frac + (trial.foreign_frac or 0.0)))


def build_adjusted_cells(trials: Sequence[TrialDone], spec: RunSpec) -> TrialCells:
    """Return the cells of the trials, adjusted for CPU time that others took.

    A load is adjusted only where its trials then differ much less. Nothing is adjusted where the protocol needs
    certificates: they are proven for trials as measured, not for learned slopes.

    Args:
        trials: All trials so far, baselines included.
        spec: The sweep.
    """
    kinds = [load.name for load in spec.loads]
    cells = msgspec.structs.replace(
        build_cells(trials, kinds, baseline=True), prior_sd=estimate_place_sd(trials), ends_early=spec.adapts
    )
    if spec.needs_certificates:
        return cells
    left = build_cells(trials, kinds, log_cpu_left, baseline=True).x
    found = tuple(estimate_adjustment(cells.x[:, :, load], left[:, :, load]) for load in range(len(kinds)))
    if not any(found):
        return cells
    slopes = np.array([adjustment.slope if adjustment else 0.0 for adjustment in found])
    taken = np.nan_to_num(left - _quietest_values(left))
    return msgspec.structs.replace(cells, x=cells.x - slopes * taken, adjustments=found)


def estimate_adjustment(x: Floats, z: Floats) -> RateAdjustment | None:
    """Return the adjustment of x[block, split] by z[block, split].

    None where z is unknown or the adjustment helps too little. The slope is shrunk by the part that chance alone would
    explain (1 - 1/F, none below F = 1). It is never negative, because CPU time that others take does not make a trial
    faster.

    Args:
        x: Array [block, split] of ln(throughput); NaN where nothing was measured.
        z: Array [block, split] of ln(CPU time that others left).
    """
    seen = ~np.isnan(x)
    splits = seen.any(axis=0)
    if (np.isnan(z) & seen).any() or not splits.any():
        return None
    of_x, of_z = fit_additive(x[:, splits]), fit_additive(z[:, splits])
    if of_x.dof < LEAST_DOF or of_z.rss < _STILL:
        return None
    raw = float(np.nansum(of_x.residuals * of_z.residuals)) / of_z.rss
    if raw <= 0 or not _is_often_quiet(z[:, splits], math.sqrt(of_z.rss / of_z.dof)):
        return None
    explained = raw**2 * of_z.rss
    by_chance = (of_x.rss - explained) / (of_x.dof - 1)
    slope = min(raw, MOST_SLOPE) * max(0.0, 1 - by_chance / explained)
    rss = max(0.0, of_x.rss - slope * (2 * raw - slope) * of_z.rss)
    before, after = math.sqrt(of_x.rss / of_x.dof), math.sqrt(rss / (of_x.dof - 1))
    return RateAdjustment(slope, before, after) if after**2 < MOST_LEFT * before**2 else None


def _quietest_values(z: Floats) -> Floats:
    """Return z of the quietest trial per split; -inf for a split without trials."""
    return np.where(np.isnan(z), -np.inf, z).max(axis=0)


def _is_often_quiet(z: Floats, sd: float) -> bool:
    """Return True when a third of the trials are about as quiet as the quietest.

    This must hold at the median of the splits that were measured often.
    """
    spans: list[float] = []
    for column in z.T:
        loud = np.sort(-column[~np.isnan(column)])
        if len(loud) >= _OFTEN:
            spans.append(float(loud[len(loud) // 3] - loud[0]))
    return bool(spans) and median(spans) <= _AS_QUIET * sd
