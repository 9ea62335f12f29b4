"""Loads that run nothing: a steady made-up throughput that follows the split in a fake host's file."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from scheduler.errors import ClientLost, LoadDied
from scheduler.loads.latency import bucket_of
from scheduler.loads.load_protocols import LoadCheck, LoadSecond
from scheduler.model.host_properties import HostProperties
from scheduler.model.load_name import kind_of_member
from scheduler.model.scheduler_params import CgroupParams, SchedParams
from scheduler.model.setting import DEFAULT_OPTIONS, RunOptions
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams

# Cost of one operation in CPU microseconds per domain: enough to give the papers' loads different best splits, and each
# load rates of its own order of magnitude (scheduler/sim/built_in_machine.py says whence).
_COST_US = {
    "osdb-ir": {IO: 60.0, GUEST: 40.0},
    "osdb-oltp": {IO: 40.0, GUEST: 120.0},
    "tpcb": {IO: 100.0, GUEST: 240.0},
    "order-entry": {IO: 60.0, GUEST: 550.0},
    "brokerage": {IO: 70.0, GUEST: 430.0},
    "tpch": {IO: 700.0, GUEST: 225_000.0},
    "bulk": {IO: 160.0, GUEST: 130.0},
    "compute": {IO: 60.0, GUEST: 1_800.0},
}
_ANY_COST_US = {IO: 50.0, GUEST: 70.0}  # of every other kind: between the papers' two


class FakeLoadGenerators:
    """Counts what a domain pair with those costs would do.

    Args:
        share_of: Returns the share of one CPU that a domain may use now.
        now: The clock.
        users: Load to its users, for loads that run together; one of each where none is said.
        guest_vcpus: Returns how many vCPUs the guest has now, each with that share.

    Attributes:
        checks_pass: What every check says.
        dies_after: Seconds of load after which the users die; None for never.
        lost_after: Seconds of load after each of which a made-up worker is lost, and all users end.
        prepared: Load kinds whose tables were made ready, in this order.
        started: How the load was to run at each start.
        dying: Loads of a mix that are to die in their next second, each once.
    """

    def __init__(
        self,
        share_of: Callable[[DomainId], float],
        now: Callable[[], float],
        users: Mapping[str, int] = {},
        guest_vcpus: Callable[[], int] = lambda: 1,
    ) -> None:
        self._guest_vcpus = guest_vcpus
        self._share_of = share_of
        self._now = now
        self._users = users
        self._together: dict[str, int] = {}  # those that work now beside others, to their users
        self._kind = ""
        self._next = 0
        self._owed = 0.0
        self._parked = False
        self._passed: tuple[DomainId, ...] = (IO, GUEST)  # the domains that an operation goes through
        self.checks_pass = True
        self.dies_after: int | None = None
        self.lost_after: list[int] = []
        self.prepared: list[str] = []
        self.started: list[RunOptions] = []
        self.dying: list[str] = []

    def preflight(self) -> Mapping[str, str]:
        return {"load": "made up"}

    def deviations(self) -> tuple[str, ...]:
        return ("Nothing was run: every figure is made up.",)

    def runner_for(self, name: str, how: RunOptions = DEFAULT_OPTIONS) -> "FakeWorkloadRunner":
        """Return what runs of one load of a mix."""
        return FakeWorkloadRunner(self, name, how.users or self._users.get(name, 1))

    def prepare(self, kind: str, how: RunOptions = DEFAULT_OPTIONS) -> None:
        self.prepared.append(kind)

    def start(self, kind: str, how: RunOptions = DEFAULT_OPTIONS) -> None:
        self.started.append(how)
        self._passed = (GUEST,) if how.base else (IO, GUEST)
        self._kind, self._next, self._parked, self._owed = kind, int(self._now()), False, 0.0

    def poll(self) -> Sequence[LoadSecond]:
        if not self._kind or self._parked:
            return []
        ended = range(self._next, int(self._now()))
        self._next = max(self._next, ended.stop)
        if self.dies_after is not None:
            self.dies_after -= len(ended)
            if self.dies_after < 0:
                raise LoadDied("a made-up user died, as asked for", hint="A test did this.")
        if self.lost_after:
            self.lost_after[0] -= len(ended)
            if self.lost_after[0] < 0:
                del self.lost_after[0]
                self._kind = ""
                raise ClientLost("a made-up worker was lost, as asked for", hint="A test did this.")
        return [self._make_second(second) for second in ended]

    def park(self) -> None:
        self._parked = True

    def unpark(self) -> None:
        self._next, self._parked = int(self._now()), False

    def stop(self) -> LoadCheck | None:
        if not self._kind:
            return None
        self._kind = ""
        return LoadCheck(self.checks_pass, "nothing was run, nothing can differ")

    def end(self) -> None:
        self._kind = ""

    def close(self) -> None:
        self._kind = ""

    def _make_second(self, second: int) -> LoadSecond:
        cost = _COST_US.get(self._kind, _ANY_COST_US)
        tps = min(self._cpus_of(domain) * 1e6 / cost[domain] for domain in self._passed)
        self._owed += tps * _rate_wave(second)
        count = int(self._owed)
        self._owed -= count  # a query may take seconds
        return _fake_second(second, count, tps)

    def _cpus_of(self, domain: DomainId) -> float:
        """Return what a domain may use now, in CPUs."""
        return self._share_of(domain) * (self._guest_vcpus() if domain == GUEST else 1)

    def mixed_tps(self, name: str) -> float:
        """Return the rate of one of the loads that work together, per second.

        All users queue at the domain that is busiest, first come first served: in the time that it takes to serve each
        of them once, each of them has done one operation.
        """
        costs = {each: _COST_US.get(kind_of_member(each), _ANY_COST_US) for each in self._together}
        turn_us = max(
            sum(users * costs[each][domain] for each, users in self._together.items()) / self._cpus_of(domain)
            for domain in (IO, GUEST)
        )
        return self._together[name] * 1e6 / turn_us

    def second(self) -> int:
        """Return the second that goes on now."""
        return int(self._now())

    def work(self, name: str, users: int) -> None:
        """Count a load among those that work together."""
        self._together[name] = users

    def rest(self, name: str) -> None:
        """Count it among them no longer."""
        self._together.pop(name, None)


class FakeWorkloadRunner:
    """One load of a made-up mix.

    Args:
        loads: Those that it is one of.
        name: Its name.
        users: How many it has.
    """

    def __init__(self, loads: FakeLoadGenerators, name: str, users: int) -> None:
        self._loads = loads
        self._name = name
        self._users = users
        self._next = 0
        self._owed = 0.0
        self._works = self._ran = False

    def prepare(self) -> None:
        self._loads.prepare(self._name)

    def connect(self) -> None:
        self._loads.started.append(RunOptions(self._users))
        self._ran = True

    def go(self) -> None:
        self._next, self._works = self._loads.second(), True
        self._loads.work(self._name, self._users)

    def poll(self) -> Sequence[LoadSecond]:
        if not self._works:
            return []
        ended = range(self._next, self._loads.second())
        self._next = max(self._next, ended.stop)
        if self._name in self._loads.dying and ended:
            self._loads.dying.remove(self._name)
            raise LoadDied(f"a made-up user of {self._name} died, as asked for", hint="A test did this.")
        return [self._make_second(second) for second in ended]

    def park(self) -> None:
        self._works = False

    def unpark(self) -> None:
        self._next, self._works = self._loads.second(), True

    def halt(self) -> None:
        self.end()

    def check(self) -> LoadCheck | None:
        ran, self._ran = self._ran, False
        return LoadCheck(self._loads.checks_pass, "nothing was run, nothing can differ") if ran else None

    def end(self) -> None:
        self._works = False
        self._loads.rest(self._name)

    def _make_second(self, second: int) -> LoadSecond:
        tps = self._loads.mixed_tps(self._name)
        self._owed += tps * _rate_wave(second)
        count = int(self._owed)
        self._owed -= count
        return _fake_second(second, count, tps)


def _rate_wave(second: int) -> float:
    return 1.0 + 0.02 * ((second * 7919) % 11 - 5) / 5


def _fake_second(second: int, count: int, tps: float) -> LoadSecond:
    return LoadSecond(second=second, count=count, histogram={bucket_of(5000.0 / max(tps, 0.1)): count})


def open_pool(
    spec: RunSpec, facts: HostProperties, database_url: str, secrets: Mapping[str, str], base_url: str = ""
) -> FakeLoadGenerators:
    """Return loads that follow the fake host's file."""
    path = Path(spec.host_url.removeprefix("fake:").partition("?")[0])

    def read(domain: DomainId) -> SchedParams | None:
        return msgspec.json.decode(path.read_bytes(), type=dict[DomainId, SchedParams | None]).get(domain)

    def share_of(domain: DomainId) -> float:
        params = read(domain)
        quota_us = params.quota_us if isinstance(params, CgroupParams) else None
        return 0.6 if quota_us is None or not isinstance(params, CgroupParams) else quota_us / params.period_us

    def guest_vcpus() -> int:
        params = read(GUEST_VCPUS)
        return params.online if isinstance(params, VcpuParams) else 1

    return FakeLoadGenerators(share_of, time.monotonic, {load.name: load.users for load in spec.loads}, guest_vcpus)
