"""Session of `watch`, which reads counters and parameters and writes nothing.

Counters are read every ten seconds, parameters every minute.
"""

import logging
from collections.abc import Callable

import msgspec

from scheduler.errors import DomainGone, HostError, HostNotUsable
from scheduler.follow.aggregation import WatchSummary, WindowAggregator
from scheduler.follow.current_split import CurrentSplit, derive_current_split
from scheduler.hosts.protocols import Host
from scheduler.model.split import GUEST, IO
from scheduler.run.commit_counter import CommitRate, CountsCommits
from scheduler.run.control import AbortRequested, RunControl
from scheduler.run.observation import ObservationLoop, ObservedWindow, WindowActor
from scheduler.run.time_gaps import TimeGap

log = logging.getLogger(__name__)

_MINUTE_WINDOWS = 6
_FINAL_ERRORS = (DomainGone, HostNotUsable)


class WatchSession(WindowActor):
    """Session of watching one host.

    Args:
        host: The host, opened read-only.
        control: The clock, and the button that ends the session early.
        wall: Returns seconds since 1970.
        told: Takes each window.
        committed: Counter of the user's database; None when the user named no database.

    Raises:
        HostError: The host cannot be read.
        HostNotUsable: The current settings are not a split.
    """

    def __init__(
        self,
        host: Host,
        control: RunControl,
        wall: Callable[[], float],
        told: Callable[[ObservedWindow], None],
        committed: CountsCommits | None = None,
    ) -> None:
        self._host, self._control, self._wall, self._told = host, control, wall, told
        self.facts = host.facts()
        self._gathering = WindowAggregator(self._read_current_split(), max(1, len(self.facts.shared_cpus)))
        self._commits = CommitRate(committed)
        self._count = self._windows = 0
        self._counted_s = 0.0
        self._gaps: list[str] = []

    @property
    def counts(self) -> bool:
        """True when the transactions of a database are counted."""
        return self._commits.named

    @property
    def standing(self) -> CurrentSplit:
        """Return the split that was read last."""
        return self._gathering.standing

    def so_far(self, watched_s: float) -> WatchSummary:
        """Return the summary of the completed minutes.

        Args:
            watched_s: Time watched so far, seconds.
        """
        return self._gathering.build_summary(watched_s)

    def run(self, for_s: float) -> WatchSummary:
        """Watch until the time is over, or the user or the host ends the session.

        Args:
            for_s: Duration, seconds.

        Raises:
            HostError: The first read of the counters failed.
        """
        loop = ObservationLoop(self._host, self._control, self, self._commits)
        loop.start()
        ended, stopped = "", False
        try:
            loop.run(for_s)
        except AbortRequested as request:
            ended, stopped = str(request), True
            self._close_minute()
        except _FINAL_ERRORS as error:
            ended = str(error)
        seen = self._gathering.build_summary(loop.elapsed_s, ended, stopped=stopped)
        return self._add_commits(msgspec.structs.replace(seen, remarks=tuple(self._gaps)))

    def is_final(self, error: HostError) -> bool:
        """Return True when nothing is left to watch."""
        return isinstance(error, _FINAL_ERRORS)

    def take_gap(self, gap: TimeGap | None, now_s: float) -> None:
        """Keep a gap in time for the summary."""
        del now_s
        if gap is not None:
            self._gaps.append(gap.sentence)

    def take_window(self, seen: ObservedWindow) -> None:
        """Add a window to the summary, and forward it."""
        self._gathering.add_window(seen.window)
        if seen.counted is not None:
            self._count += seen.counted.commits
            self._counted_s += seen.counted.took_s
        self._told(seen)
        self._windows += 1
        if self._windows % _MINUTE_WINDOWS == 0:
            self._close_minute()

    def finish(self, elapsed_s: float) -> None:
        """Close the current minute."""
        del elapsed_s
        if self._windows % _MINUTE_WINDOWS:
            self._close_minute()

    def _close_minute(self) -> None:
        try:
            standing = self._read_current_split()
        except HostError as error:  # the parameters of this minute are unknown
            log.info("the current settings cannot be read: %s", error)
            self._gathering.lose_minute()
            return
        self._gathering.close_minute(standing, self._wall())

    def _read_current_split(self) -> CurrentSplit:
        return derive_current_split({domain: self._host.read(domain) for domain in (IO, GUEST)}, self.facts)

    def _add_commits(self, seen: WatchSummary) -> WatchSummary:
        if not self._commits.named:
            return seen
        remarks = (*seen.remarks, *self._commits.remarks)
        return msgspec.structs.replace(seen, commits=self._count, commits_s=self._counted_s, remarks=remarks)
