"""Version of the rules that derive results from documents; imports nothing."""

RULES_VERSION = 6
"""Increase this with every change of the statistics or of `Results`: other stored results are derived again."""
