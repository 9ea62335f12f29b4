"""The trials of a scale-up study: in each block every number of vCPUs once (`plans/block_plan.py`)."""

from scheduler.plans.block_plan import estimate, listed, sweep

__all__ = ["estimate", "listed", "sweep"]
