"""The visits of an overhead study: in each block every side once (`plans/paired.py`)."""

from scheduler.plans.block_plan import listed, most_visits, sweep, usual_visits

__all__ = ["listed", "most_visits", "sweep", "usual_visits"]
