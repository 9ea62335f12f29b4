"""Watching a host: its counters every ten seconds, what is set every minute, and nothing else."""

import logging
from collections.abc import Callable

import msgspec

from scheduler.errors import DomainGone, HostError, HostNotUsable, LoadError
from scheduler.follow.aggregation import WindowAggregator
from scheduler.follow.counter_windows import WINDOW_S, CounterSnapshot, CounterWindow
from scheduler.follow.current_split import CurrentSplit, derive_current_split
from scheduler.follow.watch_summary import WatchSummary
from scheduler.hosts.protocols import Host
from scheduler.model.commit_counter import CommitCount, count_commits_since
from scheduler.model.split import GUEST, IO
from scheduler.run.commit_counter import CountsCommits, uncounted_note
from scheduler.run.control import AbortRequested, RunControl

log = logging.getLogger(__name__)

_A_MINUTE = 6  # windows
_SLACK_S = 0.5  # a window that ends so little after the end still counts


WindowListener = Callable[[float, CounterWindow | None, str, float | None], None]
"""Called after each window: the seconds watched, what was seen, what is wrong with it, and the database's rate in it.

That rate is in transactions/s; None where it is not known.
"""


class WatchSession:
    """One stretch of watching.

    Args:
        host: Opened to be looked at only.
        control: The clock, and the button that ends it early.
        wall: Returns seconds since 1970.
        told: Progress.
        committed: Counter of the user's database; None where none was named.

    Raises:
        HostError: The host cannot be looked at.
        HostNotUsable: What is set there is no split.
    """

    def __init__(
        self,
        host: Host,
        control: RunControl,
        wall: Callable[[], float],
        told: WindowListener,
        committed: CountsCommits | None = None,
    ) -> None:
        self._host, self._control, self._wall, self._told = host, control, wall, told
        self.facts = host.facts()
        self._gathering = WindowAggregator(self.facts, self._read_current_split())
        self._rate = _WatchRate(committed)

    @property
    def counts(self) -> bool:
        """True when the transactions of a database are counted."""
        return self._rate.named

    @property
    def standing(self) -> CurrentSplit:
        """What is set, as it was read last."""
        return self._gathering.standing

    def so_far(self, watched_s: float) -> WatchSummary:
        """Return what was seen in the minutes that are over."""
        return self._gathering.build_summary(watched_s)

    def run(self, for_s: float) -> WatchSummary:
        """Watch for so many seconds, or until the user or the host ends it; returns what was seen.

        Raises:
            HostError: There were no counters in the first place.
        """
        clock = self._control.clock
        before: CounterSnapshot | None = self._read_counters()
        began_s, at_s, ended, count, stopped = clock.now(), clock.now(), "", 0, False
        self._rate.count_commits(began_s)
        try:
            while at_s + WINDOW_S <= began_s + for_s + _SLACK_S:
                at_s += WINDOW_S
                if clock.now() >= at_s:  # the host was slow to answer, or this computer slept
                    at_s = clock.now() + WINDOW_S
                self._control.wait(at_s - clock.now())
                before, count = self._take_window(before, at_s - began_s), count + 1
                if count % _A_MINUTE == 0:
                    self._close_minute()
            if count % _A_MINUTE:
                self._close_minute()
        except AbortRequested as request:
            ended, stopped = str(request), True
            self._close_minute()
        except (DomainGone, HostNotUsable) as error:
            ended = str(error)
        return self._rate.add_counts(self._gathering.build_summary(clock.now() - began_s, ended, stopped=stopped))

    def _take_window(self, before: CounterSnapshot | None, watched_s: float) -> CounterSnapshot | None:
        try:
            after, trouble = self._read_counters(), ""
        except (DomainGone, HostNotUsable):
            raise
        except HostError as error:
            log.info("no counters: %s", error)
            after, trouble = None, str(error)
        dropped = self._gathering.add_window(before, after)
        rate_tps = self._rate.count_commits(self._control.clock.now())
        self._told(watched_s, self._gathering.newest_window, trouble or dropped, rate_tps)
        return after

    def _read_counters(self) -> CounterSnapshot:
        domains = self._host.usage()
        return CounterSnapshot(self._control.clock.now(), domains, self._host.cpu_usage())

    def _close_minute(self) -> None:
        try:
            standing = self._read_current_split()
        except HostError as error:  # what was set meanwhile, nobody knows
            log.info("what is set cannot be read: %s", error)
            self._gathering.lose_minute()
            return
        self._gathering.close_minute(standing, self._wall())

    def _read_current_split(self) -> CurrentSplit:
        return derive_current_split({domain: self._host.read(domain) for domain in (IO, GUEST)}, self.facts)


class _WatchRate:
    """The transactions of the user's database; looks that fail, and the time around them, are not counted."""

    def __init__(self, committed: CountsCommits | None) -> None:
        self._committed = committed
        self.named = committed is not None
        self._last: tuple[float, CommitCount] | None = None
        self._count, self._took_s = 0, 0.0
        self._tries, self._failed, self._error = 0, 0, ""

    def count_commits(self, now_s: float) -> float | None:
        """Count; return the rate since the look before, where both are known."""
        if self._committed is None:
            return None
        self._tries += 1
        try:
            total = self._committed.look()
        except LoadError as error:
            log.info("transactions are not counted now: %s", error)
            self._failed, self._error, self._last = self._failed + 1, str(error), None
            return None
        last, self._last = self._last, (now_s, total)
        counted = count_commits_since(last, now_s, total)
        if counted is None:
            return None
        self._count += counted.commits
        self._took_s += counted.took_s
        return counted.commits / counted.took_s if counted.took_s > 0 else None

    def add_counts(self, seen: WatchSummary) -> WatchSummary:
        if not self.named:
            return seen
        remarks = (uncounted_note(self._failed, self._tries, self._error),) if self._failed else ()
        return msgspec.structs.replace(seen, commits=self._count, commits_s=self._took_s, remarks=remarks)
