"""Trials of a split sweep: a grid, or a race between the splits."""

from collections.abc import Iterable

from scheduler.model.earlier_run import EarlierRun
from scheduler.model.spec import RunSpec
from scheduler.model.split import Settable
from scheduler.plans.grid import grid_sweep
from scheduler.plans.trials import Plan, PlannedTrial
from scheduler.studies.split.sweep_duration import estimate_sweep as estimate
from scheduler.studies.split.sweep_duration import shorten_to_certain

__all__ = ["estimate", "listed", "sweep"]


def sweep(spec: RunSpec, settable: Settable, history: EarlierRun | None) -> Plan:
    """Return the trials of a sweep.

    Args:
        spec: The sweep.
        settable: Returns True when the host can be set to a split.
        history: The earlier run that a race begins with; None for none.
    """
    if not spec.adapts:
        return grid_sweep(spec)
    from scheduler.studies.split.adaptive import adaptive_sweep  # slow import; not needed to read a plan

    return adaptive_sweep(spec, settable, history)


def listed(spec: RunSpec) -> Iterable[PlannedTrial]:
    """Return the trials that are certain, in order.

    These are all trials of a grid, and the fewest of a race.
    """
    return grid_sweep(shorten_to_certain(spec))
