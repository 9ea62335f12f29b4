"""How a transaction can end otherwise than by its commit."""

UNDONE = "rolled back"
"""Rolled back on purpose, as the benchmark wants it of some: no error, and not in the rate."""

GIVEN_UP = "given up"
"""The server asked to repeat it once more than it is repeated."""


class RowNotFound(Exception):
    """It did not find a row that must be there: the tables were changed by somebody else."""


class SerializationConflict(Exception):
    """Another user took the rows first; the transaction is to be undone, and repeated."""
