"""Regret table: the loss of each split, over all loads and by load.

The loss under a load is against that load's own best split.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from scheduler.model.results import RegretRow
from scheduler.stats.leader_comparison import LeaderComparison
from scheduler.stats.paired_comparison import TrialCells, estimate_scale, loss_interval_frac


def build_regret_table(cells: TrialCells, contest: LeaderComparison) -> tuple[RegretRow, ...]:
    """Return one row per judged split, best first.

    Args:
        cells: The judged splits.
        contest: Their comparison with the best split.
    """
    losses = {kind: _compute_losses(cells, i) for i, kind in enumerate(cells.kinds)}
    return tuple(
        RegretRow(
            setting=cells.find_setting(label),
            utility_frac=min(1.0, math.exp(value)),
            loss_frac={kind: rows[label][0] for kind, rows in losses.items() if label in rows},
            loss_ci95_frac=_drop_unknown({kind: rows[label][1] for kind, rows in losses.items() if label in rows}),
            p_worse=contest.rivals[label].p_worse if label in contest.rivals else 0.0,
        )
        for label, value in contest.values.items()
    )


def compute_load_means(cells: TrialCells, load: int) -> dict[str, float]:
    """Return label to the relative mean of ln(throughput) under one load.

    Only splits that were measured under the load have a mean.

    Args:
        cells: All trials.
        load: Index of the load in `cells.kinds`.
    """
    found = cells.load_fits[load]
    if found is None:
        return {}
    return {cells.labels[i]: float(mean) for i, mean in zip(found.seen, found.fit.means, strict=True)}


def _compute_losses(cells: TrialCells, load: int) -> dict[str, tuple[float, tuple[float, float] | None]]:
    found = cells.load_fits[load]
    if found is None:
        return {}
    means = compute_load_means(cells, load)
    best = max(means, key=lambda label: (round(means[label], 9), label))
    variance = 2 * found.fit.pooled_variance()
    columns = {cells.labels[i]: cells.x[:, i, load] for i in found.seen}
    rows: dict[str, tuple[float, tuple[float, float] | None]] = {}
    for label, value in means.items():
        pairs = columns[best] - columns[label]
        pairs = pairs[~np.isnan(pairs)]
        interval = None
        if len(pairs) > 1 and label != best:
            dof, scale = estimate_scale(pairs, variance, found.fit.borrowed(len(pairs) - 1))
            interval = loss_interval_frac(float(pairs.mean()), dof, scale)
        rows[label] = (max(0.0, -math.expm1(value - means[best])), interval)
    return rows


def _drop_unknown(intervals: Mapping[str, tuple[float, float] | None]) -> dict[str, tuple[float, float]]:
    return {kind: value for kind, value in intervals.items() if value is not None}


def find_best_weight_range(cells: TrialCells, label: str, rivals: Sequence[str]) -> tuple[float, float] | None:
    """Return the range of the first load's weight in which a split stays the best.

    None when there are not exactly two loads, or when the split is the best for no weight. The range is exact:
    ln(utility) is linear in the weight.

    Args:
        cells: The judged splits.
        label: Label of the split.
        rivals: Labels of the other splits.
    """
    if len(cells.kinds) != 2:
        return None
    first, second = compute_load_means(cells, 0), compute_load_means(cells, 1)
    low, high = 0.0, 1.0
    for rival in rivals:
        if rival not in first or rival not in second or label not in first or label not in second:
            return None
        at_zero, at_one = second[label] - second[rival], first[label] - first[rival]
        if at_zero < 0 and at_one < 0:
            return None
        if at_zero < 0:
            low = max(low, at_zero / (at_zero - at_one))
        elif at_one < 0:
            high = min(high, at_zero / (at_zero - at_one))
    return (low, high) if low < high else None
