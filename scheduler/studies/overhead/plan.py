"""Trials of an overhead study: every side once per block (`plans/block_plan.py`)."""

from scheduler.plans.block_plan import estimate, listed, sweep

__all__ = ["estimate", "listed", "sweep"]
