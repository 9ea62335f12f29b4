"""The trials of a scale-up study: in each block every number of vCPUs once (`plans/paired.py`)."""

from scheduler.plans.block_plan import listed, most_trials, sweep, usual_trials

__all__ = ["listed", "most_trials", "sweep", "usual_trials"]
