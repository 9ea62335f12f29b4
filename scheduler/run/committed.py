"""What counts the transactions of the user's own database, whichever that is."""

from typing import Protocol

from scheduler.model.counted import Count


class Committed(Protocol):
    """Counts the transactions of the user's own database."""

    def look(self) -> Count:
        """Return what it counts; raises LoadError."""
        ...
