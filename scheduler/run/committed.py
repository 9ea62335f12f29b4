"""What counts the transactions of the user's own database, whichever that is."""

from typing import Protocol


class Committed(Protocol):
    """Counts the transactions of the user's own database."""

    def look(self) -> int:
        """Return how many it has committed, ours left out; raises LoadError."""
        ...
