"""Time for tests that passes only while a sweep waits, on fake hosts as on simulated ones."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from unittest.mock import patch

from scheduler.run.simulated_clock import SimulatedClock

_FAKES = ("scheduler.hosts.fake", "scheduler.loads.fake_loads")
_CLOCKS = ("MonotonicClock", "BootClock")


@contextmanager
def simulated_time() -> Iterator[SimulatedClock]:
    """Give commands of this process, fake hosts and fake loads one clock; yield that clock."""
    clock = SimulatedClock()
    with ExitStack() as replaced:
        for module in _FAKES:
            replaced.enter_context(patch(f"{module}.time", SimpleNamespace(monotonic=clock.now)))
        for name in _CLOCKS:
            replaced.enter_context(patch(f"scheduler.commands.simulation.{name}", lambda: clock))
        yield clock
