"""How long throughput takes until it is level, found from the seconds after each kind of change.

One trial's seconds are too noisy to tell, so trials are pooled. After a change of the split the question is what is
left of the old rate: the deviation from the trial's own end over that of the old rate. After a start of the load or of
the database there is no old rate: it is the deviation itself. Medians, for a stall must not look like a warm-up. It is
shown and changes no trial: in simulated races cuts learned from it saved no time (see docs on statistics).
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
"""Closer to its end than this, throughput is level."""

_HOLD_S = 4  # it must stay so
_LEAST_S = 3  # the smoothing looks a second ahead and back
_LEAST_CHANGES = 6.0  # their weights together
_LEAST_LEVER = 0.05  # of the old rate above or below the new: less leaves nothing to see
_SPREAD = 1.4826 * math.sqrt(math.pi / 2)  # from the median deviation to the error of a median, of normal values


class _ChangeRows:
    """The trials after one kind of change, a row each; rows are only added, so that one more costs no more than it."""

    def __init__(self) -> None:
        self._left: Floats = np.empty((8, 0))
        self._weight: Floats = np.empty(8)
        self._cut_s: Floats = np.empty(8)
        self.count = 0

    def add(self, left: Floats, weight: float, cut_s: float) -> None:
        """Add what was left of the change in each second, how much that says, and what was cut, in seconds."""
        length = len(left) if self.count == 0 else min(len(left), self._left.shape[1])
        if self.count == len(self._weight):
            self._left, self._weight, self._cut_s = map(_double_rows, (self._left, self._weight, self._cut_s))
        if self.count == 0:
            self._left = np.empty((8, length))
        elif length < self._left.shape[1]:
            self._left = self._left[:, :length].copy()
        self._left[self.count], self._weight[self.count], self._cut_s[self.count] = left[:length], weight, cut_s
        self.count += 1

    @property
    def left(self) -> Floats:
        """Shape (rows, seconds that all of them have)."""
        return self._left[: self.count]

    @property
    def weight(self) -> Floats:
        """Between 0 and 1."""
        return self._weight[: self.count]

    @property
    def cut_s(self) -> Floats:
        """Seconds that were not counted."""
        return self._cut_s[: self.count]


class SettlingPool:
    """Pools trials as they come, in constant time each."""

    def __init__(self) -> None:
        self._rows: dict[SettlingCause, _ChangeRows] = {}
        self._before: dict[Hashable, TrialDone] = {}  # the results of the trial before, by member
        self._now: dict[Hashable, TrialDone] = {}  # those of the last one

    def take(self, trial: TrialDone) -> None:
        """Add one trial; in the order measured."""
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
        cut_s = len(trial.rates_tps) - trial.seconds
        self._rows.setdefault(trial.change, _ChangeRows()).add(left, min(1.0, lever**2), cut_s)

    def found(self) -> tuple[SettlingTime, ...]:
        """Return what is known of each kind of change that happened."""
        return tuple(
            _summarise_settling(change, self._rows[change]) for change in SettlingCause if change in self._rows
        )


def find_settling_times(trials: Sequence[TrialDone]) -> tuple[SettlingTime, ...]:
    """Return what is known of each kind of change among these trials, in the order measured."""
    settler = SettlingPool()
    for trial in trials:
        settler.take(trial)
    return settler.found()


def _deviation_divisor(trial: TrialDone, before: TrialDone | None, end: float) -> float:
    """Return what deviations are divided by: how far the old rate lies above the new; 0 where that is not known."""
    if trial.change is not SettlingCause.SPLIT:
        return 0.0 if trial.change is SettlingCause.NONE else 1.0
    return before.mean_tps / end - 1 if before is not None and before.valid else 0.0


def _final_rate(trial: TrialDone) -> float:
    """Return the mean of the last half of the measured window without stalls; 0 for a trial without rates."""
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
    cut_s = float(np.median(rows.cut_s))
    return SettlingTime(
        change=change,
        changes=rows.count,
        cut_s=cut_s,
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
