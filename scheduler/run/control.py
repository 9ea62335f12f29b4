"""Run control: the only wait of a run, with pause, resume and abort."""

import threading
import time
from typing import Protocol

from scheduler.run.time_gaps import GapMeter, TimeGap, asleep_s
from scheduler.translation import _
from scheduler.waiting import UserInterruption


class PauseRequested(UserInterruption):
    """The user asked for a pause, in which the host is restored."""


class AbortRequested(UserInterruption):
    """The run must end and restore the host; `str()` gives the reason."""


class Clock(Protocol):
    """Time for the engine; a test can provide another clock."""

    def now(self) -> float:
        """Return seconds of a monotonic clock (`time.monotonic`)."""
        ...

    def sleep(self, seconds: float, wake: threading.Event) -> None:
        """Return after `seconds`, or earlier when `wake` is set.

        Args:
            seconds: Longest wait, seconds, >= 0.
            wake: Event that ends the wait.
        """
        ...

    def asleep_s(self) -> float:
        """Return the seconds for which this computer has slept since its start, >= 0."""
        ...


class MonotonicClock:
    """The real clock, which stops while the computer sleeps."""

    def now(self) -> float:
        """Return `time.monotonic()`."""
        return time.monotonic()

    def sleep(self, seconds: float, wake: threading.Event) -> None:
        """Wait for the event, so that a button ends the wait at once.

        Args:
            seconds: Longest wait, seconds, >= 0.
            wake: Event that ends the wait.
        """
        wake.wait(seconds)

    def asleep_s(self) -> float:
        """Return the seconds for which this computer has slept since its start."""
        return asleep_s()


class BootClock(MonotonicClock):
    """The real clock including time asleep.

    With this clock, the counters of a watched or followed host and the time between them agree after a sleep.
    """

    def now(self) -> float:
        """Return the seconds since the kernel started, time asleep included."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)


# A signal handler may only set a plain flag, because the interrupted thread may hold an Event's lock.
# So a wait checks the flags at least this often.
_LOOK_S = 0.25


class RunControl:
    """Buttons of a run, and the waits that they interrupt; safe in any thread."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._wake = threading.Event()
        self._paused = False
        self._abort_reason = ""
        self._gaps = GapMeter(clock.asleep_s())

    def pause(self) -> None:
        """Pause the run; the current trial will be repeated."""
        self._paused = True
        self._wake.set()

    def resume(self) -> None:
        """Continue after a pause."""
        self._paused = False
        self._wake.set()

    def abort(self, reason: str = _("aborted by the user")) -> None:
        """End the run and restore the host."""
        self.abort_soon(reason)
        self._wake.set()

    def abort_soon(self, reason: str) -> None:
        """End the run as `abort` does, within 0.25 s; safe in a signal handler."""
        self._abort_reason = self._abort_reason or reason

    def abort_asked(self) -> bool:
        """Return True when the run must end."""
        return bool(self._abort_reason)

    def check(self) -> None:
        """Raise AbortRequested or PauseRequested when a button was pressed."""
        self.check_abort()
        if self._paused:
            raise PauseRequested

    def check_abort(self) -> None:
        """Raise AbortRequested when the run must end."""
        if self._abort_reason:
            raise AbortRequested(self._abort_reason)

    def wait(self, seconds: float) -> None:
        """Wait for some seconds.

        Raises:
            PauseRequested: The user pressed pause; the wait ends at once.
            AbortRequested: The run must end; the wait ends at once.
        """
        end = self.clock.now() + seconds
        self.check()
        while (left := end - self.clock.now()) > 0:
            self._sleep_briefly(left)
            self.check()

    @property
    def has_gap(self) -> bool:
        """True when there was a gap in time since the last `take_gap`."""
        return self._gaps.look(self.clock.asleep_s()) is not None

    def take_gap(self) -> TimeGap | None:
        """Return the gap in time since the last call; None without a gap."""
        return self._gaps.take(self.clock.asleep_s())

    def wait_while_paused(self) -> None:
        """Wait until `resume` is called.

        Raises:
            AbortRequested: The run must end.
        """
        while self._paused:
            self._sleep_briefly(_LOOK_S)
            self.check_abort()

    def _sleep_briefly(self, seconds: float) -> None:
        seconds, began_s = min(seconds, _LOOK_S), time.monotonic()
        self.clock.sleep(seconds, self._wake)
        self._gaps.note_wait(time.monotonic() - began_s - seconds, self.clock.asleep_s())
        self._wake.clear()
