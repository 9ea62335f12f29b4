"""Trials of a study of Dom0's CPUs: those of a sweep of splits."""

from scheduler.studies.split.plan import estimate, listed, sweep

__all__ = ["estimate", "listed", "sweep"]
