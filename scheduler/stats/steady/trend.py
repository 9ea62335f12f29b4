"""Trials without a steady state in their measured window.

The second half of such a window differs from the first, or its warm-up fills half of it. The halves differ if their
difference exceeds three standard errors. Successive seconds are correlated (an autoregression of first order), so that
the error exceeds that of independent seconds. Autocorrelation and variance are pooled over all trials of a load, since
ten seconds alone show neither. Of simulated steady windows, 1 % are found unsteady; with separate estimates for each
window 15 % were.
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
_LEAST_S = 6  # seconds of a window, as halves of less than three seconds show nothing
_LEAST_TRIALS = 20  # of a load, for pooling; of 12 trials, up to two fifths were found unsteady by chance
_MOST_VALUES = 60  # longer windows are averaged, as only slow changes matter
_MSER_S = 120  # steady windows have a warm-up of half by chance: 26 % at 30 s, 9 % at 60 s, 3 % at 120 s
_CORRELATIONS = np.linspace(0.0, 0.95, 20)


def find_unsteady_trials(trials: Sequence[TrialDone]) -> frozenset[int]:
    """Return the numbers of the trials without a steady state, as far as known.

    Runs without rates have no such trials.
    """
    found: set[int] = set()
    for member in {trial.member for trial in trials}:
        windows = {trial.trial: _relative_window(trial) for trial in trials if trial.member == member and trial.valid}
        found |= _find_moving({number: window for number, window in windows.items() if len(window) >= _LEAST_S})
    return frozenset(found)


def _relative_window(trial: TrialDone) -> Floats:
    """Return the window's seconds without stalls, relative to their mean, minus 1.

    A window without throughput is empty.
    """
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
    """Variance and correlation of seconds within windows, after removal of a line.

    A straight line is removed from each window, so that a trend does not hide itself. The removal also takes some of
    the variance and correlation, more in shorter windows. The amount is known exactly for an autoregression. So the
    correlation is looked up whose residuals would have the observed correlation.
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
    """Return the matrix that projects a window on its straight line.

    The matrix is shared and read-only.
    """
    basis, _ = np.linalg.qr(np.column_stack((np.ones(length), np.arange(length))))
    line = basis @ basis.T
    line.flags.writeable = False
    return line


@lru_cache(maxsize=_MOST_VALUES)
def _residual_correlations(length: int) -> tuple[float, ...]:
    """Return the correlation of residuals for each of `_CORRELATIONS`.

    Residuals are those from a straight line in windows of a length.
    """
    left = [_residual_covariance(correlation, length) for correlation in _CORRELATIONS]
    return tuple(float(np.diag(matrix, 1).sum() / np.trace(matrix)) for matrix in left)


def _residual_covariance(correlation: float, length: int) -> Floats:
    """Return the covariance of the residuals from a straight line."""
    taken = np.eye(length) - _line_projection(length)
    return taken @ _covariance_matrix(correlation, length) @ taken
