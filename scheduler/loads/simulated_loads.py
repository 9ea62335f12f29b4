"""Loads of a simulated machine, whose users exist only in its event simulation."""

from collections.abc import Callable, Mapping, Sequence

from scheduler.errors import SpecError
from scheduler.loads.latency import bucket_of
from scheduler.loads.load_protocols import LoadCheck, LoadSecond
from scheduler.model.member import Member, Route
from scheduler.model.sentence_texts import load_title
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, DomainId
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE, is_assumed, simulated_kind
from scheduler.sim.machine import QueueMachine
from scheduler.sim.simulated_machine import SimulatedMachine, SimulatedSecond
from scheduler.sim.steady_state import SteadyState
from scheduler.translation import _


class SimulatedLoads:
    """Users of one sweep, on a machine whose guests run one load at a time each.

    Args:
        world: The machine.
        kinds: The load kinds of the sweep.
    """

    def __init__(self, world: SimulatedMachine, kinds: Sequence[str]) -> None:
        self._world = world
        self._kinds = kinds
        self._runs: dict[DomainId, SimulatedMemberRun] = {}

    def preflight(self) -> Mapping[str, str]:
        return {"load": "simulated", "machine": self._world.machine.title or _("without a title")}

    def differences(self) -> tuple[str, ...]:
        if isinstance(self._world.machine, QueueMachine):
            how = _("Users, domains, scheduler and disk are an event simulation; noise is drawn.")
        else:
            how = _("Rates are read from the machine's description; noise is drawn.")
        return (_("Simulated: no database and no benchmark was run."), how, *self._assumption_sentences())

    def _assumption_sentences(self) -> list[str]:
        if self._world.machine.loads != BUILT_IN_MACHINE.loads:  # the URL may have changed other parts of the machine
            return []
        others = [
            _("{load} is simulated as {load_2}, because its demand is not described.").format(
                load=load_title(kind), load_2=load_title(simulated_kind(kind))
            )
            for kind in self._kinds
            if simulated_kind(kind) != kind
        ]
        assumed = ", ".join(load_title(kind) for kind in self._kinds if is_assumed(kind))
        if assumed:
            others.append(
                _("Of {assumed} the demands are assumed: rates have the right order of magnitude, no more.").format(
                    assumed=assumed
                )
            )
        return others

    def member(self, member: Member) -> "SimulatedMemberRun":
        """Return the run of one load."""
        run = self._runs.get(member.guest or GUEST)
        if run is not None and run.member == member:
            run.end()
        return SimulatedMemberRun(self._world, member, self._claim_guest)

    def _claim_guest(self, run: "SimulatedMemberRun") -> None:
        other = self._runs.get(run.guest)
        if other is not None and other.is_running:
            hint = _("Leave the mix out, or take a host with a database.")
            raise SpecError("mix", _("the loads of this host run one at a time"), hint=hint)
        self._runs[run.guest] = run

    def close(self) -> None:
        for run in self._runs.values():
            run.end()


class SimulatedMemberRun:
    """Simulated users of one load.

    Args:
        world: The machine.
        member: The load and the number of its users.
        claim: Called before the users start; raises SpecError while another load runs.

    Attributes:
        guest: Guest whose database they work on.
        is_running: True from the start of the users to their end.
    """

    def __init__(self, world: SimulatedMachine, member: Member, claim: Callable[["SimulatedMemberRun"], None]) -> None:
        self._claim = claim
        self.member = member
        self.guest = member.guest or GUEST
        self._world = world
        self._users = member.users
        self._parked = self._ran = False
        self._buckets: dict[int, list[tuple[int, float]]] = {}
        self.is_running = False

    def prepare(self) -> None:
        return

    def connect(self) -> None:
        self._claim(self)
        self.is_running = True

    def go(self) -> None:
        direct = self.member.route is Route.DIRECT
        self._world.begin(self.member.load, self._users, guest=self.guest, direct=direct)
        self._parked = False

    def poll(self) -> Sequence[LoadSecond]:
        if not self.is_running or self._parked:
            return []
        return [self._load_second(second) for second in self._world.seconds(self.guest)]

    def park(self) -> None:
        self._world.park(parked=True, guest=self.guest)
        self._parked = True

    def unpark(self) -> None:
        self._world.park(parked=False, guest=self.guest)
        self._parked = False

    def halt(self) -> None:
        self._ran = self.is_running
        self.end()

    def check(self) -> LoadCheck | None:
        ran, self._ran = self._ran, False
        return LoadCheck(passed=True, text=_("simulated: there is no database to compare with")) if ran else None

    def end(self) -> None:
        if self.is_running:
            self.is_running = False
            self._world.end(self.guest)

    def _load_second(self, second: SimulatedSecond) -> LoadSecond:
        client_frac = min(1.0, second.steady.client_frac * second.count / max(second.steady.tps, 1e-9))
        return LoadSecond(
            second=second.second,
            count=second.count,
            histogram=self._second_histogram(second.steady, second.count),
            busiest_cpu_frac=client_frac / self._users,
            cpu_s=client_frac,
        )

    def _second_histogram(self, steady: SteadyState, count: int) -> dict[int, int]:
        """Return the second's operations by bucket, distributed as in the steady state."""
        parts = self._buckets.get(id(steady))
        if parts is None:
            parts = self._buckets[id(steady)] = _cumulative_buckets(steady)
        histogram: dict[int, int] = {}
        given = 0
        for bucket, below in parts:
            upto = round(below * count)
            if upto > given:
                histogram[bucket] = upto - given
                given = upto
        return histogram


def _cumulative_buckets(steady: SteadyState) -> list[tuple[int, float]]:
    """Return buckets in order, each with the share of operations up to it, 0..1."""
    parts: dict[int, float] = {}
    for time_ms, part in steady.times_ms.items():
        bucket = bucket_of(time_ms)
        parts[bucket] = parts.get(bucket, 0.0) + part
    below, found = 0.0, list[tuple[int, float]]()
    for bucket in sorted(parts):
        below += parts[bucket]
        found.append((bucket, below))
    found[-1] = (found[-1][0], 1.0)
    return found


def open_simulated_loads(world: SimulatedMachine, spec: RunSpec) -> SimulatedLoads:
    """Return the loads of a sweep on a simulated machine, not started.

    Args:
        world: The machine.
        spec: The plan.
    """
    return SimulatedLoads(world, [load.kind for load in spec.loads])
