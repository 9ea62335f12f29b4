"""Check of the history of a sweep against the sweep's own trials.

The check compares each setting's mean of ln(throughput) over all loads, relative to the other settings. A history that
one setting contradicts is discarded as a whole. Otherwise settings may still have changed by more than expected. The
variance between the runs is then learned from both runs (DerSimonian and Laird, Controlled Clinical Trials 7, 1986).
"""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean, median
from typing import NamedTuple

import msgspec

from scheduler.model.earlier_run import AcceptedHistory, EarlierRun, LoadHistory
from scheduler.stats.mean_errors import variance_factors
from scheduler.stats.paired_comparison import AdditiveFit, TrialCells

BETWEEN_RUNS_SD = 0.01
"""Least standard deviation of the change of ln(throughput) between two runs. Chosen; a pair of runs may show more."""

GAIN_BETWEEN_RUNS_SD = 0.03
"""The same for gains over the original settings: these cause changes, and ten settings hardly show a shift of 3 %."""

MOST_ERRORS = 3.0
"""Distance of a setting from its history, in standard errors, above which the history is discarded."""

_TRUSTED = 0.5
"""Fraction of an excess over `BETWEEN_RUNS_SD` that counts: ten settings hardly show the variance between two runs.
Calibrated by `python -m tests.bench.second_sweep`."""

_LEAST_SETTINGS = 3  # in both runs: relative means of two settings give one difference only


class HistoryAgreement(msgspec.Struct, frozen=True):
    """The result of the check of a history.

    Attributes:
        carried: The history that counts; None when it was discarded or there is none.
        label: Label of the setting that contradicts the history; empty for none.
        away_frac: Distance of that setting from the history, as a fraction of its throughput.
        trials: Number of trials of each split that the history counts like; 0 when it does not count.
    """

    carried: AcceptedHistory | None = None
    label: str = ""
    away_frac: float = 0.0
    trials: float = 0.0


class _Departure(NamedTuple):
    """A setting's own mean minus its mean in the history.

    Attributes:
        label: The setting.
        away: Difference of ln(throughput), mean over the loads, relative to the other settings.
        variance: Variance of the difference without a change between the runs, > 0.
    """

    label: str
    away: float
    variance: float


def carry_history(history: EarlierRun | None, cells: TrialCells) -> tuple[TrialCells, HistoryAgreement]:
    """Return the cells with the history that counts, and the result of its check.

    Args:
        history: The history of the run; None for none.
        cells: The run's own trials, the original settings included.
    """
    found = check_history(history, cells)
    return (msgspec.structs.replace(cells, history=found.carried) if found.carried else cells), found


def check_history(history: EarlierRun | None, cells: TrialCells) -> HistoryAgreement:
    """Return the history that counts, or the setting that contradicts the history.

    Args:
        history: The history of the run; None for none.
        cells: The run's own trials, the original settings included.
    """
    departures = _find_departures(history, cells) if history else []
    if history is None or len(departures) < _LEAST_SETTINGS:
        return HistoryAgreement()
    worst = max(departures, key=_standardised_departure)
    if _standardised_departure(worst) > MOST_ERRORS:
        return HistoryAgreement(label=worst.label, away_frac=math.expm1(worst.away))
    estimate = _between_variance(departures)
    least = BETWEEN_RUNS_SD**2
    between = least + _TRUSTED * max(0.0, estimate - least)
    carried = AcceptedHistory(
        loads=history.loads,
        between_variance=between,
        gain_variance=max(GAIN_BETWEEN_RUNS_SD**2, estimate),
        dof=len(departures) - 1,
    )
    return HistoryAgreement(carried, trials=_equivalent_trials(history.loads, between))


def _standardised_departure(one: _Departure) -> float:
    return abs(one.away) / math.sqrt(one.variance + BETWEEN_RUNS_SD**2)


def _find_departures(history: EarlierRun, cells: TrialCells) -> list[_Departure]:
    """Return the departures of the settings that both runs measured.

    A setting counts when both runs measured it under every load that both have.
    """
    by_load = {
        kind: _load_departures(cells, load, history.loads[kind])
        for load, kind in enumerate(cells.kinds)
        if kind in history.loads and cells.load_fits[load] is not None
    }
    if not by_load:
        return []
    labels = [label for label in cells.labels if all(label in rows for rows in by_load.values())]
    rows = [
        _Departure(label, *_average_over_loads({kind: rows[label] for kind, rows in by_load.items()}, cells.mixes))
        for label in labels
    ]
    height = _weighted_centre(rows, BETWEEN_RUNS_SD**2)
    return [row._replace(away=row.away - height) for row in rows]


def _load_departures(cells: TrialCells, load: int, earlier: LoadHistory) -> dict[str, tuple[float, float]]:
    """Return label to the difference of ln(throughput) and its variance, for one load."""
    found = cells.load_fits[load]
    if found is None:
        return {}
    trial_variance = _trial_variance(found.fit, earlier)
    log_rates = found.fit.means + found.fit.variances / 2
    rows: dict[str, tuple[float, float]] = {}
    for i, log_rate, factor in zip(found.seen, log_rates, variance_factors(found.fit), strict=True):
        before = earlier.means.get(cells.labels[i])
        if before is not None:
            variance = trial_variance * float(factor) + before.variance
            rows[cells.labels[i]] = float(log_rate) - before.log_rate, variance
    return rows


def _trial_variance(fit: AdditiveFit, earlier: LoadHistory) -> float:
    """Return the variance of a trial, pooled over both runs."""
    return (earlier.dof * earlier.trial_variance + fit.rss) / (earlier.dof + fit.dof)


def _average_over_loads(rows: Mapping[str, tuple[float, float]], mixes: Sequence[Sequence[str]]) -> tuple[float, float]:
    """Return mean and variance over the loads.

    Members of a mix count as fully correlated.

    Args:
        rows: Load to mean and variance.
        mixes: The loads that run together; a load that runs alone is a mix of one.
    """
    errors = (math.fsum(math.sqrt(rows[name][1]) for name in mix if name in rows) / len(rows) for mix in mixes)
    return fmean(away for away, _ in rows.values()), math.fsum(error**2 for error in errors)


def _weighted_centre(rows: Sequence[_Departure], between: float) -> float:
    """Return the mean departure, weighted by precision."""
    parts = [1 / (row.variance + between) for row in rows]
    return math.fsum(part * row.away for part, row in zip(parts, rows, strict=True)) / math.fsum(parts)


def _between_variance(rows: Sequence[_Departure]) -> float:
    """Return the variance between the runs, estimated from the departures.

    Negative when the runs agree better than by chance (DerSimonian and Laird, 1986).
    """
    height = _weighted_centre(rows, 0.0)
    parts = [1 / row.variance for row in rows]
    total = math.fsum(parts)
    squares = math.fsum(part * (row.away - height) ** 2 for part, row in zip(parts, rows, strict=True))
    freedom = total - math.fsum(part**2 for part in parts) / total
    return (squares - (len(rows) - 1)) / freedom


def _equivalent_trials(loads: Mapping[str, LoadHistory], between: float) -> float:
    """Return the number of trials that would show as much about a split.

    The number is the median over splits and loads.
    """
    return median(
        load.trial_variance / (mean.variance + between) for load in loads.values() for mean in load.means.values()
    )
