"""Outcomes of a transaction other than a commit."""

UNDONE = "rolled back"
"""Rolled back on purpose, as some benchmarks require: no error, and not in the rate."""

GIVEN_UP = "given up"
"""Given up after the largest number of repetitions: an error."""


class RowNotFound(Exception):
    """A row that must exist was not found: another program changed the tables."""


class SerializationConflict(Exception):
    """Another user changed the rows first; undo the transaction and repeat it."""
