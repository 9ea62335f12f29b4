"""A simulated machine over time: parameters, load, and counters on a clock."""

import math
from collections.abc import Callable, Mapping

import msgspec

from scheduler.errors import LoadError, SpecError
from scheduler.model.host_properties import DomainUsage
from scheduler.model.mixes import refuse_simulated_mix
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.spec import RunSpec
from scheduler.model.split import GUEST, GUEST_2, IO, DomainId
from scheduler.sim.demand_mix import NO_ADDED_LOAD, AddedLoad
from scheduler.sim.disturbance import RateDisturbance
from scheduler.sim.machine import Machine, SurfaceMachine, shared_cpu_count
from scheduler.sim.scheduler_params import check_machine_params, initial_machine_params
from scheduler.sim.steady_state import GuestLoad, SteadyState, SteadyStates
from scheduler.translation import _

DOMAINS = (IO, GUEST)
_MEMORY_BYTES = (263_000_000, 260_000_000, 260_000_000)  # 256 MiB domains, 98 and 97 % in use
_SATURATED = 0.02  # throttled for more of the time than this: a domain uses all that it may
_EDGE_SLACK = 1.05  # a split this far beyond the last known one is still that one


class SimulatedSecond(msgspec.Struct, frozen=True):
    """One whole second of the load.

    Attributes:
        second: Its start, on the clock.
        count: Tuples completed.
        steady: The undisturbed rates of the machine.
    """

    second: int
    count: int
    steady: SteadyState


class _DomainCounters(msgspec.Struct):
    """CPU and bytes that a domain has used since the machine was made."""

    user_s: float = 0.0
    system_s: float = 0.0
    throttled_s: float = 0.0
    in_bytes: float = 0.0
    out_bytes: float = 0.0


class _GuestRun(msgspec.Struct):
    """Load of one guest, and its count.

    Attributes:
        load: The load.
        first_s: First second that counts: a second without the load in all of it is not reported.
        parked: True while its users are held.
        done: Tuples of the second that is not over yet, and the rest of rounding.
        seconds: Whole seconds that were not read yet.
    """

    load: GuestLoad
    first_s: int = 0
    parked: bool = False
    done: float = 0.0
    seconds: list[SimulatedSecond] = []

    def reset(self, at_s: float) -> None:
        """Restart the count."""
        self.done, self.seconds, self.first_s = 0.0, [], math.ceil(at_s)


class SimulatedMachine:
    """The machine and its state.

    Both guests share the disturbance of the machine.

    Args:
        machine: Its description.
        now: The clock; the machine advances only with the clock.
    """

    def __init__(self, machine: Machine, now: Callable[[], float]) -> None:
        self.machine = machine
        self._now = now
        self._steadies = SteadyStates(machine)
        self._params = initial_machine_params(machine)
        self._disturbance = RateDisturbance(machine, 0)
        self._counters = {domain: _DomainCounters() for domain in DOMAINS}
        self._stolen_s = 0.0
        self._at_s = now()
        self._runs: dict[DomainId, _GuestRun] = {}
        self._entered: tuple[object, ...] = ()
        self._drawn_for = -1  # the second whose factors are known
        self._factors = (1.0, 1.0)

    def add_guest(self) -> None:
        """Add a second guest, with the parameters of the first one before any write."""
        self._params = initial_machine_params(self.machine, second=True)
        self._counters[GUEST_2] = _DomainCounters()

    def follow_clock(self, now: Callable[[], float]) -> None:
        """Follow another clock from now on."""
        self._now, self._at_s = now, now()

    def reseed(self, seed: int) -> None:
        """Draw all random numbers again from a sweep's seed."""
        self._disturbance = RateDisturbance(self.machine, seed)
        self._entered = ()

    def restart_database(self) -> None:
        """Restart the database: the next trial is a cold one."""
        self._disturbance.restart()
        self._entered = ()

    def read(self, domain: DomainId) -> SchedParams:
        """Return a domain's parameters."""
        return self._params[domain]

    def write(self, domain: DomainId, params: SchedParams) -> None:
        """Set a domain's parameters; raises ParameterRefused.

        Args:
            domain: The domain.
            params: Its parameters.
        """
        checked = check_machine_params(self.machine, domain, params)
        self._advance_clock()
        self._params[domain] = checked

    def begin(
        self,
        kind: str,
        users: int,
        added: AddedLoad = NO_ADDED_LOAD,
        *,
        guest: DomainId = GUEST,
        direct: bool = False,
    ) -> None:
        """Start a load's users.

        Args:
            kind: Kind of the load, which also decides the random numbers.
            users: Closed-loop users, >= 1.
            added: A second kind for a part of their operations.
            guest: Guest whose database they work on.
            direct: True when they reach it without the I/O domain.

        Raises:
            LoadError: The machine does not know the load.
        """
        if kind not in self.machine.loads:
            known = ", ".join(self.machine.loads)
            raise LoadError(
                _("the simulated machine has no load {kind}").format(kind=kind),
                hint=_("It has: {known}.").format(known=known),
            )
        self._advance_clock()
        self._runs[guest] = run = _GuestRun(GuestLoad(kind, users, added, direct))
        run.reset(self._at_s)

    def end(self, guest: DomainId = GUEST) -> None:
        """Stop the users of a guest."""
        self._advance_clock()
        self._runs.pop(guest, None)

    def park(self, *, parked: bool, guest: DomainId = GUEST) -> None:
        """Hold the users of a guest, or let them go on.

        Args:
            parked: True to hold them.
            guest: The guest.
        """
        self._advance_clock()
        if run := self._runs.get(guest):
            run.parked = parked
            run.reset(self._at_s)

    def seconds(self, guest: DomainId = GUEST) -> list[SimulatedSecond]:
        """Return the whole seconds of a guest's load that ended since the last call."""
        self._advance_clock()
        run = self._runs.get(guest)
        if run is None:
            return []
        ended, run.seconds = run.seconds, []
        return ended

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        """Return the counters of each domain; empty for a machine without CPU figures."""
        self._advance_clock()
        if isinstance(self.machine, SurfaceMachine) and not self.machine.delivered:
            return {}
        return {domain: self._domain_usage(domain, place) for place, domain in enumerate(self._counters)}

    def stolen_s(self) -> float:
        """Return the CPU seconds that other machines have taken while a load ran."""
        self._advance_clock()
        return self._stolen_s

    def _domain_usage(self, domain: DomainId, place: int) -> DomainUsage:
        counters = self._counters[domain]
        return DomainUsage(
            user_s=counters.user_s,
            system_s=counters.system_s,
            memory_bytes=_MEMORY_BYTES[place],
            in_bytes=int(counters.in_bytes),
            out_bytes=int(counters.out_bytes),
            throttled_s=counters.throttled_s,
        )

    def _advance_clock(self) -> None:
        """Advance the machine to the clock's time."""
        now_s = self._now()
        while self._at_s < now_s:
            ends_s = min(now_s, math.floor(self._at_s) + 1.0)
            if working := {guest: run for guest, run in sorted(self._runs.items()) if not run.parked}:
                self._simulate_second(ends_s, working)
            self._at_s = ends_s

    def _simulate_second(self, ends_s: float, working: Mapping[DomainId, _GuestRun]) -> None:
        second = math.floor(self._at_s)
        loads = {guest: run.load for guest, run in working.items()}
        steadies = self._steadies.of_guests(self._params, loads)
        kind, steady = next(iter(loads.values())).kind, next(iter(steadies.values()))
        self._begin_trial(loads, steady)
        if self._drawn_for != second:
            self._factors = self._disturbance.second(kind, float(second), steady.tps)
            self._drawn_for = second
        took_s = ends_s - self._at_s
        self._count_cpu(steady, took_s)
        for guest, run in working.items():
            self._count_tuples(guest, run, steadies[guest], took_s)
            if ends_s == second + 1.0 and second >= run.first_s:
                count = math.floor(run.done)
                run.done -= count
                run.seconds.append(SimulatedSecond(second, count, steadies[guest]))
            elif ends_s == second + 1.0:
                run.done = 0.0

    def _begin_trial(self, loads: Mapping[DomainId, GuestLoad], steady: SteadyState) -> None:
        """Record the start of a new trial."""
        kinds = tuple((guest, load.kind, load.direct) for guest, load in loads.items())
        entered = (kinds, steady.ratio, steady.vcpus)
        if entered == self._entered:
            return
        cold = not self._entered
        new_load = not cold and self._entered[0] != kinds
        self._entered = entered
        self._disturbance.enter(kinds[0][1], steady.ratio, steady.tps, cold=cold, new_load=new_load)

    def _count_tuples(self, guest: DomainId, run: _GuestRun, steady: SteadyState, took_s: float) -> None:
        tuples = steady.tps * self._factors[0] * took_s
        run.done += tuples
        received, sent = steady.bytes_per_tuple
        for counters in (self._counters[guest], *([] if run.load.direct else [self._counters[IO]])):
            counters.in_bytes += received * tuples
            counters.out_bytes += sent * tuples

    def _count_cpu(self, steady: SteadyState, took_s: float) -> None:
        """Count the CPU of each domain, which is in the state of any loaded guest."""
        self._stolen_s += (1 - self._factors[1]) * shared_cpu_count(self.machine) * took_s
        domains = list(self._counters.values())[: len(steady.limits)]
        used = [self._used_frac(steady, place) for place in range(len(domains))]
        there = steady.vcpus * self._factors[1]  # as many CPUs as the guest has, less what neighbours steal
        left = there / max(sum(used), there)
        for place, counters in enumerate(domains):
            cpu_s = used[place] * left * took_s
            user_s = (
                cpu_s * steady.user_frac[place] / steady.cpu_frac[place] if used[place] and steady.cpu_frac else 0.0
            )
            counters.user_s += user_s
            counters.system_s += cpu_s - user_s
            counters.throttled_s += steady.throttled_frac[place] * took_s

    def _used_frac(self, steady: SteadyState, place: int) -> float:
        """Return the CPU that a domain uses, fraction of one.

        A domain at its limit uses all that it may, for any throughput; another one follows the throughput.
        """
        if steady.cpu_frac is None:
            return 0.0
        factor, stolen = self._factors
        cpu_frac = steady.cpu_frac[place]
        if steady.throttled_frac[place] > _SATURATED:
            return cpu_frac * stolen
        return min(cpu_frac * factor, max(steady.limits[place], cpu_frac) * stolen)


def refuse_unsupported_sweep(machine: Machine, spec: RunSpec) -> None:
    """Refuse a sweep that the machine cannot answer; raises SpecError with the reason.

    Args:
        machine: The machine.
        spec: The sweep.
    """
    refuse_simulated_mix(spec.mixes)
    for load in spec.loads:
        if load.kind not in machine.loads:
            hint = _("It knows: {loads}.").format(loads=", ".join(machine.loads))
            raise SpecError(
                "load.kind", _("the simulated machine does not know {kind}").format(kind=load.kind), hint=hint
            )
    if not isinstance(machine, SurfaceMachine):
        return
    known = [split.io / split.guest for split in machine.parsed_splits]
    low, high = min(known) / _EDGE_SLACK, max(known) * _EDGE_SLACK
    for split in spec.splits:
        if not low <= split.io / split.guest <= high:
            raise SpecError(
                "splits",
                _("the simulated machine has no rate for {label}, nor for splits on both sides of it").format(
                    label=split.label
                ),
                hint=_("Its splits: {splits}; splits between them are interpolated.").format(
                    splits=", ".join(machine.splits)
                ),
            )
