"""Clock of a simulated host: time passes only while the run waits."""

import threading

from scheduler.run.control import RunControl

_LOOK_S = 0.25
_LEAST_S = 1e-6  # smaller steps could vanish in the rounding of a large time


class SimulatedClock:
    """Simulated seconds; a wait takes no real time."""

    def __init__(self) -> None:
        self._now_s = 0.0

    def now(self) -> float:
        """Return the simulated seconds since the start."""
        return self._now_s

    def sleep(self, seconds: float, wake: threading.Event) -> None:  # noqa: ARG002 - required by the protocol
        """Advance the simulated time; the caller checks the buttons afterwards.

        Args:
            seconds: Simulated wait, seconds.
            wake: Unused.
        """
        self._now_s += max(seconds, _LEAST_S)

    def asleep_s(self) -> float:
        """Return 0: a computer that sleeps stops simulated time as well."""
        return 0.0


class SimulatedTimeControl(RunControl):
    """Buttons for a run in simulated time.

    While the run is paused, simulated time does not pass and the process sleeps.
    """

    def __init__(self) -> None:
        super().__init__(SimulatedClock())

    def wait_while_paused(self) -> None:
        """Wait for `resume` in real time.

        Raises:
            AbortRequested: The run must end.
        """
        while self._paused:
            self._wake.wait(_LOOK_S)
            self._wake.clear()
            self.check_abort()
