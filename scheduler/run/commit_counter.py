"""Count the transactions of the user's own database while its host is observed."""

import logging
from typing import Protocol

from scheduler.errors import LoadError
from scheduler.follow.counter_windows import LONGEST_S
from scheduler.model.commit_counter import CommitCount, CommitDelta, count_commits_since

log = logging.getLogger(__name__)


class CountsCommits(Protocol):
    """Counts the transactions of the user's own database."""

    def look(self) -> CommitCount:
        """Return what it counts; raises LoadError where that is not known now. The next look tries again."""
        ...


class CommitRate:
    """Commits between looks; a look that fails, and the time around it, is not counted.

    Args:
        counter: Counter of the database; None where none was named.

    Attributes:
        named: True when a database was named.
    """

    def __init__(self, counter: CountsCommits | None) -> None:
        self._counter = counter
        self.named = counter is not None
        self._last: tuple[float, CommitCount] | None = None
        self._looks, self._failed, self._error = 0, 0, ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return the remark about looks that failed; nothing where none did."""
        if not self._failed:
            return ()
        text = f"The database's transactions are not known around {self._failed} of {self._looks} looks, the last time"
        return (f"{text} because: {self._error}",)

    def count(self, now_s: float) -> CommitDelta | None:
        """Return the commits since the look before; None where they are not known.

        Args:
            now_s: Seconds on a clock that never steps.
        """
        if self._counter is None:
            return None
        self._looks += 1
        try:
            total = self._counter.look()
        except LoadError as error:
            log.warning("transactions are not counted now: %s", error)
            self._failed, self._error, self._last = self._failed + 1, str(error), None
            return None
        last, self._last = self._last, (now_s, total)
        counted = count_commits_since(last, now_s, total)
        # After a longer gap the commits belong to no window.
        return counted if counted is not None and 0 < counted.took_s <= LONGEST_S else None

    def stop(self) -> None:
        """Count no more."""
        self._counter = None
