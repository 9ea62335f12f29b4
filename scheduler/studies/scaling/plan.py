"""Trials of a scale-up study: every number of vCPUs once per block.

See `plans/block_plan.py`.
"""

from scheduler.plans.block_plan import estimate, listed, sweep

__all__ = ["estimate", "listed", "sweep"]
