"""Schedulers that reserve time: RTDS (a deferrable server) and SEDF (slices).

RTDS keeps a budget until its period ends, even while the domain does not run. Under SEDF a domain that wakes after
its period's end begins a new one at once. A domain that blocks and wakes within its period goes on with the rest of
its slice. Xen 3.0 to 4.5 as released give it nothing more before the next period (common/sched_sedf.c, short
unblocking); `forfeits` switches that on. With periods of 20 ms all splits of a database are then nearly alike, unlike
in Calheiros et al., so it is off unless a machine asks for it.
"""

import msgspec

from scheduler.sim.dispatch import LEAST_US, NEVER, NOBODY

_EXTRA_QUANTUM_US = 500.0  # sched_sedf.c: extra time is handed out in slices of 0.5 ms


class CpuReservation(msgspec.Struct, frozen=True):
    """Reservation of a domain.

    Attributes:
        period_us: The period, > 0.
        budget_us: CPU time per period, 0..period_us.
        extra: True when the domain may also use time that is free.
    """

    period_us: float
    budget_us: float
    extra: bool = False


class _ReservationServer:
    """A reservation and its rest in this period."""

    def __init__(self, reservation: CpuReservation) -> None:
        self.period_us, self.budget_us = reservation.period_us, reservation.budget_us
        self.extra = reservation.extra
        self.left_us = reservation.budget_us
        self.deadline_us = reservation.period_us
        self.level = 0  # of extra time; 0 is within the reservation
        self.starts_us = 0.0  # SEDF: no reserved time before this
        self.awake = False


class RtdsDispatcher:
    """Earliest deadline first over deferrable servers (Xen's RTDS).

    Args:
        reservations: One per domain.
    """

    def __init__(self, reservations: tuple[CpuReservation, ...]) -> None:
        self._servers = tuple(_ReservationServer(reservation) for reservation in reservations)
        self._running = NOBODY

    def wake(self, domain: int, now_us: float) -> None:
        self._servers[domain].awake = True

    def block(self, domain: int, now_us: float) -> None:
        self._servers[domain].awake = False

    def ran(self, domain: int, took_us: float, now_us: float) -> None:
        server = self._servers[domain]
        server.left_us -= took_us
        if server.left_us <= LEAST_US and server.extra:
            server.level, server.left_us = server.level + 1, server.budget_us

    def held(self, domain: int) -> bool:
        server = self._servers[domain]
        return server.awake and server.left_us <= LEAST_US

    def choose(self, now_us: float) -> tuple[int, float]:
        best, best_key, until_us = NOBODY, (0, NEVER, 0), NEVER
        for domain, server in enumerate(self._servers):
            if server.deadline_us <= now_us:
                self._replenish_server(server, now_us)
            if not server.awake:
                continue
            until_us = min(until_us, server.deadline_us)
            key = (server.level, server.deadline_us, int(domain != self._running))
            if server.left_us > LEAST_US and (best == NOBODY or key < best_key):
                best, best_key = domain, key
        self._running = best
        if best != NOBODY:
            until_us = min(until_us, now_us + self._servers[best].left_us)
        return best, until_us

    def _replenish_server(self, server: _ReservationServer, now_us: float) -> None:
        """Begin the server's next period; periods follow each other without gaps."""
        missed = (now_us - server.deadline_us) // server.period_us + 1
        server.deadline_us += missed * server.period_us
        server.left_us, server.level = server.budget_us, 0


class SedfDispatcher:
    """Earliest deadline first over slices (Xen's SEDF up to 4.5).

    Args:
        reservations: One per domain; a budget of 0 with extra time is a domain that only gets what others leave.
        forfeits: A domain that wakes within its period gets no more reserved time in it.
    """

    def __init__(self, reservations: tuple[CpuReservation, ...], *, forfeits: bool = False) -> None:
        self._servers = tuple(_ReservationServer(reservation) for reservation in reservations)
        for server in self._servers:
            server.deadline_us = 0.0  # the first domain to wake begins a period
        self._forfeits = forfeits
        self._now_us = 0.0
        self._running = NOBODY
        self._on_extra = False
        self._turn = 0  # who is next for extra time

    def wake(self, domain: int, now_us: float) -> None:
        server = self._servers[domain]
        server.awake = True
        short = now_us < server.deadline_us
        if short and not self._forfeits:
            return
        server.starts_us = server.deadline_us if short else now_us
        server.deadline_us = server.starts_us + server.period_us
        server.left_us = server.budget_us

    def block(self, domain: int, now_us: float) -> None:
        self._servers[domain].awake = False

    def ran(self, domain: int, took_us: float, now_us: float) -> None:
        if not self._on_extra:
            self._servers[domain].left_us -= took_us

    def held(self, domain: int) -> bool:
        server = self._servers[domain]
        return server.awake and not server.extra and (server.left_us <= LEAST_US or server.starts_us > self._now_us)

    def choose(self, now_us: float) -> tuple[int, float]:
        self._now_us = now_us
        best, until_us = NOBODY, NEVER
        for domain, server in enumerate(self._servers):
            if not server.awake:
                continue
            self._begin_period(server, now_us)
            if server.starts_us > now_us:
                until_us = min(until_us, server.starts_us)
            elif server.left_us > LEAST_US and self._has_earlier_deadline(domain, best):
                best = domain
        if best == NOBODY:
            return self._choose_extra(now_us, until_us)
        self._running, self._on_extra = best, False
        return best, min(until_us, now_us + self._servers[best].left_us)

    def _begin_period(self, server: _ReservationServer, now_us: float) -> None:
        """Begin the domain's next period after a used slice or the end of a period."""
        while server.deadline_us <= now_us or (server.left_us <= LEAST_US and server.starts_us <= now_us):
            server.starts_us = server.deadline_us
            server.deadline_us += server.period_us
            server.left_us = server.budget_us
            if server.budget_us <= LEAST_US and server.deadline_us > now_us:
                return

    def _has_earlier_deadline(self, domain: int, best: int) -> bool:
        if best == NOBODY:
            return True
        mine, other = self._servers[domain].deadline_us, self._servers[best].deadline_us
        return mine < other or (mine == other and domain == self._running)

    def _choose_extra(self, now_us: float, until_us: float) -> tuple[int, float]:
        """Give time that is not reserved to the domains in turn, a quantum each."""
        count = len(self._servers)
        for step in range(count):
            domain = (self._turn + step) % count
            server = self._servers[domain]
            if server.awake and server.extra:
                self._turn, self._running, self._on_extra = domain + 1, domain, True
                return domain, min(until_us, now_us + _EXTRA_QUANTUM_US)
        self._running = NOBODY
        return NOBODY, until_us
