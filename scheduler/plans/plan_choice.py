"""Plan of a study: its trials, and an estimate of their number and duration."""

from collections.abc import Iterable
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from scheduler.model.earlier_run import EarlierRun
from scheduler.model.spec import RunSpec
from scheduler.model.split import Settable, any_split
from scheduler.plans.trials import Plan, PlannedTrial


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
    """Module `plan` of a study's package (`scheduler/model/studies.py` names it)."""

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
