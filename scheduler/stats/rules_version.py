"""The version of the rules by which results are derived from a run's documents; loads nothing."""

RULES_VERSION = 4
"""Raise it with every change of the statistics or of `Results`: stored results of another version are derived again."""
