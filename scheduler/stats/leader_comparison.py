"""Comparison of all splits with one split: the ranking and its evidence."""

import math
from collections.abc import Mapping, Sequence
from functools import partial

import msgspec
import numpy as np

from scheduler.model.objective import Objective
from scheduler.model.setting import BASELINE
from scheduler.stats.decision_threshold import LEAST_DOF, allowed_doubt
from scheduler.stats.history_combination import PriorUtility, combine_comparison, combine_means, prior_utilities
from scheduler.stats.mean_errors import variance_factors
from scheduler.stats.monte_carlo import sample_objective
from scheduler.stats.paired_comparison import (
    AdditiveFit,
    Floats,
    PairwiseComparison,
    TrialCells,
    compare_pair,
    compare_single_pair,
    compute_corrections,
    fit_additive,
)
from scheduler.stats.prior import borrowed_dof
from scheduler.stats.student import CONFIDENCE

_WEIGHTED = Objective()
_TIE = 1e-9  # of ln(utility); smaller differences are rounding errors of sums of logarithms


class LeaderComparison(msgspec.Struct, frozen=True):
    """The judged splits, compared with the leader.

    Attributes:
        leader: Label of the best.
        values: Label to ln(utility), relative to the leader (0); best first.
        rivals: Label of every other split to its comparison with the leader.
        sd: Deviation of one trial, of ln(throughput), pooled over splits and loads.
        passes: Number of blocks in which something was compared.
        yardsticks: Splits that may be a load's own best where others are compared with that; empty with weights.
        bound: Largest loss of the leader against the best at 95 % confidence, ln scale; None with weights.
        adjusted: True when trials were adjusted for CPU time that others took.
        tolerance: Tolerance: the largest difference of ln(utility) that counts as none.
        dof: Degrees of freedom of `sd` that the trials gave.
        trials: Label to the number of blocks in which that split was measured under every load with weight.
    """

    leader: str
    values: Mapping[str, float]
    rivals: Mapping[str, PairwiseComparison]
    sd: float
    passes: int
    yardsticks: tuple[str, ...] = ()
    bound: float | None = None
    adjusted: bool = False
    tolerance: float = _WEIGHTED.tolerance
    dof: int = LEAST_DOF
    trials: Mapping[str, int] = {}

    @property
    def tolerance_frac(self) -> float:
        """The tolerance as a loss, 0..1."""
        return -math.expm1(-self.tolerance)

    @property
    def doubt(self) -> float:
        """Upper bound of the probability that another split is better, 0..1.

        Better means by more than the tolerance.
        """
        return min(1.0, math.fsum(rival.p_better for rival in self.rivals.values()))

    @property
    def allowed_doubt(self) -> float:
        """Largest doubt at which the claim still holds at 95 %, 0..1."""
        rival = max(self.rivals.values(), key=lambda rival: rival.p_better, default=None)
        if rival is None or self.dof < LEAST_DOF:
            return float(rival is None)
        return allowed_doubt(self.sd, rival.scale, rival.dof)

    @property
    def uncertified_splits(self) -> tuple[str, ...]:
        """The splits without a certificate against the leader.

        A certificate proves that a split is better by no more than the tolerance. All certificates together hold at 95
        % (Bonferroni), after any number of interim looks.
        """
        needed = len(self.rivals) / (1 - CONFIDENCE)
        return tuple(label for label, rival in self.rivals.items() if rival.evidence < needed)

    @property
    def possible(self) -> tuple[str, ...]:
        """The splits that may be as good as the leader, best first.

        These splits are not excluded by the tolerance at 95 % confidence, all together.
        """
        allowed = (1 - CONFIDENCE) / max(1, len(self.rivals))
        order = [label for label in self.values if label != self.leader]
        return tuple(label for label in order if 1 - self.rivals[label].p_worse > allowed)

    @property
    def threats(self) -> tuple[str, ...]:
        """The fewest splits without which the doubt is allowed, the likeliest first.

        Ties stay together.
        """
        order = sorted(self.rivals, key=lambda label: -self.rivals[label].p_better)
        left, cut = self.doubt, 0
        while cut < len(order) and (left > self.allowed_doubt or (cut and self._is_tied(order[cut - 1], order[cut]))):
            cut += 1
            left = math.fsum(self.rivals[label].p_better for label in order[cut:])
        return tuple(order[:cut])

    def _is_tied(self, one: str, other: str) -> bool:
        return abs(self.rivals[one].p_better - self.rivals[other].p_better) < _TIE


def select_judged(cells: TrialCells, weights: Mapping[str, float]) -> TrialCells:
    """Return only the splits that were measured under every load with weight.

    At least one block must contain all of these loads. The original settings are excluded.

    Args:
        cells: All trials.
        weights: Load to normalised weight, 0..1.
    """
    return _select_labels(cells, [label for label in list_measured_labels(cells, weights) if label != BASELINE])


def select_with_baseline(cells: TrialCells, weights: Mapping[str, float]) -> TrialCells:
    """Return the judged splits and, where they were measured, the original settings.

    Args:
        cells: All trials.
        weights: Load to normalised weight, 0..1.
    """
    return _select_labels(cells, list_measured_labels(cells, weights))


def list_measured_labels(cells: TrialCells, weights: Mapping[str, float]) -> list[str]:
    """Return the labels that were measured under every load with weight.

    At least one block must contain all of these loads.

    Args:
        cells: All trials.
        weights: Load to normalised weight, 0..1.
    """
    if not cells.labels:
        return []
    seen = ~np.isnan(cells.utility(weights))
    return [label for i, label in enumerate(cells.labels) if seen[:, i].any()]


def _select_labels(cells: TrialCells, labels: Sequence[str]) -> TrialCells:
    """Return the cells of these labels, without blocks that measured none of them."""
    chosen = [cells.labels.index(label) for label in labels]
    x = cells.x[:, chosen, :]
    rows = ~np.isnan(x).all(axis=(1, 2)) if chosen else np.zeros(len(x), dtype=bool)
    if len(chosen) == len(cells.labels) and rows.all():
        return cells  # keeps the cached fits
    return msgspec.structs.replace(cells, settings=tuple(cells.settings[i] for i in chosen), x=x[rows])


def compare_with_leader(
    cells: TrialCells, weights: Mapping[str, float], leader: str = "", objective: Objective = _WEIGHTED
) -> LeaderComparison:
    """Compare all splits of `cells` with the best split or with the named split.

    Args:
        cells: The judged splits (`select_judged`), at least one.
        weights: Load to normalised weight, 0..1.
        leader: Label of the split to compare with; empty for the best split.
        objective: Meaning of "best", and the tolerance.
    """
    if not objective.weighs:
        return _compare_samples(cells, objective, leader)
    u = cells.utility(weights)
    fit = fit_additive(u, cells.slopes, cells.prior_sd)
    shifts = compute_corrections(cells, weights)
    priors = prior_utilities(cells.history, cells.mixes, weights)
    squares = sum_weight_squares(cells.mixes, weights)
    values = _combine_values(cells, fit, fit.means + shifts, priors, squares)
    chosen = cells.labels.index(leader) if leader else _find_best(cells, values)
    pooled = fit.pooled_variance(squares)
    against = partial(_compare_differences, fit=fit, squares=squares, tolerance=objective.tolerance)
    rivals = {
        label: combine_comparison(
            against(u[:, chosen] - u[:, i], float(shifts[chosen] - shifts[i])),
            priors.get(cells.labels[chosen]),
            priors.get(label),
        )
        for i, label in enumerate(cells.labels)
        if i != chosen
    }
    return LeaderComparison(
        leader=cells.labels[chosen],
        values=_rank_values(cells, values, chosen),
        rivals=rivals,
        sd=math.sqrt(pooled / squares),
        passes=int((~np.isnan(u)).any(axis=1).sum()),
        trials=dict(zip(cells.labels, map(int, (~np.isnan(u)).sum(axis=0)), strict=True)),
        adjusted=cells.slopes > 0,
        tolerance=objective.tolerance,
        dof=fit.dof,
    )


def _combine_values(
    cells: TrialCells, fit: AdditiveFit, values: Floats, priors: Mapping[str, PriorUtility], squares: float
) -> Floats:
    """Return ln(utility) per split, combined from own trials and history."""
    if not priors:
        return values
    variance = fit.pooled_variance(squares)
    own = {label: float(value) for label, value in zip(cells.labels, values, strict=True)}
    errors = {label: variance * float(part) for label, part in zip(cells.labels, variance_factors(fit), strict=True)}
    found = combine_means(own, errors, priors)
    return np.array([found[label] for label in cells.labels])


def _compare_samples(cells: TrialCells, objective: Objective, leader: str) -> LeaderComparison:
    """Compare by random draws; the leader has the least expected loss."""
    worth = sample_objective(cells, objective)
    values = worth.values.mean(axis=1)
    chosen = cells.labels.index(leader) if leader else _find_best(cells, values)
    measured = ~np.isnan(cells.x.sum(axis=2))
    leads, together = worth.values[chosen] - worth.values, measured[:, chosen]
    return LeaderComparison(
        leader=cells.labels[chosen],
        values=_rank_values(cells, values, chosen),
        rivals={
            label: _compare_drawn_pair(leads[i], int((together & measured[:, i]).sum()), worth.dof, objective.tolerance)
            for i, label in enumerate(cells.labels)
            if i != chosen
        },
        sd=worth.sd,
        passes=int(measured.any(axis=1).sum()),
        trials=dict(zip(cells.labels, map(int, measured.sum(axis=0)), strict=True)),
        yardsticks=tuple(cells.labels[i] for i in worth.yardsticks),
        bound=float(np.quantile(-leads.min(axis=0), CONFIDENCE)),
        adjusted=cells.slopes > 0,
        tolerance=objective.tolerance,
        dof=worth.dof,
    )


def _compare_drawn_pair(leads: Floats, pairs: int, all_dof: int, tolerance: float) -> PairwiseComparison:
    """Return the comparison from draws of the lead.

    Its t distribution has the mean and the deviation of the draws.
    """
    own = max(pairs, 1) - 1
    dof = borrowed_dof(own, all_dof) + own
    scale = max(float(leads.std()) * math.sqrt(max(dof - 2, 1) / dof), _TIE)
    better, worse = float((leads < -tolerance).mean()), float((leads > tolerance).mean())
    ahead = float(leads.mean())
    return PairwiseComparison(
        ahead=ahead, scale=scale, dof=dof, pairs=pairs, p_better=better, p_worse=worse, tolerance=tolerance
    )


def _rank_values(cells: TrialCells, values: Floats, chosen: int) -> dict[str, float]:
    order = sorted(range(len(values)), key=lambda i: (-round(float(values[i]), 9), i != chosen, cells.labels[i]))
    return {cells.labels[i]: float(values[i] - values[chosen]) for i in order}


def _find_best(cells: TrialCells, values: Floats) -> int:
    """Return the index of the best split.

    Among equal splits the more central one wins, so the answer never depends on an order.
    """
    best = float(values.max())
    level = [i for i, value in enumerate(values) if value >= best - _TIE]
    return min(level, key=lambda i: (abs(cells.positions[i]), cells.positions[i]))


def sum_weight_squares(mixes: Sequence[Sequence[str]], weights: Mapping[str, float]) -> float:
    """Return the variance of the weighted mean, in units of a trial's variance.

    Members of a mix count as fully correlated.

    Args:
        mixes: The loads that run together; a load that runs alone is a mix of one.
        weights: Load to normalised weight, 0..1; a load that is missing has none.
    """
    return math.fsum(math.fsum(weights.get(name, 0.0) for name in mix) ** 2 for mix in mixes)


def _compare_differences(
    differences: Floats, shift: float, *, fit: AdditiveFit, squares: float, tolerance: float
) -> PairwiseComparison:
    pairs = differences[~np.isnan(differences)]
    if len(differences) == 1 and len(pairs) == 1:
        return compare_single_pair(float(pairs[0]), squares, tolerance)
    borrowed = fit.borrowed(max(0, len(pairs) - 1))
    return compare_pair(pairs, shift, 2 * fit.pooled_variance(squares), tolerance, borrowed)
