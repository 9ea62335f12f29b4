"""Fake loads, which run nothing; their rates follow a fake host's file."""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from scheduler.errors import ClientLost, LoadDied
from scheduler.loads.latency import bucket_of
from scheduler.loads.load_protocols import LoadCheck, LoadSecond
from scheduler.model.host_properties import HostProperties
from scheduler.model.load_name import LoadName
from scheduler.model.member import Member, Route
from scheduler.model.scheduler_params import CgroupParams, SchedParams
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.translation import _

# CPU microseconds of one operation per domain. They give the papers' loads different best splits, and
# each load a realistic rate (sources: scheduler/sim/built_in_machine.py).
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
_ANY_COST_US = {IO: 50.0, GUEST: 70.0}  # for other kinds: between the two loads of the papers


class FakeLoadGenerators:
    """Rates from the CPU cost of operations and the CPU of both domains.

    Args:
        share_of: Returns the CPU allotted to a domain now, in CPUs per vCPU.
        now: Returns the time of the clock, seconds.
        guest_vcpus: Returns the guest's current number of vCPUs, each with that share.

    Attributes:
        checks_pass: Outcome of every check.
        dies_after: Seconds of load after which the users die; None for never.
        lost_after: Seconds of load after each of which a fake worker is lost and all users end.
        prepared: Loads whose tables were prepared, in order.
        started: Members whose users were started, in order.
        dying: Loads that die once, in their next second; with the guest, where there are two.
    """

    def __init__(
        self,
        share_of: Callable[[DomainId], float],
        now: Callable[[], float],
        guest_vcpus: Callable[[], int] = lambda: 1,
    ) -> None:
        self._guest_vcpus = guest_vcpus
        self._share_of = share_of
        self._now = now
        self._runs: dict[tuple[str, DomainId | None], FakeMemberRun] = {}
        self.checks_pass = True
        self.dies_after: int | None = None
        self.lost_after: list[int] = []
        self.prepared: list[str] = []
        self.started: list[Member] = []
        self.dying: list[str | tuple[str, DomainId]] = []

    def preflight(self) -> Mapping[str, str]:
        return {"load": "made up"}

    def differences(self) -> tuple[str, ...]:
        return (_("Fake load: no database ran, and every figure is invented."),)

    def member(self, member: Member) -> "FakeMemberRun":
        """Return the run of one member."""
        key = member.load, member.guest
        if key in self._runs:
            self._runs[key].end()
        run = self._runs[key] = FakeMemberRun(self, member)
        return run

    def close(self) -> None:
        for run in self._runs.values():
            run.end()

    @property
    def works(self) -> bool:
        """True while users work."""
        return any(run.works for run in self._runs.values())

    def rate_tps(self, member: Member) -> float:
        """Return the rate of a working member, operations per second.

        All users of a guest queue at the busiest domain, first come first served. While the domain serves each user
        once, each user completes one operation.
        """
        own = [run.member for run in self._runs.values() if run.works and run.member.guest == member.guest]
        guest = member.guest or GUEST
        return min(
            self._cpus_of(domain) * 1e6 / sum(each.users / member.users * _cost_us(each, domain) for each in own)
            for domain in ((guest,) if member.route is Route.DIRECT else (IO, guest))
        )

    def second(self) -> int:
        """Return the current second."""
        return int(self._now())

    def refuse_seconds(self, member: Member, seconds: int) -> None:
        """Raise the errors that a test requested.

        Args:
            member: The member whose seconds are read.
            seconds: Seconds that its users worked since the last read, >= 0.

        Raises:
            LoadDied: The member must die.
            ClientLost: A fake worker must be lost.
        """
        key = (member.load, member.guest) if member.guest else member.load
        if key in self.dying and seconds:
            self.dying.remove(key)
            raise LoadDied(
                _("a made-up user of {load} died, as asked for").format(load=member.load), hint=_("A test did this.")
            )
        if self.dies_after is not None:
            self.dies_after -= seconds
            if self.dies_after < 0:
                raise LoadDied(_("a made-up user died, as asked for"), hint=_("A test did this."))
        if self.lost_after:
            self.lost_after[0] -= seconds
            if self.lost_after[0] < 0:
                del self.lost_after[0]
                raise ClientLost(_("a made-up worker was lost, as asked for"), hint=_("A test did this."))

    def _cpus_of(self, domain: DomainId) -> float:
        """Return the CPU allotted to a domain now, in CPUs."""
        return self._share_of(domain) * (self._guest_vcpus() if domain == GUEST else 1)


class FakeMemberRun:
    """One member of a fake trial.

    Args:
        loads: The load generators of the member.
        member: The member.

    Attributes:
        works: True while its users work.
    """

    def __init__(self, loads: FakeLoadGenerators, member: Member) -> None:
        self.member = member
        self.works = False
        self._loads = loads
        self._next = 0
        self._owed = 0.0
        self._ran = False

    def prepare(self) -> None:
        self._loads.prepared.append(self.member.load)

    def connect(self) -> None:
        self._loads.started.append(self.member)
        self._ran = True

    def go(self) -> None:
        self._next, self.works = self._loads.second(), True

    def poll(self) -> Sequence[LoadSecond]:
        if not self.works:
            return []
        ended = range(self._next, self._loads.second())
        self._next = max(self._next, ended.stop)
        self._loads.refuse_seconds(self.member, len(ended))
        return [self._make_second(second) for second in ended]

    def park(self) -> None:
        self.works = False

    def unpark(self) -> None:
        if self._ran:
            self.go()

    def halt(self) -> None:
        self.works = False

    def check(self) -> LoadCheck | None:
        ran, self._ran = self._ran, False
        return LoadCheck(self._loads.checks_pass, _("fake load, no check")) if ran else None

    def end(self) -> None:
        self.works = self._ran = False

    def _make_second(self, second: int) -> LoadSecond:
        tps = self._loads.rate_tps(self.member)
        self._owed += tps * _rate_wave(second)
        count = int(self._owed)
        self._owed -= count  # keep the fraction, because a query may take seconds
        return LoadSecond(second=second, count=count, histogram={bucket_of(5000.0 / max(tps, 0.1)): count})


def _cost_us(member: Member, domain: DomainId) -> float:
    costs_us = _COST_US.get(LoadName.of(member.load).kind, _ANY_COST_US)
    return costs_us[IO if domain == IO else GUEST]


def _rate_wave(second: int) -> float:
    return 1.0 + 0.02 * ((second * 7919) % 11 - 5) / 5


def open_pool(
    spec: RunSpec,
    facts: HostProperties,
    database_url: str,
    secrets: Mapping[str, str],
    *,
    direct_url: str = "",
    guest_2_url: str = "",
) -> FakeLoadGenerators:
    """Return loads that follow the fake host's file; there is no database.

    Args:
        spec: The plan; its host URL names the file.
        facts: Unused.
        database_url: Unused.
        secrets: Unused.
        direct_url: Unused.
        guest_2_url: Unused.
    """
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

    return FakeLoadGenerators(share_of, time.monotonic, guest_vcpus)
