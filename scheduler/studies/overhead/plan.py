"""The trials of an overhead study: in each block every side once (`plans/paired.py`)."""

from scheduler.plans.block_plan import listed, most_trials, sweep, usual_trials

__all__ = ["listed", "most_trials", "sweep", "usual_trials"]
