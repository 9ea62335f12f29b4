"""Observation of a host: a loop that passes counter windows to an actor.

`watch` and `follow` use this loop. The loop starts no thread. A loop that is stuck sends no heartbeat, so that the
guards restore the host.
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
from scheduler.run.time_gaps import TimeGap
from scheduler.translation import _

log = logging.getLogger(__name__)

LEAST_TIME, MOST_TIME = "1m", "7d"
"""Shortest and longest observation, as in the option --for."""

SLACK_S = 0.5  # a window that ends this late after the planned end still counts
_LATE_S = WINDOW_S / 2
NO_COUNTERS = _("the host gave no counters")


class CounterReader:
    """Reader of a host's counters, which builds windows from them.

    Args:
        host: The host; read only.
        control: Its clock stamps the counters.

    Attributes:
        facts: The host's properties.
        cpus: Number of shared CPUs, >= 1.
    """

    def __init__(self, host: Host, control: RunControl) -> None:
        self._host, self._clock = host, control.clock
        self.facts = host.facts()
        self.cpus = max(1, len(self.facts.shared_cpus))
        self._most_cpus: dict[DomainId, float] = {each.id: float(each.vcpus) for each in self.facts.domains}

    def read(self) -> CounterSnapshot:
        """Return the counters of this moment.

        Raises:
            HostError: The host cannot be read.
        """
        domains = self._host.usage()
        return CounterSnapshot(self._clock.now(), domains, self._host.cpu_usage())

    def window(self, before: CounterSnapshot | None, after: CounterSnapshot | None) -> CounterWindow | str:
        """Return the window between two snapshots, or the reason why it is discarded.

        Args:
            before: First snapshot; None for a failed one.
            after: Second snapshot; None for a failed one.
        """
        if before is None or after is None:
            return NO_COUNTERS
        return window_between(before, after, self._most_cpus, self.cpus)


class ObservedWindow(msgspec.Struct, frozen=True):
    """One window of 10 s.

    Attributes:
        began_s: Start of the observation, seconds on the run's clock.
        ended_s: End of the window, on the same clock.
        window: Differences of the counters, or the reason why the window is discarded.
        error: Error of the read at the end of this window; empty without an error.
        counted: Commits of the user's database since the previous read; None when not known.
    """

    began_s: float
    ended_s: float
    window: CounterWindow | str
    error: str = ""
    counted: CommitDelta | None = None

    @property
    def elapsed_s(self) -> float:
        """Seconds from the start of the observation to the end of this window."""
        return self.ended_s - self.began_s

    @property
    def usable(self) -> CounterWindow | None:
        """The window; None when it is discarded."""
        return self.window if isinstance(self.window, CounterWindow) else None

    @property
    def trouble(self) -> str:
        """Reason why the window cannot be used; empty for a usable window."""
        return self.error or (self.window if isinstance(self.window, str) else "")

    @property
    def rate_tps(self) -> float | None:
        """Commits of the user's database per second; None when not known."""
        return None if self.counted is None else self.counted.rate_tps


class WindowActor:
    """Actor on the windows of an observed host.

    This class only reads. Derive a class from it to act on the windows.
    """

    def begin(self, now_s: float) -> None:
        """Prepare before the first read."""

    def take_gap(self, gap: TimeGap | None, now_s: float) -> None:
        """Note a gap in time before a read.

        Args:
            gap: The gap since the last window; None without one.
            now_s: Time on the run's clock, seconds.

        Raises:
            HostError: Too much time passed since the last window.
        """

    def check_look(self) -> None:
        """Check the host after each read.

        Raises:
            HostError: The check failed.
        """

    def is_final(self, error: HostError) -> bool:
        """Return True when an error of a read ends the observation."""
        raise NotImplementedError

    def take_window(self, seen: ObservedWindow) -> None:
        """Take one window; an exception ends the observation."""
        raise NotImplementedError

    def finish(self, elapsed_s: float) -> None:
        """Finish at the planned end."""


class ObservationLoop:
    """Loop that reads a host's counters every ten seconds.

    Args:
        host: The host; the loop itself writes nothing.
        control: The clock, and the button that ends the loop early.
        actor: Takes the windows.
        commits: Commit rate of the user's database.
    """

    def __init__(self, host: Host, control: RunControl, actor: WindowActor, commits: CommitRate) -> None:
        self._control, self._actor, self._commits = control, actor, commits
        self._counters = CounterReader(host, control)
        self._before: CounterSnapshot | None = None
        self._began_s = control.clock.now()

    @property
    def elapsed_s(self) -> float:
        """Seconds since the observation began."""
        return self._control.clock.now() - self._began_s

    def start(self) -> None:
        """Read the counters for the first time.

        Raises:
            HostError: The host cannot be read.
        """
        self._actor.begin(self._control.clock.now())
        self._before = self._counters.read()
        self._began_s = self._control.clock.now()
        self._commits.count(self._began_s)

    def run(self, for_s: float) -> None:
        """Take windows for some seconds.

        Args:
            for_s: Duration, seconds.

        Raises:
            AbortRequested: The user ended the loop.
            HostError: The host ended the loop.
        """
        clock = self._control.clock
        at_s = self._began_s
        while at_s + WINDOW_S <= self._began_s + for_s + SLACK_S:
            at_s += WINDOW_S
            self._control.wait(max(0.0, at_s - clock.now()))
            now_s = clock.now()
            gap = self._control.take_gap()
            self._actor.take_gap(gap, now_s)
            self._take_window(now_s, gap)
            if clock.now() - at_s > _LATE_S:  # the host answered slowly, or this computer slept
                at_s = clock.now()
        self._actor.finish(self.elapsed_s)

    def _take_window(self, now_s: float, gap: TimeGap | None) -> None:
        after, error = self._look()
        window = self._counters.window(self._before, after) if gap is None else gap.text
        self._before = after
        counted = self._commits.count(self._control.clock.now())
        if gap is not None:
            counted = None  # the rate of a window with a gap is unknown
        self._actor.take_window(ObservedWindow(self._began_s, now_s, window, error, counted))

    def _look(self) -> tuple[CounterSnapshot | None, str]:
        """Return the counters; None and the error when the host did not answer this time."""
        try:
            after = self._counters.read()
            self._actor.check_look()
        except HostError as error:
            if self._actor.is_final(error):
                raise
            log.info("no window: %s", error)
            return None, str(error)
        return after, ""
