"""Watching a host: its counters every ten seconds, what is set every minute, and nothing else."""

import logging
from collections.abc import Callable

import msgspec

from scheduler.errors import DomainGone, HostError, HostNotUsable, LoadError
from scheduler.follow.gathering import Gathering
from scheduler.follow.seen import Seen
from scheduler.follow.standing import Standing, standing_of
from scheduler.follow.windows import WINDOW_S, Look, Window
from scheduler.hosts.base import Host, Watching
from scheduler.model.counted import Count, between
from scheduler.model.split import GUEST, IO
from scheduler.run.committed import Committed, uncounted
from scheduler.run.control import AbortRequested, Control

log = logging.getLogger(__name__)

_A_MINUTE = 6  # windows
_SLACK_S = 0.5  # a window that ends so little after the end still counts


Told = Callable[[float, Window | None, str, float | None], None]
"""Called after each window: the seconds watched, what was seen, what is wrong with it, and the database's rate in it.

That rate is in transactions/s; None where it is not known.
"""


class Watch:
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
        self, host: Host, control: Control, wall: Callable[[], float], told: Told, committed: Committed | None = None
    ) -> None:
        self._host, self._control, self._wall, self._told = host, control, wall, told
        self._watching = host if isinstance(host, Watching) else None
        self.facts = host.facts()
        self._gathering = Gathering(self.facts, self._standing())
        self._rate = _Rate(committed)

    @property
    def counts(self) -> bool:
        """True when the transactions of a database are counted."""
        return self._rate.named

    @property
    def standing(self) -> Standing:
        """What is set, as it was read last."""
        return self._gathering.standing

    def so_far(self, watched_s: float) -> Seen:
        """Return what was seen in the minutes that are over."""
        return self._gathering.seen(watched_s)

    def run(self, for_s: float) -> Seen:
        """Watch for so many seconds, or until the user or the host ends it; returns what was seen.

        Raises:
            HostError: There were no counters in the first place.
        """
        clock = self._control.clock
        before: Look | None = self._counters()
        began_s, at_s, ended, count, stopped = clock.now(), clock.now(), "", 0, False
        self._rate.look(began_s)
        try:
            while at_s + WINDOW_S <= began_s + for_s + _SLACK_S:
                at_s += WINDOW_S
                if clock.now() >= at_s:  # the host was slow to answer, or this computer slept
                    at_s = clock.now() + WINDOW_S
                self._control.wait(at_s - clock.now())
                before, count = self._window(before, at_s - began_s), count + 1
                if count % _A_MINUTE == 0:
                    self._close_minute()
            if count % _A_MINUTE:
                self._close_minute()
        except AbortRequested as request:
            ended, stopped = str(request), True
            self._close_minute()
        except (DomainGone, HostNotUsable) as error:
            ended = str(error)
        return self._rate.onto(self._gathering.seen(clock.now() - began_s, ended, stopped=stopped))

    def _window(self, before: Look | None, watched_s: float) -> Look | None:
        try:
            after, trouble = self._counters(), ""
        except (DomainGone, HostNotUsable):
            raise
        except HostError as error:
            log.info("no counters: %s", error)
            after, trouble = None, str(error)
        dropped = self._gathering.take(before, after)
        rate_tps = self._rate.look(self._control.clock.now())
        self._told(watched_s, self._gathering.now, trouble or dropped, rate_tps)
        return after

    def _counters(self) -> Look:
        domains = self._host.usage()
        cpus = self._watching.cpu_usage() if self._watching else None
        return Look(self._control.clock.now(), domains, cpus)

    def _close_minute(self) -> None:
        try:
            standing = self._standing()
        except HostError as error:  # what was set meanwhile, nobody knows
            log.info("what is set cannot be read: %s", error)
            self._gathering.lose_minute()
            return
        self._gathering.close_minute(standing, self._wall())

    def _standing(self) -> Standing:
        return standing_of({domain: self._host.read(domain) for domain in (IO, GUEST)}, self.facts)


class _Rate:
    """The transactions of the user's database; looks that fail, and the time around them, are not counted."""

    def __init__(self, committed: Committed | None) -> None:
        self._committed = committed
        self.named = committed is not None
        self._last: tuple[float, Count] | None = None
        self._count, self._took_s = 0, 0.0
        self._tries, self._failed, self._error = 0, 0, ""

    def look(self, now_s: float) -> float | None:
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
        counted = between(last, now_s, total)
        if counted is None:
            return None
        self._count += counted.commits
        self._took_s += counted.took_s
        return counted.commits / counted.took_s if counted.took_s > 0 else None

    def onto(self, seen: Seen) -> Seen:
        if not self.named:
            return seen
        remarks = (uncounted(self._failed, self._tries, self._error),) if self._failed else ()
        return msgspec.structs.replace(seen, commits=self._count, commits_s=self._took_s, remarks=remarks)
