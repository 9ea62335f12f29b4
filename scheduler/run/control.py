"""Control: the one place where a run waits, and the three words that can interrupt it."""

import threading
import time
from typing import Protocol

from scheduler.waiting import UserInterruption


class PauseRequested(UserInterruption):
    """The user wants the host back for a while; raised out of `Control.wait`."""


class AbortRequested(UserInterruption):
    """The run is to end and restore; `str()` says who asked."""


class Clock(Protocol):
    """Time as the engine sees it; tests bring their own."""

    def now(self) -> float:
        """Return seconds of a clock that never steps (`time.monotonic`)."""
        ...

    def sleep(self, seconds: float, wake: threading.Event) -> None:
        """Return after `seconds`, or earlier when `wake` is set."""
        ...


class MonotonicClock:
    """The real clock."""

    def now(self) -> float:
        """Return `time.monotonic()`."""
        return time.monotonic()

    def sleep(self, seconds: float, wake: threading.Event) -> None:
        """Wait on the event, so that a button ends the wait at once."""
        wake.wait(seconds)


class BootClock(MonotonicClock):
    """The same, going on while the computer sleeps: what lasts for hours must notice that nobody was there."""

    def now(self) -> float:
        """Return the seconds since the kernel's start, sleep included."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)


# A signal handler may only set a plain flag (an Event's lock may be held by the very thread that it
# interrupts), so a wait looks at the flags at least this often.
_LOOK_S = 0.25


class RunControl:
    """Buttons on one side, waiting on the other; safe to press from any thread."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._wake = threading.Event()
        self._paused = False
        self._abort_reason = ""

    def pause(self) -> None:
        """Ask for the host back; the current trial will be repeated."""
        self._paused = True
        self._wake.set()

    def resume(self) -> None:
        """Go on after a pause."""
        self._paused = False
        self._wake.set()

    def abort(self, reason: str = "aborted by the user") -> None:
        """End the run and restore."""
        self.abort_soon(reason)
        self._wake.set()

    def abort_soon(self, reason: str) -> None:
        """As `abort`, but fit for a signal handler: seen within a quarter of a second."""
        self._abort_reason = self._abort_reason or reason

    def abort_asked(self) -> bool:
        """Return whether the run is to end."""
        return bool(self._abort_reason)

    def check(self) -> None:
        """Raise AbortRequested or PauseRequested if a button was pressed."""
        self.check_abort()
        if self._paused:
            raise PauseRequested

    def check_abort(self) -> None:
        """Raise AbortRequested if the run is to end."""
        if self._abort_reason:
            raise AbortRequested(self._abort_reason)

    def wait(self, seconds: float) -> None:
        """Wait; raises PauseRequested or AbortRequested as soon as a button is pressed."""
        end = self.clock.now() + seconds
        self.check()
        while (left := end - self.clock.now()) > 0:
            self._sleep_briefly(left)
            self.check()

    def wait_while_paused(self) -> None:
        """Wait for `resume`; raises AbortRequested."""
        while self._paused:
            self._sleep_briefly(_LOOK_S)
            self.check_abort()

    def _sleep_briefly(self, seconds: float) -> None:
        self.clock.sleep(min(seconds, _LOOK_S), self._wake)
        self._wake.clear()
