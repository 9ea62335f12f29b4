"""Plan of a study: its trials, and estimates of their number and duration."""

from collections.abc import Iterable
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from scheduler.model.earlier_run import EarlierRun
from scheduler.model.spec import RunSpec
from scheduler.model.split import Settable, any_split
from scheduler.plans.trials import Plan, PlannedTrial

# Seconds of a change without settling, for estimates only: writes, new tables of the load, start of the run.
# Rough bounds, not measured.
SWITCH_S = 0.3
PREPARE_S = (1.5, 6.0)
START_S = (2.0, 20.0)
SIMULATED_SPEED = 400.0  # simulated seconds per second with a window; 1,300 without; measured on two cores of 2020
_SIMULATED_START_S = 2.0


class PlanEstimate(NamedTuple):
    """Number of trials and duration of a plan, without pauses.

    Attributes:
        trials: Number of trials that are certain.
        best_s: Shortest duration, seconds.
        worst_s: Longest duration, seconds.
        usual_s: Usual duration, seconds.
    """

    trials: int
    best_s: float
    worst_s: float
    usual_s: float


class PlanModule(Protocol):
    """Module `plan` of a study's package (its record names the package)."""

    def sweep(self, spec: RunSpec, settable: Settable, history: EarlierRun | None) -> Plan:
        """Return the trials; later ones may depend on the results of earlier ones.

        Args:
            spec: The plan.
            settable: Returns True when the host can be set to a split.
            history: The earlier run that a race begins with; None for none.
        """
        ...

    def listed(self, spec: RunSpec) -> Iterable[PlannedTrial]:
        """Return the trials that are certain, in order."""
        ...

    def estimate(self, spec: RunSpec) -> PlanEstimate:
        """Estimate the number of trials and the duration."""
        ...


def choose_plan(spec: RunSpec, settable: Settable = any_split, history: EarlierRun | None = None) -> Plan:
    """Return the trials of the spec's study and protocol.

    Args:
        spec: The sweep.
        settable: Returns True when the host can be set to a split.
        history: The earlier run that a race begins with; None for none.
    """
    return load_plan_module(spec).sweep(spec, settable, history)


def load_plan_module(spec: RunSpec) -> PlanModule:
    """Return the plan module of the spec's study."""
    return cast("PlanModule", import_module(f"{spec.kind.module}.plan"))


def list_certain_trials(spec: RunSpec) -> list[PlannedTrial]:
    """Return the trials that are certain, in order; an adaptive plan may add trials."""
    return list(load_plan_module(spec).listed(spec))


def count_certain_trials(spec: RunSpec) -> int:
    """Return the number of trials that are certain; an adaptive plan may add trials."""
    return load_plan_module(spec).estimate(spec).trials


def duration_s(spec: RunSpec) -> tuple[float, float]:
    """Return the shortest and the longest duration in seconds, without pauses."""
    estimate = load_plan_module(spec).estimate(spec)
    return estimate.best_s, estimate.worst_s


def usual_s(spec: RunSpec) -> float:
    """Return the usual duration of the plan in seconds, without pauses."""
    return load_plan_module(spec).estimate(spec).usual_s


def estimate_trials(spec: RunSpec, certain: int, most: int, usual: float) -> PlanEstimate:
    """Estimate the duration of a plan from its numbers of trials.

    The longest duration assumes that each trial restarts its load.

    Args:
        spec: The plan.
        certain: Number of trials that are certain.
        most: Largest number of trials without a time limit.
        usual: Usual number of trials.
    """
    best_s = _steady_s(spec, certain) + START_S[0]
    most_s = _steady_s(spec, most)
    limit_s = spec.protocol.limit_min * 60 if spec.adapts else 0
    worst_s = max(best_s, (min(most_s, limit_s) if limit_s else most_s) * 1.1 + START_S[1])
    usual_s = min(max(best_s, _steady_s(spec, usual)), worst_s) if spec.adapts else (best_s + worst_s) / 2
    return PlanEstimate(certain, best_s, worst_s, usual_s)


def simulation_time_s(seconds_s: float) -> float:
    """Return the estimated seconds to simulate and draw so many simulated seconds."""
    return _SIMULATED_START_S + seconds_s / SIMULATED_SPEED


def _steady_s(spec: RunSpec, trials: float) -> float:
    protocol = spec.protocol
    return trials * (protocol.settle_s + protocol.measure_s + PREPARE_S[0] + SWITCH_S) + protocol.load_settle_s
