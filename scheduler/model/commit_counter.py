"""Commit counters of the user's own database, and differences of two readings."""

from typing import NamedTuple


class CommitCount(NamedTuple):
    """Counters of a database at one moment.

    Attributes:
        commits: Transactions committed since the start of the statistics, without DomTune's own.
        active_s: Seconds of all sessions in statements since then; None where the database does not report them.
    """

    commits: int
    active_s: float | None = None


class CommitDelta(NamedTuple):
    """Difference of two readings of the counters.

    Attributes:
        took_s: Seconds between the readings, > 0.
        commits: Transactions that were committed.
        active_s: Seconds of all sessions in statements; None where unknown.
    """

    took_s: float
    commits: int
    active_s: float | None = None

    @property
    def rate_tps(self) -> float:
        """Commits per second."""
        return self.commits / self.took_s


def count_commits_since(
    before: tuple[float, CommitCount] | None, now_s: float, after: CommitCount
) -> CommitDelta | None:
    """Return the difference of the counters since an earlier reading.

    None without an earlier reading, or where the counters decreased (a restart, or a reset).

    Args:
        before: Time of the earlier reading in seconds of a monotonic clock, and its counters; None for none.
        now_s: Time of the later reading on the same clock, seconds.
        after: Counters of the later reading.
    """
    if before is None or after.commits < before[1].commits:
        return None
    was_s, active_s = before[1].active_s, None
    if was_s is not None and after.active_s is not None and after.active_s >= was_s:
        active_s = after.active_s - was_s
    return CommitDelta(now_s - before[0], after.commits - before[1].commits, active_s)
