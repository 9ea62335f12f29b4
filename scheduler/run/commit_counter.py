"""What counts the transactions of the user's own database, whichever that is."""

from typing import Protocol

from scheduler.model.commit_counter import CommitCount


class CountsCommits(Protocol):
    """Counts the transactions of the user's own database."""

    def look(self) -> CommitCount:
        """Return what it counts; raises LoadError where that is not known now. The next look tries again."""
        ...


def uncounted_note(failed: int, looks: int, error: str) -> str:
    """Return the remark about looks that failed.

    Args:
        failed: Their number, 1 or more.
        looks: The number of all looks.
        error: The error of the last one that failed.
    """
    return f"The database's transactions are not known around {failed} of {looks} looks, the last time because: {error}"
