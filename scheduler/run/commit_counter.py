"""Transactions of the user's database while its host is observed."""

import logging
from typing import Protocol

from scheduler.errors import LoadError
from scheduler.follow.counter_windows import LONGEST_S
from scheduler.model.commit_counter import CommitCount, CommitDelta, count_commits_since
from scheduler.translation import _

log = logging.getLogger(__name__)


class CountsCommits(Protocol):
    """Counter of the transactions of the user's database."""

    def look(self) -> CommitCount:
        """Return the number of commits so far.

        Raises:
            LoadError: The number is not known now; the next call tries again.
        """
        ...


class CommitRate:
    """Commits between two reads of the counter.

    A read that fails is excluded, with the time before and after it.

    Args:
        counter: Counter of the database; None when the user named no database.

    Attributes:
        named: True when the user named a database.
    """

    def __init__(self, counter: CountsCommits | None) -> None:
        self._counter = counter
        self.named = counter is not None
        self._last: tuple[float, CommitCount] | None = None
        self._looks, self._failed, self._error = 0, 0, ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return the remark about failed reads; empty when none failed."""
        if not self._failed:
            return ()
        text = _("The database's transactions are not known around {failed} of {looks} looks, the last time").format(
            failed=self._failed, looks=self._looks
        )
        return (_("{text} because: {error}").format(text=text, error=self._error),)

    def count(self, now_s: float) -> CommitDelta | None:
        """Return the commits since the previous read; None when they are not known.

        Args:
            now_s: Seconds on a monotonic clock.
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
        # After a longer gap, the commits belong to no window.
        return counted if counted is not None and 0 < counted.took_s <= LONGEST_S else None

    def stop(self) -> None:
        """Stop counting."""
        self._counter = None
