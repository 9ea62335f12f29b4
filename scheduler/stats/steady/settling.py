"""Settling time of throughput after each kind of change.

The seconds of one trial are too noisy, so trials are pooled. After a change of the split, the measure is the rest of
the old rate. It is the deviation from the trial's final rate, divided by the deviation of the old rate. After a start
of the load or of the database there is no old rate, and the measure is the deviation itself. Medians prevent that a
stall counts as a warm-up. The settling time is shown and changes no trial. In simulated races, warm-ups learned from
settling times saved no time (see the page on statistics).
"""

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler.model.documents import SettlingCause, TrialDone
from scheduler.model.results import SettlingTime
from scheduler.stats.stalls import mark_counted_seconds, may_have_more_results

Floats = NDArray[np.float64]

LEVEL_FRAC = 0.03
"""Largest relative distance from the final rate in the steady state."""

_HOLD_S = 4  # the steady state must last so long
_LEAST_S = 3  # the smoothing uses a second before and after
_LEAST_CHANGES = 6.0  # sum of their weights
_LEAST_LEVER = 0.05  # relative distance of the old rate from the new; a smaller one shows nothing
_SPREAD = 1.4826 * math.sqrt(math.pi / 2)  # from the median deviation to the error of a median, for normal values


class _ChangeRows:
    """Trials after one kind of change, one per row.

    Rows are only added, so that another row costs no more than itself.
    """

    def __init__(self) -> None:
        self._left: Floats = np.empty((8, 0))
        self._weight: Floats = np.empty(8)
        self._cut_s: Floats = np.empty(8)
        self.count = 0

    def add(self, left: Floats, weight: float, excluded_s: float) -> None:
        """Add the rest of the change in each second, its weight, and the excluded seconds."""
        length = len(left) if self.count == 0 else min(len(left), self._left.shape[1])
        if self.count == len(self._weight):
            self._left, self._weight, self._cut_s = map(_double_rows, (self._left, self._weight, self._cut_s))
        if self.count == 0:
            self._left = np.empty((8, length))
        elif length < self._left.shape[1]:
            self._left = self._left[:, :length].copy()
        self._left[self.count], self._weight[self.count], self._cut_s[self.count] = left[:length], weight, excluded_s
        self.count += 1

    @property
    def left(self) -> Floats:
        """Rest of the change; shape (rows, seconds that all rows have)."""
        return self._left[: self.count]

    @property
    def weight(self) -> Floats:
        """Weight of each row, 0..1."""
        return self._weight[: self.count]

    @property
    def excluded_s(self) -> Floats:
        """Excluded seconds of each row."""
        return self._cut_s[: self.count]


class SettlingPool:
    """Pool of trials by kind of change, fed in constant time per trial."""

    def __init__(self) -> None:
        self._rows: dict[SettlingCause, _ChangeRows] = {}
        self._before: dict[Hashable, TrialDone] = {}  # results of the previous trial, by member
        self._now: dict[Hashable, TrialDone] = {}  # results of the last trial, by member

    def take(self, trial: TrialDone) -> None:
        """Add one trial, in the order measured."""
        if (
            not may_have_more_results(trial)
            or trial.member in self._now
            or all(trial.trial != v.trial for v in self._now.values())
        ):
            self._before, self._now = self._now, {}
        self._now[trial.member] = trial
        before = self._before.get(trial.member)
        end = _final_rate(trial)
        lever = _deviation_divisor(trial, before, end) if trial.valid and end > 0 else 0.0
        if abs(lever) < _LEAST_LEVER:
            return
        rates = np.array([trial.rates_tps[0], *trial.rates_tps, trial.rates_tps[-1]])
        left = (np.convolve(rates, np.full(3, 1 / 3), "valid") / end - 1) / lever
        excluded_s = len(trial.rates_tps) - trial.seconds
        self._rows.setdefault(trial.change, _ChangeRows()).add(left, min(1.0, lever**2), excluded_s)

    def found(self) -> tuple[SettlingTime, ...]:
        """Return the settling time after each kind of change that happened."""
        return tuple(
            _summarise_settling(change, self._rows[change]) for change in SettlingCause if change in self._rows
        )


def find_settling_times(trials: Sequence[TrialDone]) -> tuple[SettlingTime, ...]:
    """Return the settling time after each kind of change among these trials.

    The trials are in the order measured.
    """
    settler = SettlingPool()
    for trial in trials:
        settler.take(trial)
    return settler.found()


def _deviation_divisor(trial: TrialDone, before: TrialDone | None, end: float) -> float:
    """Return the relative distance of the old rate from the new; 0 when not known.

    After a start the divisor is 1, as there is no old rate.
    """
    if trial.change is not SettlingCause.SPLIT:
        return 0.0 if trial.change is SettlingCause.NONE else 1.0
    return before.mean_tps / end - 1 if before is not None and before.valid else 0.0


def _final_rate(trial: TrialDone) -> float:
    """Return the mean rate of the last half of the trial's window, without stalls.

    A trial without rates has 0.
    """
    last = trial.rates_tps[-max(1, int(trial.seconds) // 2) :]
    kept = [rate for rate, flows in zip(last, mark_counted_seconds(last), strict=True) if flows]
    return sum(kept) / len(kept) if kept else 0.0


def _double_rows(one: Floats) -> Floats:
    return np.concatenate((one, np.empty_like(one)))


def _summarise_settling(change: SettlingCause, rows: _ChangeRows) -> SettlingTime:
    table, weights, length = rows.left, rows.weight, rows.left.shape[1]
    middle = _weighted_medians(table, weights)
    error = _SPREAD * _weighted_medians(np.abs(table - middle), weights) / math.sqrt(weights.sum())
    half = length // 2
    level = np.abs(middle) < LEVEL_FRAC
    starts = (at for at in range(_LEAST_S, min(half, length - _HOLD_S) + 1) if level[at : at + _HOLD_S].all())
    at = next(starts, None)
    judged = slice(half if at is None else at, (half if at is None else at) + _HOLD_S)
    enough = float(weights.sum()) >= _LEAST_CHANGES and length > _HOLD_S
    certain = enough and float(error[judged].mean()) <= LEVEL_FRAC
    excluded_s = float(np.median(rows.excluded_s))
    return SettlingTime(
        change=change,
        changes=rows.count,
        excluded_s=excluded_s,
        searched_s=half,
        found_s=at if certain else None,
        certain=certain,
    )


def _weighted_medians(table: Floats, weights: Floats) -> Floats:
    """Return the weighted median of each column."""
    order = np.argsort(table, axis=0)
    sums = np.cumsum(weights[order], axis=0)
    rows = (sums < sums[-1] / 2).sum(axis=0)
    return np.take_along_axis(np.take_along_axis(table, order, axis=0), rows[None, :], axis=0)[0]
