"""Make the history of a sweep from an earlier run, and check it against the sweep's own trials.

Means are per load and relative within the run: the heights of two days do not matter, and other weights of the loads
need no other history. A history that one setting contradicts is discarded as a whole. While none does, settings may
still have moved by more than expected; the variance between the runs is then what both runs show (DerSimonian and
Laird, Controlled Clinical Trials 7, 1986).
"""

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

import msgspec

from scheduler.model.documents import VisitDone
from scheduler.model.history import CarriedHistory, History, LoadHistory, SettingMean
from scheduler.model.spec import RunSpec
from scheduler.model.words import load_title, percent
from scheduler.stats.compare import Cells, Fit, LoadFit
from scheduler.stats.variates import steadied_cells

BETWEEN_RUNS_SD = 0.01
"""Deviation by which a setting's ln(throughput) changes between two runs at least. Chosen (decide.md 3.6); a pair of
runs shows its own."""

MOST_ERRORS = 3.0
"""Standard errors by which a setting may lie away from its history before the history is discarded."""

_LEAST_SETTINGS = 2
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LEAST_DOF = 2  # of the earlier run: less shows no variance


class Agreement(msgspec.Struct, frozen=True):
    """The outcome of the check of a history.

    Attributes:
        carried: The history that counts; None when it was discarded or there is none.
        label: Label of the setting that contradicts it; empty when none does.
        away_frac: By how much that setting lies away from the history, as a fraction of its throughput.
        load: Load under which it does.
        trials: Number of trials of each split that the history counts like; 0 when it does not count.
    """

    carried: CarriedHistory | None = None
    label: str = ""
    away_frac: float = 0.0
    load: str = ""
    trials: float = 0.0


def history_of(visits: Sequence[VisitDone], spec: RunSpec, run_id: str, date: datetime.date) -> History | None:
    """Return the means of a run for the next run to begin with; None where its trials show no variance.

    Args:
        visits: All trials of the earlier run.
        spec: Its plan.
        run_id: Its id.
        date: Local date of its start.
    """
    cells = steadied_cells(visits, spec)
    loads: dict[str, LoadHistory] = {}
    for kind, found in zip(cells.kinds, cells.load_fits, strict=True):
        if found is None or len(found.seen) < _LEAST_SETTINGS or found.fit.dof < _LEAST_DOF:
            return None
        loads[kind] = _load_history(cells, found)
    return History(run_id=run_id, date=date, loads=loads)


def _load_history(cells: Cells, found: LoadFit) -> LoadHistory:
    fit = found.fit
    variances = fit.variances
    errors = variances / fit.trials
    labels = [cells.labels[i] for i in found.seen]
    log_rates = fit.means + variances / 2
    means = {
        label: SettingMean(float(log_rate), float(error))
        for label, log_rate, error in zip(labels, log_rates, errors, strict=True)
    }
    return LoadHistory(means, fit.pooled_variance(), fit.dof)


class _Departure(NamedTuple):
    """A setting's own mean against its history, under one load."""

    label: str
    load: str
    away: float
    variance: float


def check_history(history: History | None, cells: Cells) -> Agreement:
    """Return the history that counts for these trials, or the setting that contradicts it.

    Args:
        history: The history of the run; None for none.
        cells: The run's own trials, the original settings included.
    """
    if history is None or not history.loads:
        return Agreement()
    by_load = [_departures(kind, history, cells) for kind in cells.kinds if kind in history.loads]
    found = [departure for load in by_load for departure in load]
    far = [one for one in found if _errors(one) > MOST_ERRORS]
    if far:
        worst = max(far, key=_errors)
        return Agreement(label=worst.label, away_frac=math.expm1(worst.away), load=worst.load)
    between = max(BETWEEN_RUNS_SD**2, _between_variance(by_load))
    carried = CarriedHistory(history.loads, between)
    return Agreement(carried, trials=_trials(history.loads, between))


def carry_history(history: History | None, cells: Cells) -> tuple[Cells, Agreement]:
    """Return the cells with the history that counts for them, and the outcome of its check."""
    found = check_history(history, cells)
    return (msgspec.structs.replace(cells, history=found.carried) if found.carried else cells), found


def history_sentence(history: History | None, found: Agreement) -> str:
    """Return how much the history counts, or why it does not, as one sentence; empty without one."""
    if history is None:
        return ""
    if history.unused:
        return f"The run of {history.day} was not used: {history.unused}."
    if found.label:
        where = f"{found.label} is {percent(abs(found.away_frac))} away from it under {load_title(found.load)}"
        return f"The run of {history.day} was discarded: {where}."
    return f"Counts the run of {history.day} like {_trial_words(found.trials)} of each split."


def _trial_words(trials: float) -> str:
    count = round(trials)
    if count < 1:
        return "less than one trial"
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{number} {'trial' if count == 1 else 'trials'}"


def _errors(one: _Departure) -> float:
    return abs(one.away) / math.sqrt(one.variance + BETWEEN_RUNS_SD**2)


def _departures(kind: str, history: History, cells: Cells) -> list[_Departure]:
    found, earlier = cells.load_fits[cells.kinds.index(kind)], history.loads[kind]
    if found is None:
        return []
    trial_variance = _trial_variance(found.fit, earlier)
    log_rates = found.fit.means + found.fit.variances / 2
    rows = [
        (cells.labels[i], float(mean), trial_variance / int(trials))
        for i, mean, trials in zip(found.seen, log_rates, found.fit.trials, strict=True)
        if cells.labels[i] in earlier.means
    ]
    pairs = [
        (label, mean - earlier.means[label].log_rate, own + earlier.means[label].variance) for label, mean, own in rows
    ]
    height = _centre((away, 1 / (variance + BETWEEN_RUNS_SD**2)) for _, away, variance in pairs)
    return [_Departure(label, kind, away - height, variance) for label, away, variance in pairs]


def _trial_variance(fit: Fit, earlier: LoadHistory) -> float:
    """Return the variance of a trial as both runs show it together."""
    return (earlier.dof * earlier.trial_variance + fit.rss) / (earlier.dof + fit.dof)


def _centre(values: Iterable[tuple[float, float]]) -> float:
    listed = list(values)
    total = math.fsum(weight for _, weight in listed)
    return math.fsum(value * weight for value, weight in listed) / total if total else 0.0


def _between_variance(by_load: Sequence[Sequence[_Departure]]) -> float:
    """Return the variance between the runs as the departures show it, >= 0."""
    excess = freedom = 0.0
    for departures in by_load:
        weights = [1 / one.variance for one in departures]
        total = math.fsum(weights)
        if len(weights) < _LEAST_SETTINGS:
            continue
        height = math.fsum(weight * one.away for weight, one in zip(weights, departures, strict=True)) / total
        squares = math.fsum(weight * (one.away - height) ** 2 for weight, one in zip(weights, departures, strict=True))
        excess += squares - (len(weights) - 1)
        freedom += total - math.fsum(weight**2 for weight in weights) / total
    return max(0.0, excess / freedom) if freedom else 0.0


def _trials(loads: Mapping[str, LoadHistory], between: float) -> float:
    """Return the number of trials that would tell as much of a split, the median over splits and loads."""
    return median(
        load.trial_variance / (mean.variance + between) for load in loads.values() for mean in load.means.values()
    )
