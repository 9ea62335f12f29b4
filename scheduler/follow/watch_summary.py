"""What came of watching, as one value: everything that the answer is made from."""

from collections.abc import Mapping

import msgspec

from scheduler.follow.current_split import CurrentSplit
from scheduler.follow.load_minutes import LoadMinute


class WatchSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What came of watching.

    Attributes:
        standing: What was set at the end.
        minutes: Those that could be used, at splits of the same kind.
        watched_s: How long.
        windows: Windows that were used.
        dropped: Why others were not, and how many each time.
        idle: Windows in which next to no CPU was used.
        changes: How often another split was set meanwhile.
        full: Windows in which the contended CPUs were full; of those in which that is known.
        others_known: Whether the host tells what else its CPUs do.
        commits: Transactions that the user's database committed, 0 or more; None where none was named.
        commits_s: The seconds that those took.
        remarks: What else happened, sentences.
        ended: Why it ended before its time; empty when it did not.
        stopped: True when it was the user who ended it.
    """

    standing: CurrentSplit
    minutes: tuple[LoadMinute, ...]
    watched_s: float
    windows: int = 0
    dropped: Mapping[str, int] = {}
    idle: int = 0
    changes: int = 0
    full: int = 0
    others_known: bool = False
    commits: int | None = None
    commits_s: float = 0.0
    remarks: tuple[str, ...] = ()
    ended: str = ""
    stopped: bool = False
