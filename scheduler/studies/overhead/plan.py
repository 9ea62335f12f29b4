"""The trials of an overhead study: in each block every side once (`plans/block_plan.py`)."""

from scheduler.plans.block_plan import estimate, listed, sweep

__all__ = ["estimate", "listed", "sweep"]
