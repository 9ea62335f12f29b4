"""The visits of a scale-up study: in each block every number of vCPUs once (`plans/paired.py`)."""

from scheduler.plans.block_plan import listed, most_visits, sweep, usual_visits

__all__ = ["listed", "most_visits", "sweep", "usual_visits"]
