"""What the event simulation asks of a CPU scheduler: two domains, one virtual CPU each, one physical CPU.

Times are microseconds of the simulation. The simulation tells the scheduler who wakes, blocks and how long somebody
ran; the scheduler answers who runs next and until when at the latest.
"""

import math
from typing import Protocol

IO_DOMAIN, GUEST_DOMAIN = 0, 1
NOBODY = -1
NEVER = math.inf
LEAST_US = 0.001  # floats: less than this is nothing


class CpuDispatcher(Protocol):
    """One scheduler at work."""

    def wake(self, domain: int, now_us: float) -> None:
        """Take note that a domain has work again."""
        ...

    def block(self, domain: int, now_us: float) -> None:
        """Take note that a domain has no work left."""
        ...

    def ran(self, domain: int, took_us: float, now_us: float) -> None:
        """Charge a domain for CPU time that ended at `now_us`."""
        ...

    def choose(self, now_us: float) -> tuple[int, float]:
        """Return who runs from now on (or NOBODY) and the time at which to ask again at the latest."""
        ...

    def held(self, domain: int) -> bool:
        """Tell whether a domain with work waits for a budget, cap or slice and not for the other domain."""
        ...
