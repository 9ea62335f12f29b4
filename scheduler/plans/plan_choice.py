"""Which plan a study has."""

from collections.abc import Iterable
from importlib import import_module
from typing import Protocol, cast

from scheduler.model.earlier_run import EarlierRun
from scheduler.model.spec import RunSpec
from scheduler.model.split import Settable, any_split
from scheduler.plans.grid import grid_sweep
from scheduler.plans.trials import Plan, PlannedTrial


class PlanModule(Protocol):
    """Module `plan` of a study's package (`scheduler/model/studies.py` names it)."""

    def sweep(self, spec: RunSpec) -> Plan:
        """Return the trials; which come later may depend on what earlier ones found."""
        ...

    def listed(self, spec: RunSpec) -> Iterable[PlannedTrial]:
        """Return the trials that are certain, in order."""
        ...

    def most_trials(self, spec: RunSpec) -> int:
        """Return how many trials there are at most, the limit of time aside."""
        ...

    def usual_trials(self, spec: RunSpec) -> float:
        """Return about how many trials there usually are."""
        ...


def choose_plan(spec: RunSpec, settable: Settable = any_split, history: EarlierRun | None = None) -> Plan:
    """Return the plan of the spec's study and protocol.

    Args:
        spec: The sweep.
        settable: Tells whether the host can be set to a split.
        history: The earlier run that a race begins with; None for none.
    """
    if spec.kind.module:
        return load_plan_module(spec).sweep(spec)
    if not spec.adapts:
        return grid_sweep(spec)
    from scheduler.plans.adaptive import adaptive_sweep  # statistics: what only looks at plans starts without them

    return adaptive_sweep(spec, settable, history)


def load_plan_module(spec: RunSpec) -> PlanModule:
    """Return the plans of a study that has a package of its own."""
    return cast("PlanModule", import_module(f"{spec.kind.module}.plan"))
