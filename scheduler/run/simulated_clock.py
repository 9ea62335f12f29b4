"""The clock of a simulated host: time passes when the run waits, and only then."""

import threading

from scheduler.run.control import RunControl

_LOOK_S = 0.25
_LEAST_S = 1e-6  # what is left of a wait may be too small to move a large number


class SimulatedClock:
    """Seconds that pass as fast as nobody needs them; waiting takes no time."""

    def __init__(self) -> None:
        self._now_s = 0.0

    def now(self) -> float:
        """Return the simulation's seconds since its beginning."""
        return self._now_s

    def sleep(self, seconds: float, wake: threading.Event) -> None:  # noqa: ARG002 - the protocol's
        """Let simulated time pass; a button that was pressed is seen by the caller's next look."""
        self._now_s += max(seconds, _LEAST_S)


class SimulatedTimeControl(RunControl):
    """Buttons for a run on its own clock: while it is paused, its time stands still and the process rests."""

    def __init__(self) -> None:
        super().__init__(SimulatedClock())

    def wait_while_paused(self) -> None:
        """Wait for `resume` in real time; raises AbortRequested."""
        while self._paused:
            self._wake.wait(_LOOK_S)
            self._wake.clear()
            self.check_abort()
