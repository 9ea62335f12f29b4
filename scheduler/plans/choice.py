"""Which plan a sweep has."""

from scheduler.model.spec import RunSpec
from scheduler.plans.grid import grid_sweep
from scheduler.plans.visits import Plan


def plan_for(spec: RunSpec) -> Plan:
    """Return the plan of the spec's protocol."""
    if not spec.adapts:
        return grid_sweep(spec)
    from scheduler.plans.adaptive import adaptive_sweep  # statistics: what only looks at plans starts without them

    return adaptive_sweep(spec)
