"""Decision about Dom0's CPUs: that of a sweep of splits, with the vendors' numbers."""

from scheduler.studies.split.finding import ANSWERS

__all__ = ["ANSWERS"]
