"""Observe a host: read counters every ten seconds and hand each window to an actor; the loop of `watch` and `follow`.

The loop starts no thread. A loop that is stuck sends no heartbeat, so that the guards take it for dead.
"""

import logging

import msgspec

from scheduler.errors import HostError
from scheduler.follow.counter_windows import WINDOW_S, CounterSnapshot, CounterWindow, window_between
from scheduler.hosts.protocols import Host
from scheduler.model.commit_counter import CommitDelta
from scheduler.model.split import DomainId
from scheduler.run.commit_counter import CommitRate
from scheduler.run.control import RunControl

log = logging.getLogger(__name__)

LEAST_TIME, MOST_TIME = "1m", "7d"
"""A host may be observed for that long, as people write it."""

SLACK_S = 0.5  # a window that ends so little after the planned end still counts
_LATE_S = WINDOW_S / 2
NO_COUNTERS = "the host gave no counters"


class CounterReader:
    """Reads a host's counters and makes windows of them.

    Args:
        host: The host; read only.
        control: Its clock stamps the counters.

    Attributes:
        facts: The host's properties.
        cpus: Number of CPUs that the domains share, >= 1.
    """

    def __init__(self, host: Host, control: RunControl) -> None:
        self._host, self._clock = host, control.clock
        self.facts = host.facts()
        self.cpus = max(1, len(self.facts.contended_cpus))
        self._most_cpus: dict[DomainId, float] = {each.id: float(each.vcpus) for each in self.facts.domains}

    def read(self) -> CounterSnapshot:
        """Return the counters of this moment; raises HostError."""
        domains = self._host.usage()
        return CounterSnapshot(self._clock.now(), domains, self._host.cpu_usage())

    def window(self, before: CounterSnapshot | None, after: CounterSnapshot | None) -> CounterWindow | str:
        """Return the window between two snapshots, None for one that failed; else the reason why it is discarded."""
        if before is None or after is None:
            return NO_COUNTERS
        return window_between(before, after, self._most_cpus, self.cpus)


class ObservedWindow(msgspec.Struct, frozen=True):
    """One window of 10 s.

    Attributes:
        began_s: When observing began, seconds on the run's clock.
        ended_s: When the window ended, on the same clock.
        window: The counters' differences; the reason why they are discarded, where they cannot be used.
        error: Error of a look that failed at the end of this window; empty where it did not fail.
        counted: Commits of the user's database since the look before; None where they are not known.
    """

    began_s: float
    ended_s: float
    window: CounterWindow | str
    error: str = ""
    counted: CommitDelta | None = None

    @property
    def elapsed_s(self) -> float:
        """Seconds from the beginning to the end of this window."""
        return self.ended_s - self.began_s

    @property
    def usable(self) -> CounterWindow | None:
        """The window; None where it is discarded."""
        return self.window if isinstance(self.window, CounterWindow) else None

    @property
    def trouble(self) -> str:
        """Reason why the window cannot be used; empty when it can."""
        return self.error or (self.window if isinstance(self.window, str) else "")

    @property
    def rate_tps(self) -> float | None:
        """Commits of the user's database per second; None where they are not known."""
        return None if self.counted is None else self.counted.rate_tps


class WindowActor:
    """Takes the windows of an observed host. This one reads only; derive from it to act on them."""

    def begin(self, now_s: float) -> None:
        """Prepare, before the first look."""

    def refuse_gap(self, now_s: float) -> None:
        """Raise HostError, before a look, where too much time passed since the last window."""

    def check_look(self) -> None:
        """Check after each look whatever has to hold; raises HostError."""

    def is_final(self, error: HostError) -> bool:
        """Return whether an error of a look ends the observation."""
        raise NotImplementedError

    def take_window(self, seen: ObservedWindow) -> None:
        """Take one window; raises whatever ends the observation."""
        raise NotImplementedError

    def finish(self, elapsed_s: float) -> None:
        """Finish at the planned end."""


class ObservationLoop:
    """Reads a host's counters every ten seconds.

    Args:
        host: The host; the loop itself writes nothing.
        control: The clock, and the button that ends it early.
        actor: Takes the windows.
        commits: Rate of the user's database.
    """

    def __init__(self, host: Host, control: RunControl, actor: WindowActor, commits: CommitRate) -> None:
        self._control, self._actor, self._commits = control, actor, commits
        self._counters = CounterReader(host, control)
        self._before: CounterSnapshot | None = None
        self._began_s = control.clock.now()

    @property
    def elapsed_s(self) -> float:
        """Seconds since observing began."""
        return self._control.clock.now() - self._began_s

    def start(self) -> None:
        """Look for the first time. Raises HostError."""
        self._actor.begin(self._control.clock.now())
        self._before = self._counters.read()
        self._began_s = self._control.clock.now()
        self._commits.count(self._began_s)

    def run(self, for_s: float) -> None:
        """Take windows for so many seconds.

        Raises:
            AbortRequested: The user ended it.
            HostError: The host ended it.
        """
        clock = self._control.clock
        at_s = self._began_s
        while at_s + WINDOW_S <= self._began_s + for_s + SLACK_S:
            at_s += WINDOW_S
            self._control.wait(max(0.0, at_s - clock.now()))
            now_s = clock.now()
            self._actor.refuse_gap(now_s)
            self._take_window(now_s)
            if clock.now() - at_s > _LATE_S:  # the host was slow to answer, or this computer slept
                at_s = clock.now()
        self._actor.finish(self.elapsed_s)

    def _take_window(self, now_s: float) -> None:
        after, error = self._look()
        window = self._counters.window(self._before, after)
        self._before = after
        counted = self._commits.count(self._control.clock.now())
        self._actor.take_window(ObservedWindow(self._began_s, now_s, window, error, counted))

    def _look(self) -> tuple[CounterSnapshot | None, str]:
        """Return the counters; None and the error where the host did not answer this time."""
        try:
            after = self._counters.read()
            self._actor.check_look()
        except HostError as error:
            if self._actor.is_final(error):
                raise
            log.info("no window: %s", error)
            return None, str(error)
        return after, ""
