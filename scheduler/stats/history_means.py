"""History of a sweep: the means of an earlier run, and how much they count.

Means are per load and relative within the run. So the levels of two days do not matter, and other weights of the loads
need no other history.
"""

import datetime
from collections.abc import Sequence

from scheduler.model.documents import TrialDone
from scheduler.model.earlier_run import EarlierRun, LoadHistory, SettingMean
from scheduler.model.number_texts import format_percent
from scheduler.model.setting import BASELINE
from scheduler.model.spec import RunSpec
from scheduler.stats.control_variates import build_adjusted_cells
from scheduler.stats.history_check import HistoryAgreement
from scheduler.stats.mean_errors import variance_factors
from scheduler.stats.paired_comparison import LoadFit, TrialCells
from scheduler.translation import _

_LEAST_SETTINGS = 2
_LEAST_DOF = 2  # of the earlier run: fewer show no variance
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def build_history(trials: Sequence[TrialDone], spec: RunSpec, run_id: str, date: datetime.date) -> EarlierRun | None:
    """Return the means of a run, for the next run to begin with.

    None where the trials show no variance.

    Args:
        trials: All trials of the earlier run.
        spec: Its plan.
        run_id: Its id.
        date: Local date of its start.
    """
    cells = build_adjusted_cells(trials, spec)
    loads: dict[str, LoadHistory] = {}
    for kind, found in zip(cells.kinds, cells.load_fits, strict=True):
        if found is None or len(found.seen) < _LEAST_SETTINGS or found.fit.dof < _LEAST_DOF:
            return None
        loads[kind] = _load_history(cells, found)
    return EarlierRun(run_id=run_id, date=date, loads=loads)


def _load_history(cells: TrialCells, found: LoadFit) -> LoadHistory:
    fit = found.fit
    variances = fit.variances
    errors = variances * variance_factors(fit)
    labels = [cells.labels[i] for i in found.seen]
    log_rates = fit.means + variances / 2
    means = {
        label: SettingMean(float(log_rate), float(error))
        for label, log_rate, error in zip(labels, log_rates, errors, strict=True)
    }
    return LoadHistory(means, fit.pooled_variance(), fit.dof)


def describe_history(history: EarlierRun | None, found: HistoryAgreement) -> str:
    """Return a sentence on how much the history counts, or why it does not.

    Args:
        history: The history; None gives an empty text.
        found: The result of its check.
    """
    if history is None:
        return ""
    if history.unused:
        return _("The run of {day} was not used: {unused}.").format(day=history.day, unused=history.unused)
    if found.label:
        away = format_percent(abs(found.away_frac))
        where = (
            _("the original settings are {away}").format(away=away)
            if found.label == BASELINE
            else _("{label} is {away}").format(label=found.label, away=away)
        )
        return _("The run of {day} was discarded: {where} away from it.").format(day=history.day, where=where)
    return _("Counts the run of {day} like {trial_words} of each split.").format(
        day=history.day, trial_words=_trial_words(found.trials)
    )


def _trial_words(trials: float) -> str:
    count = round(trials)
    if count < 1:
        return _("less than one trial")
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{number} {'trial' if count == 1 else 'trials'}"
