"""Estimate of the time left, from the plan and the trials so far."""

from collections.abc import Sequence

from scheduler.model.spec import RunSpec
from scheduler.plans.study_plan import duration_s, list_certain_trials

# Weight of the planned overhead per change, in measured trials.
_PRIOR_TRIALS = 4


class TrialPace:
    """Estimate from the planned seconds and the measured overhead per trial.

    Args:
        nominal_s: Planned seconds (warm-up and measurement) of each trial, in order.
        overhead_s: Expected additional seconds per trial, >= 0.
    """

    def __init__(self, nominal_s: Sequence[float], overhead_s: float) -> None:
        self._nominal_s = list(nominal_s)
        self._todo_s = sum(self._nominal_s)
        self._todo = len(self._nominal_s)
        self._done: set[int] = set()
        self._overhead_s = overhead_s * _PRIOR_TRIALS
        self._seen = _PRIOR_TRIALS
        self._current: int | None = None
        self._current_nominal_s = 0.0
        self._started_s = 0.0
        self._last_done_s: float | None = None

    def started(self, trial: int, t_s: float, nominal_s: float) -> None:
        """Record the begin of a trial.

        Args:
            trial: Number of the trial, >= 0.
            t_s: Begin, seconds since the run began.
            nominal_s: Planned length, seconds.
        """
        self._current, self._started_s, self._current_nominal_s = trial, t_s, nominal_s
        if trial < len(self._nominal_s) and trial not in self._done:
            self._todo_s += nominal_s - self._nominal_s[trial]
            self._nominal_s[trial] = nominal_s

    def done(self, trial: int, t_s: float) -> None:
        """Record the end of a trial; a trial without a begin comes from an earlier run.

        Args:
            trial: Number of the trial, >= 0.
            t_s: End, seconds since the run began.
        """
        if trial in self._done or trial >= len(self._nominal_s):
            return
        self._done.add(trial)
        self._todo -= 1
        self._todo_s -= self._nominal_s[trial]
        if trial != self._current:
            return
        if self._last_done_s is not None:
            self._overhead_s += max(0.0, t_s - self._last_done_s - self._nominal_s[trial])
            self._seen += 1
        self._last_done_s, self._current = t_s, None

    def note_interruption(self) -> None:
        """Record a pause: the trial is repeated, and its time gives no estimate."""
        self._current = self._last_done_s = None

    def left_s(self, now_s: float) -> float:
        """Return the seconds left, >= 0."""
        overhead_s = self._overhead_s / self._seen
        left_s = self._todo_s + self._todo * overhead_s
        if self._current is not None:
            left_s -= min(max(0.0, now_s - self._started_s), self._current_nominal_s)
        return max(0.0, left_s)


class AdaptiveLimit(TrialPace):
    """Upper limit of the time left for a plan that ends when decided.

    Args:
        limit_s: Maximum seconds of warm-up and measurement.
    """

    def __init__(self, limit_s: float) -> None:
        super().__init__([], 0.0)
        self._limit_s = limit_s
        self._nominals_s: dict[int, float] = {}
        self._spent_s = 0.0

    def started(self, trial: int, t_s: float, nominal_s: float) -> None:
        """Record the begin of a trial.

        Args:
            trial: Number of the trial, >= 0.
            t_s: Begin, seconds since the run began.
            nominal_s: Planned length, seconds.
        """
        super().started(trial, t_s, nominal_s)
        self._nominals_s[trial] = nominal_s

    def done(self, trial: int, t_s: float) -> None:
        """Record the end of a trial.

        Args:
            trial: Number of the trial, >= 0.
            t_s: Not used.
        """
        del t_s
        self._spent_s += self._nominals_s.pop(trial, 0.0)
        self._current = None

    def left_s(self, now_s: float) -> float:
        """Return the maximum seconds left, >= 0, without the overhead of changes."""
        going_s = 0.0 if self._current is None else min(max(0.0, now_s - self._started_s), self._current_nominal_s)
        return max(0.0, self._limit_s - self._spent_s - going_s)


def pace_of(spec: RunSpec, trials: int) -> TrialPace | None:
    """Return the estimate that follows from a plan; None for a plan without any limit.

    Args:
        spec: Plan of the sweep.
        trials: Announced number of trials, which differs from the grid's for an adaptive plan.
    """
    if spec.adapts:
        return (
            AdaptiveLimit(min(spec.protocol.limit_min * 60.0, duration_s(spec)[1])) if spec.protocol.limit_min else None
        )
    nominal_s = [float(trial.settle_s + trial.measure_s) for trial in list_certain_trials(spec)]
    best_s, worst_s = duration_s(spec)
    overhead_s = max(0.0, (best_s + worst_s) / 2 - sum(nominal_s)) / len(nominal_s)
    if trials != len(nominal_s):
        nominal_s = [sum(nominal_s) / len(nominal_s)] * trials
    return TrialPace(nominal_s, overhead_s)
