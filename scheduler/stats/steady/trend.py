"""Trials whose measured window still moves: its second half lies far from the first, or its warm-up fills half of it.

Far is more than three standard errors of that difference. Seconds follow each other (an autoregression of first
order), so the error is not that of independent ones; autocorrelation and variance are pooled over all trials under a
load, since ten seconds alone tell neither. Of simulated steady windows 1 % are called unsteady so; each
by itself, 15 % were.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from scheduler.model.documents import TrialDone
from scheduler.stats.stalls import mark_counted_seconds
from scheduler.stats.steady.mser import find_mser5_truncation

Floats = NDArray[np.float64]

_FAR = 3.0
_LEAST_S = 6  # seconds of a window: halves of less than three seconds show nothing
_LEAST_TRIALS = 20  # under a load, to pool: of 12, by chance, up to two fifths were called unsteady
_MOST_VALUES = 60  # longer windows are averaged: what matters is slow
_MSER_S = 120  # shorter steady windows land on half by chance: 26 % of those of 30 s, 9 % of 60 s, 3 % of 120 s
_CORRELATIONS = np.linspace(0.0, 0.95, 20)


def find_unsteady_trials(trials: Sequence[TrialDone]) -> frozenset[int]:
    """Return the numbers of the trials that were not steady, as far as can be told; none of runs without rates."""
    found: set[int] = set()
    for member in {trial.member for trial in trials}:
        windows = {trial.trial: _relative_window(trial) for trial in trials if trial.member == member and trial.valid}
        found |= _find_moving({number: window for number, window in windows.items() if len(window) >= _LEAST_S})
    return frozenset(found)


def _relative_window(trial: TrialDone) -> Floats:
    """Return the flowing seconds of the measured window over their mean, less 1; none where nothing was done."""
    rates = trial.rates_tps[-int(trial.seconds) :]
    kept = np.array([rate for rate, flows in zip(rates, mark_counted_seconds(rates), strict=True) if flows])
    return kept / kept.mean() - 1.0 if len(kept) and kept.mean() > 0 else np.empty(0)


def _average_batches(window: Floats) -> Floats:
    batch = -(-len(window) // _MOST_VALUES)
    return window[: len(window) // batch * batch].reshape(-1, batch).mean(axis=1)


def _find_moving(windows: dict[int, Floats]) -> set[int]:
    if len(windows) < _LEAST_TRIALS:
        return set()
    short = {number: _average_batches(window) for number, window in windows.items()}
    scatter = _Scatter(list(short.values()))
    late = {
        number
        for number, window in windows.items()
        if len(window) >= _MSER_S and find_mser5_truncation(window.tolist()) is None
    }
    return late | {
        number for number, window in short.items() if _half_difference(window) > _FAR * scatter.error(len(window))
    }


def _half_difference(window: Floats) -> float:
    half = len(window) // 2
    return abs(float(window[-half:].mean() - window[:half].mean()))


class _Scatter:
    """How seconds differ within windows, what a straight line explains of each taken out: a trend must not hide itself.

    That takes some of the scatter and of its correlation with it, the more the shorter the window; how much is known
    exactly for an autoregression, so the one is looked up whose residuals would be correlated as these are.
    """

    def __init__(self, windows: Sequence[Floats]) -> None:
        residuals = [window - _line_projection(len(window)) @ window for window in windows]
        squares = sum(float(x @ x) for x in residuals)
        raw = sum(float(x[1:] @ x[:-1]) for x in residuals) / squares if squares else 0.0
        length = round(sum(map(len, residuals)) / len(residuals))
        self._correlation = float(np.interp(raw, _residual_correlations(length), _CORRELATIONS))
        expected = {
            size: float(np.trace(_residual_covariance(self._correlation, size))) for size in set(map(len, residuals))
        }
        self._variance = float(np.median([float(x @ x) / expected[len(x)] for x in residuals]))

    def error(self, length: int) -> float:
        """Return the standard error of the difference of the halves' means."""
        places, half = np.arange(length), length // 2
        weights = np.where(places < half, -1.0, np.where(places >= length - half, 1.0, 0.0)) / half
        return math.sqrt(self._variance * float(weights @ _covariance_matrix(self._correlation, length) @ weights))


def _covariance_matrix(correlation: float, length: int) -> Floats:
    places = np.arange(length)
    return correlation ** np.abs(places[:, None] - places[None, :])


@lru_cache(maxsize=_MOST_VALUES)
def _line_projection(length: int) -> Floats:
    """Return the matrix that turns a window into the straight line that fits it; it is shared and cannot be written."""
    basis, _ = np.linalg.qr(np.column_stack((np.ones(length), np.arange(length))))
    line = basis @ basis.T
    line.flags.writeable = False
    return line


@lru_cache(maxsize=_MOST_VALUES)
def _residual_correlations(length: int) -> tuple[float, ...]:
    """Return what a straight line leaves of each of `_CORRELATIONS` in windows of a length."""
    left = [_residual_covariance(correlation, length) for correlation in _CORRELATIONS]
    return tuple(float(np.diag(matrix, 1).sum() / np.trace(matrix)) for matrix in left)


def _residual_covariance(correlation: float, length: int) -> Floats:
    """Return the covariance of what a straight line leaves of a window."""
    taken = np.eye(length) - _line_projection(length)
    return taken @ _covariance_matrix(correlation, length) @ taken
