"""Protocol of a simulated scheduler: domains of one vCPU each on one CPU.

Times are microseconds of the simulation. The simulation reports which domain wakes, blocks and how long it ran. The
scheduler answers which domain runs next, and until when at the latest.
"""

import math
from typing import Protocol

IO_DOMAIN, GUEST_DOMAIN = 0, 1  # a second guest is domain 2
NOBODY = -1
NEVER = math.inf
LEAST_US = 0.001  # floats: less than this is nothing


class CpuDispatcher(Protocol):
    """One scheduler of the simulated CPU."""

    def wake(self, domain: int, now_us: float) -> None:
        """Record that a domain has work again.

        Args:
            domain: Index of the domain.
            now_us: Time of the simulation, microseconds.
        """
        ...

    def block(self, domain: int, now_us: float) -> None:
        """Record that a domain has no work left.

        Args:
            domain: Index of the domain.
            now_us: Time of the simulation, microseconds.
        """
        ...

    def ran(self, domain: int, took_us: float, now_us: float) -> None:
        """Charge a domain for CPU time.

        Args:
            domain: Index of the domain.
            took_us: CPU time, microseconds.
            now_us: End of that time, microseconds.
        """
        ...

    def choose(self, now_us: float) -> tuple[int, float]:
        """Return the domain to run, or `NOBODY`, and the latest time of the next choice."""
        ...

    def held(self, domain: int) -> bool:
        """Return True when a domain with work waits for its budget, cap or slice."""
        ...
