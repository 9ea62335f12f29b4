"""Which plan a sweep has."""

from scheduler.model.spec import RunSpec
from scheduler.model.split import Settable, any_split
from scheduler.plans.grid import grid_sweep
from scheduler.plans.visits import Plan


def plan_for(spec: RunSpec, settable: Settable = any_split) -> Plan:
    """Return the plan of the spec's protocol, for a host that can be set to what `settable` says."""
    if not spec.adapts:
        return grid_sweep(spec)
    from scheduler.plans.adaptive import adaptive_sweep  # statistics: what only looks at plans starts without them

    return adaptive_sweep(spec, settable)
