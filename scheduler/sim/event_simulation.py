"""Event simulation: users, a client, one CPU for two domains, and a disk.

A domain serves its work in the order of arrival. Times are microseconds unless a name has another unit. A guest with
several vCPUs has the others on CPUs of its own. Its kernel fills those first, and moves work that waits for the
shared CPU to one that becomes free.

A second guest has one vCPU on the shared CPU. The I/O domain and the disk serve both guests. The users of each guest
have a client of their own. Users with a direct route leave out the work of the I/O domain.
"""

import heapq
from collections import deque
from collections.abc import Sequence

import msgspec
import numpy as np

from scheduler.sim.demand import OperationDemand
from scheduler.sim.dispatch import GUEST_DOMAIN, IO_DOMAIN, LEAST_US, NOBODY, CpuDispatcher

_US_PER_MS = 1_000.0
_US_PER_S = 1_000_000.0

# Stages of an operation, in the order in which a user passes them.
_CLIENT, _REQUEST, _FIRST, _SUBMIT, _DISK, _LAST, _ANSWER, _WIRE = range(8)
_ON_IO = (_REQUEST, _SUBMIT, _ANSWER)
_ALONE = 100  # added to the stage of what ends on a CPU of the guest's own


class SimulationOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of a stretch of simulation.

    Attributes:
        seconds: Its length, in seconds.
        guest_times_ms: Service time of each completed operation, per guest.
        cpu_frac: CPU used by the I/O domain and each guest, fraction of one.
        io_user_frac: User mode's part of the I/O domain's CPU, fraction of one CPU.
        throttled_frac: Part of the time in which each domain had work but no right to the CPU.
        client_fracs: CPU of the client machine of each guest's users, 0..1.
    """

    seconds: float
    guest_times_ms: tuple[tuple[float, ...], ...]
    cpu_frac: tuple[float, ...]
    io_user_frac: float
    throttled_frac: tuple[float, ...]
    client_fracs: tuple[float, ...]

    @property
    def times_ms(self) -> tuple[float, ...]:
        """Service time of each operation of the first guest."""
        return self.guest_times_ms[0]

    @property
    def operations(self) -> int:
        """Operations that the first guest completed."""
        return len(self.guest_times_ms[0])


class GuestUsers(msgspec.Struct, frozen=True, kw_only=True):
    """Users of one guest.

    Attributes:
        demand: Their load.
        users: Closed-loop users; 0 for a guest that waits.
        stretch: Factor on the guest's CPU.
    """

    demand: OperationDemand
    users: int
    stretch: float = 1.0


class SimulationCase(msgspec.Struct, frozen=True, kw_only=True):
    """Input of a simulation.

    Attributes:
        guests: Users of each guest, at least one guest.
        switch_us: CPU lost when another domain gets the CPU.
        seed: Seed of the sizes of operations.
        vcpus: vCPUs of the first guest, >= 1.
        direct: True when the users reach the guest without the I/O domain.
    """

    guests: tuple[GuestUsers, ...]
    switch_us: float = 0.0
    seed: int = 1
    vcpus: int = 1
    direct: bool = False


class EventSimulation:
    """One run of the simulation.

    Args:
        case: Its input.
        dispatcher: The CPU's scheduler.
    """

    def __init__(self, case: SimulationCase, dispatcher: CpuDispatcher) -> None:
        self._dispatcher = dispatcher
        self._demands = [guest.demand for guest in case.guests]
        self._switch_us = case.switch_us
        self._direct = case.direct
        self._costs_us = [_stage_costs_us(guest.demand, guest.stretch) for guest in case.guests]
        self._sizes = [_operation_sizes(demand.variation, case.seed) for demand in self._demands]
        self._next_size = [0] * len(case.guests)
        self._disk_debt = [0.0] * len(case.guests)
        self._now_us = 0.0
        self._later: list[tuple[float, int, int]] = []  # (time, user, stage that ends)
        domains = 1 + len(case.guests)
        self._domains = range(domains)
        self._queues = tuple(deque[int]() for _ in self._domains)
        self._left_us = [0.0] * domains  # of the work at the head of each queue
        self._last = NOBODY
        self._alone_free = case.vcpus - 1  # CPUs of the first guest's own that nothing runs on
        self._client_free_us = [0.0] * len(case.guests)
        self._disk_free_us = 0.0
        self._guest = [place for place, guest in enumerate(case.guests) for _ in range(guest.users)]  # by user
        users = len(self._guest)
        self._stage = [_CLIENT] * users
        self._size = [1.0] * users
        self._requests = [0] * users  # disk requests that are still to come
        self._halved = [False] * users  # the guest's work comes in two parts, around the disk's
        self._began_us = [0.0] * users
        self._backlog_since_us = 0.0  # until when the I/O domain has looked after waiting requests
        self._reset_counters()
        for user in range(users):
            self._begin_operation(user)

    def run(self, seconds: float, *, warm_up_s: float = 0.0) -> SimulationOutcome:
        """Simulate; return the outcome after the warm-up.

        Args:
            seconds: Length after the warm-up, seconds.
            warm_up_s: Seconds before it that do not count.
        """
        self._advance_to((warm_up_s * _US_PER_S) + self._now_us)
        self._reset_counters()
        began_us = self._now_us
        self._advance_to(began_us + seconds * _US_PER_S)
        took_us = self._now_us - began_us
        return SimulationOutcome(
            seconds=took_us / _US_PER_S,
            guest_times_ms=tuple(map(tuple, self._times_ms)),
            cpu_frac=tuple(cpu_us / took_us for cpu_us in self._cpu_us),
            io_user_frac=self._io_user_us / took_us,
            throttled_frac=tuple(throttled_us / took_us for throttled_us in self._throttled_us),
            client_fracs=tuple(min(1.0, client_us / took_us) for client_us in self._client_us),
        )

    def _reset_counters(self) -> None:
        self._times_ms: list[list[float]] = [[] for _ in self._demands]
        self._cpu_us = [0.0 for _ in self._domains]
        self._throttled_us = [0.0 for _ in self._domains]
        self._io_user_us = 0.0
        self._client_us = [0.0 for _ in self._demands]

    def _advance_to(self, end_us: float) -> None:
        later = self._later
        while self._now_us < end_us:
            runs, until_us = self._dispatcher.choose(self._now_us)
            until_us = min(until_us, end_us)
            if later and later[0][0] < until_us:
                until_us = later[0][0]
            if runs != NOBODY:
                self._run_domain(runs, until_us)
            else:
                self._advance_time(NOBODY, until_us)
            while later and later[0][0] <= self._now_us:
                _, user, stage = heapq.heappop(later)
                if stage >= _ALONE:
                    self._end_alone()
                self._move_user(user, stage % _ALONE)

    def _run_domain(self, domain: int, until_us: float) -> None:
        """Run a domain until its work is done or `until_us`, whichever is first."""
        left_us = self._left_us
        if domain != self._last:
            self._last = domain
            left_us[domain] += self._switch_us
        done_us = self._now_us + left_us[domain]
        ends_us = done_us if done_us < until_us else until_us
        took_us = ends_us - self._now_us
        left_us[domain] -= took_us
        self._advance_time(domain, ends_us)
        self._cpu_us[domain] += took_us
        self._dispatcher.ran(domain, took_us, ends_us)
        if left_us[domain] <= LEAST_US:
            user = self._queues[domain].popleft()
            self._start_next(domain)
            self._move_user(user, self._stage[user])

    def _advance_time(self, domain: int, until_us: float) -> None:
        """Advance the time; record which domain had work but was throttled."""
        took_us = until_us - self._now_us
        self._now_us = until_us
        for other in self._domains:
            if other != domain and self._queues[other] and self._dispatcher.held(other):
                self._throttled_us[other] += took_us

    def _move_user(self, user: int, stage: int) -> None:
        """Move a user to the stage after `stage`."""
        if stage == _WIRE:
            self._begin_operation(user)
        elif stage == _CLIENT:
            self._queue_work(user, _REQUEST)
        elif stage == _REQUEST:
            self._queue_work(user, _FIRST if self._requests[user] else _LAST)
        elif stage in (_FIRST, _DISK):
            self._queue_work(user, _SUBMIT if self._requests[user] else _LAST)
        elif stage == _SUBMIT:
            self._requests[user] -= 1
            self._disk_free_us = max(self._now_us, self._disk_free_us) + self._cost_of(user, _DISK) * self._size[user]
            self._wait_until(user, _DISK, self._disk_free_us)
        elif stage == _LAST:
            self._queue_work(user, _ANSWER)
        else:
            self._times_ms[self._guest[user]].append((self._now_us - self._began_us[user]) / _US_PER_MS)
            self._wait_until(user, _WIRE, self._now_us + self._cost_of(user, _WIRE))

    def _begin_operation(self, user: int) -> None:
        """Begin a user's next operation at the client."""
        guest = self._guest[user]
        sizes = self._sizes[guest]
        self._size[user] = sizes[self._next_size[guest]]
        self._next_size[guest] = (self._next_size[guest] + 1) % len(sizes)
        self._disk_debt[guest] += self._demands[guest].disk_requests
        self._requests[user] = int(self._disk_debt[guest])
        self._disk_debt[guest] -= self._requests[user]
        self._halved[user] = self._requests[user] > 0
        client_us = self._cost_of(user, _CLIENT) * self._size[user]
        self._client_us[guest] += client_us
        self._client_free_us[guest] = max(self._now_us, self._client_free_us[guest]) + client_us
        self._began_us[user] = self._client_free_us[guest]
        self._wait_until(user, _CLIENT, self._client_free_us[guest])

    def _wait_until(self, user: int, stage: int, until_us: float) -> None:
        self._stage[user] = stage
        heapq.heappush(self._later, (until_us, user, stage))

    def _queue_work(self, user: int, stage: int) -> None:
        """Queue a user's work in a domain."""
        self._stage[user] = stage
        domain = IO_DOMAIN if stage in _ON_IO else GUEST_DOMAIN + self._guest[user]
        if self._direct and domain == IO_DOMAIN:
            self._move_user(user, stage)
            return
        if self._alone_free and domain == GUEST_DOMAIN:
            self._run_alone(user, self._work_us(user))
            return
        queue = self._queues[domain]
        queue.append(user)
        if len(queue) == 1:
            if domain == IO_DOMAIN:
                self._backlog_since_us = self._now_us
            self._start_work(domain)
            self._dispatcher.wake(domain, self._now_us)

    def _run_alone(self, user: int, work_us: float) -> None:
        """Let a user's work run on a CPU of the guest's own until it is done."""
        self._alone_free -= 1
        self._cpu_us[GUEST_DOMAIN] += work_us
        heapq.heappush(self._later, (self._now_us + work_us, user, self._stage[user] + _ALONE))

    def _end_alone(self) -> None:
        """Take work that waits for the shared CPU: a second item or the rest of one."""
        self._alone_free += 1
        queue = self._queues[GUEST_DOMAIN]
        if len(queue) > 1:
            user = queue[1]
            del queue[1]
            self._run_alone(user, self._work_us(user))
        elif queue:
            user = queue.popleft()
            self._start_next(GUEST_DOMAIN)
            self._run_alone(user, self._left_us[GUEST_DOMAIN])

    def _work_us(self, user: int) -> float:
        """Return how long a user's work takes in its domain without waiting, microseconds."""
        work_us = self._cost_of(user, self._stage[user]) * self._size[user]
        return work_us / 2 if self._halved[user] and self._stage[user] not in _ON_IO else work_us

    def _cost_of(self, user: int, stage: int) -> float:
        """Return how long a stage of an operation of size 1 takes, microseconds."""
        return self._costs_us[self._guest[user]][stage]

    def _start_next(self, domain: int) -> None:
        if self._queues[domain]:
            self._start_work(domain)
        else:
            self._dispatcher.block(domain, self._now_us)

    def _start_work(self, domain: int) -> None:
        """Start the work at a queue's head; the I/O domain first does the backlog's work."""
        user = self._queues[domain][0]
        work_us = self._work_us(user)
        if domain == IO_DOMAIN:
            demand = self._demands[self._guest[user]]
            extra_us = demand.io_backlog_frac * (self._now_us - self._backlog_since_us)
            self._backlog_since_us = self._now_us
            self._io_user_us += extra_us + demand.io_user_frac * work_us
            work_us += extra_us
        self._left_us[domain] = work_us


def _stage_costs_us(demand: OperationDemand, stretch: float) -> Sequence[float]:
    """Return the microseconds of each stage for an operation of size 1."""
    ms = {
        _CLIENT: demand.client_ms,
        _REQUEST: demand.io_in_ms,
        _FIRST: demand.guest_ms * stretch,
        _SUBMIT: demand.io_disk_ms,
        _DISK: demand.disk_ms,
        _LAST: demand.guest_ms * stretch,
        _ANSWER: demand.io_out_ms,
        _WIRE: demand.wire_ms,
    }
    return [ms[stage] * _US_PER_MS for stage in range(len(ms))]


def _operation_sizes(variation: float, seed: int) -> Sequence[float]:
    """Return sizes of operations: gamma of mean 1 with the demand's variation."""
    shape = 1.0 / variation**2
    return (np.random.default_rng(seed).gamma(shape, size=_SIZES) / shape).tolist()


_SIZES = 4096
