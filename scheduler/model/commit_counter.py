"""What the user's own database says that it has done: two looks at its counters, and what lies between them."""

from typing import NamedTuple


class CommitCount(NamedTuple):
    """What a database's counters say at one moment.

    Attributes:
        commits: Transactions that it has committed since its statistics began, ours left out.
        active_s: Time that all sessions together have spent in statements since then, seconds; None where the database
            does not tell.
    """

    commits: int
    active_s: float | None = None


class CommitDelta(NamedTuple):
    """What happened between two looks.

    Attributes:
        took_s: How far they are apart, seconds, > 0.
        commits: Transactions that were committed.
        active_s: Time that all sessions together spent in statements, seconds; None where that is not known.
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
    """Return what happened since a look; None without one, or where the counters went back: a restart, or a reset.

    Args:
        before: When that was, on a clock that never steps, and what was counted then.
        now_s: When this one was.
        after: What is counted now.
    """
    if before is None or after.commits < before[1].commits:
        return None
    was_s, active_s = before[1].active_s, None
    if was_s is not None and after.active_s is not None and after.active_s >= was_s:
        active_s = after.active_s - was_s
    return CommitDelta(now_s - before[0], after.commits - before[1].commits, active_s)
