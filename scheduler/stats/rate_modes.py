"""Detection of loads whose trials run at two rates under one and the same split.

A public benchmark did so on one machine: its rates were 55 % apart (TPC-Council/HammerDB issue 822). A small difference
between splits may then be luck. No trial is excluded for its rate.
"""

import math
from collections.abc import Iterator, Sequence
from operator import itemgetter

import msgspec
import numpy as np
from numpy.typing import NDArray

from scheduler.model.documents import TrialDone
from scheduler.model.number_texts import format_percent
from scheduler.model.sentence_texts import format_load_rate, load_title
from scheduler.model.setting import label_of
from scheduler.stats.stalls import drop_superseded
from scheduler.translation import _

_LEAST_TRIALS = 12
_LEAST_RARER = 4  # trials at the rarer rate of their setting: one slow trial is no mode
_LEAST_SHARE = 0.1  # of all trials, the same
_LEAST_APART = math.log(1.1)  # smaller distances do little harm, and the luck of a few blocks looks like them
_APART_SDS, _APART_PER_FREEDOM = 3.3, 45.0
"""Least distance of the two rates, in deviations of a trial about its own rate: the first value, plus the second value
divided by the degrees of freedom. Exceeded in fewer than 1 % of simulated sweeps with one rate: normal and t(4)
deviates, 2 to 10 settings, 16 to 80 trials, and the noises of `make bench-decide`."""

_STEPS = 20


class TwoModes(msgspec.Struct, frozen=True, kw_only=True):
    """The two rates at which the trials under one load run.

    Attributes:
        load: Name of the load.
        unit: Unit of the rates.
        low_tps: Geometric mean rate over all settings if all trials were slow.
        high_tps: The same if all trials were fast.
    """

    load: str
    unit: str
    low_tps: float
    high_tps: float

    @property
    def sentence(self) -> str:
        """The finding as sentences for the user."""
        low, high = (format_load_rate(tps, self.load, self.unit) for tps in (self.low_tps, self.high_tps))
        return _(
            "Trials under {load} run at two rates, about {low} and {high} ({high_tps} more), "
            "under one and the same split. Small differences between splits may be luck: look "
            "for the cause in the benchmark and on the host."
        ).format(
            load=load_title(self.load), low=low, high=high, high_tps=format_percent(self.high_tps / self.low_tps - 1)
        )


def list_two_modes(trials: Sequence[TrialDone]) -> tuple[TwoModes, ...]:
    """Return the loads whose trials run at two rates; all trials may be given."""
    found = (detect_two_modes(trials, load) for load in sorted({trial.load for trial in trials}))
    return tuple(modes for modes in found if modes is not None)


def detect_two_modes(trials: Sequence[TrialDone], load: str) -> TwoModes | None:
    """Return the two rates of the trials under a load; None for one rate.

    Args:
        trials: All trials so far.
        load: Name of the load.
    """
    usable = [trial for trial in drop_superseded(trials) if trial.load == load and trial.valid and trial.mean_tps > 0]
    if len(usable) < _LEAST_TRIALS:
        return None
    labels = sorted({label_of(trial.setting) for trial in usable})
    member = np.array([[label_of(trial.setting) == label for label in labels] for trial in usable], dtype=float)
    logs: NDArray[np.float64] = np.array([math.log(trial.mean_tps) for trial in usable])
    divided = (_assign_trials(logs, member, start) for start in _guess_fast_trials(logs, member))
    fast, distance, squares = min(divided, key=itemgetter(2))
    rarer = int(np.minimum(member.T @ fast, member.T @ ~fast).sum())
    freedom = len(usable) - len(labels) - 1
    if freedom < 1 or rarer < max(_LEAST_RARER, _LEAST_SHARE * len(usable)):
        return None
    least_sds = _APART_SDS + _APART_PER_FREEDOM / freedom
    if distance < _LEAST_APART or distance < least_sds * math.sqrt(squares / freedom):
        return None
    low_tps = math.exp(float((logs - distance * fast).mean()))
    return TwoModes(load=load, unit=usable[0].unit, low_tps=low_tps, high_tps=low_tps * math.exp(distance))


def _guess_fast_trials(logs: NDArray[np.float64], member: NDArray[np.float64]) -> Iterator[NDArray[np.bool_]]:
    """Yield first guesses of the fast trials.

    First the trials above the mean of their setting, then those above the middle of its range.
    """
    yield _centre_by_setting(logs, member) > 0
    rows = [logs[column > 0] for column in member.T]
    yield logs > member @ np.array([float(row.min() + row.max()) / 2 for row in rows])


def _assign_trials(
    logs: NDArray[np.float64], member: NDArray[np.float64], start: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], float, float]:
    """Return the fast trials, their distance d from slow ones, and the squared error.

    Model: ln(rate) = mean of the setting + d if the trial is fast + error, with one d for all settings. Assignment and
    parameters are improved in turn, as in k-means.

    Args:
        logs: ln(rate) by trial.
        member: Array [trial, setting], 1 where the trial belongs to the setting, else 0.
        start: First guess of the fast trials.
    """
    own = _centre_by_setting(logs, member)
    fast, distance = start, 0.0
    for _unused in range(_STEPS):
        spread = _centre_by_setting(fast.astype(float), member)
        squares = float(spread @ spread)
        if squares <= 0:
            return fast, 0.0, math.inf
        distance = float(spread @ own) / squares
        now = _centre_by_setting(logs - distance * fast, member) + distance * fast > distance / 2
        if (now == fast).all():
            break
        fast = now
    left = _centre_by_setting(logs - distance * fast, member)
    return fast, distance, float(left @ left)


def _centre_by_setting(values: NDArray[np.float64], member: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values minus the mean of their setting."""
    return values - member @ (member.T @ values / member.sum(axis=0))
