"""Undisturbed rates of a machine per setting and load, each simulated once."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from scheduler.model.placement import PLACE_SLOTS
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.setting import SplitSetting
from scheduler.model.split import GUEST, GUEST_2, IO, ROLES, DomainId
from scheduler.sim.demand import OperationDemand
from scheduler.sim.demand_mix import NO_ADDED_LOAD, AddedLoad, mix_demands
from scheduler.sim.event_simulation import EventSimulation, GuestUsers, SimulationCase, SimulationOutcome
from scheduler.sim.machine import Machine, QueueMachine, SurfaceMachine
from scheduler.sim.many_cpus import ratio_on_many, read_rights, solve_many_cpus
from scheduler.sim.pchip import interpolate_pchip
from scheduler.sim.scheduler_params import DomainParams, dispatcher_of, limit_of, ratio_of, vcpus_of

# Short enough for 20 settings in a sweep. Another seed would move a rate by up to 2 %, by 4 % where a domain is
# starved (five seeds looked at), so that of the operations is always the same: what a machine can do is not drawn.
_SIMULATED_S = 20.0
_SIZES_SEED = 1
_WARM_UP_S = 3.0
_SHORT_MS = 16.0  # work of the guest; what takes longer is simulated for longer, to come as often
_MOST_REMEMBERED = 1024  # results of the event simulation, some 10 kB each
_SAME_LOG_RATIO = 0.02  # rounding moves a ratio by at most this; it is then the split that was asked for


class GuestLoad(NamedTuple):
    """Load of one guest.

    Attributes:
        kind: Kind of the load.
        users: Closed-loop users, >= 1.
        added: A second kind for a part of the operations; a surface machine has none.
        direct: True when the users reach the guest without the I/O domain.
    """

    kind: str
    users: int
    added: AddedLoad = NO_ADDED_LOAD
    direct: bool = False


class SteadyState(msgspec.Struct, frozen=True, kw_only=True):
    """Undisturbed state of one guest at one setting, under all loads of that time.

    Attributes:
        tps: Tuples per second of the guest.
        cpu_frac: CPU of the I/O domain and each guest, in CPUs; None when the machine has no CPU figures.
        user_frac: User mode's part of it, fraction of one CPU each.
        throttled_frac: Part of the time in which each was throttled by its limit.
        limits: The most CPU of each, in CPUs.
        client_frac: CPU of the client machine.
        bytes_per_tuple: Received and sent.
        times_ms: Service times to their parts, which sum to 1.
        ratio: I/O domain / guest; None for the original settings.
        vcpus: vCPUs of the guest; with several shared CPUs their number.
    """

    tps: float
    cpu_frac: tuple[float, ...] | None
    user_frac: tuple[float, ...] = (0.0, 0.0)
    throttled_frac: tuple[float, ...] = (0.0, 0.0)
    limits: tuple[float, ...] = (1.0, 1.0)
    client_frac: float = 0.0
    bytes_per_tuple: tuple[float, float] = (0.0, 0.0)
    times_ms: Mapping[float, float] = {}
    ratio: float | None = None
    vcpus: int = 1


class SteadyStates:
    """All settings of one machine, each simulated at its first use."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._known: dict[object, Mapping[DomainId, SteadyState]] = {}

    def at(self, pair: DomainParams, kind: str, users: int, added: AddedLoad = NO_ADDED_LOAD) -> SteadyState:
        """Return the steady state with these parameters under the first guest's load.

        Args:
            pair: The domains' parameters.
            kind: The load.
            users: Closed-loop users, >= 1.
            added: A second kind for a part of the operations; a surface machine has none.
        """
        return self.of_guests(pair, {GUEST: GuestLoad(kind, users, added)})[GUEST]

    def of_guests(self, pair: DomainParams, loads: Mapping[DomainId, GuestLoad]) -> Mapping[DomainId, SteadyState]:
        """Return the steady state of each loaded guest with these parameters.

        Args:
            pair: The domains' parameters.
            loads: Guest to its load, at least one; a guest without a load waits.
        """
        places = tuple(pair.get(slot) for slot in PLACE_SLOTS.values())
        own = tuple(pair.get(role) for role in ROLES)
        key = (own, places, vcpus_of(pair), tuple(loads.items()))
        if key not in self._known:
            self._known[key] = self._simulate_states(pair, loads)
        return self._known[key]

    def _simulate_states(
        self, pair: DomainParams, loads: Mapping[DomainId, GuestLoad]
    ) -> Mapping[DomainId, SteadyState]:
        machine = self._machine
        if isinstance(machine, QueueMachine) and machine.cpus == 1:
            case = _simulation_case(machine, pair, loads)
            states = _simulate_once(case, tuple(pair.items()), sedf_forfeits=machine.sedf_forfeits)
            return {guest: states[place] for place, guest in enumerate(_guests(pair)) if guest in loads}
        load = loads[GUEST]
        if isinstance(machine, SurfaceMachine):
            return {GUEST: _interpolate_state(machine, pair, load.kind, load.users)}
        return {GUEST: _solve_state(machine, pair, _demand_of(machine, load), load.users)}


def _guests(pair: DomainParams) -> tuple[DomainId, ...]:
    return tuple(guest for guest in (GUEST, GUEST_2) if guest in pair)


def _demand_of(machine: QueueMachine, load: GuestLoad) -> OperationDemand:
    demand = machine.loads[load.kind]
    if load.added.kind:
        demand = mix_demands(demand, machine.loads[load.added.kind], load.added.frac)
    return demand.without_io_domain if load.direct and machine.cpus > 1 else demand


def simulate(
    machine: QueueMachine, pair: DomainParams, kind: str, users: int, *, seed: int = _SIZES_SEED
) -> SimulationOutcome:
    """Return the outcome of the event simulation at one setting.

    Args:
        machine: The machine.
        pair: Parameters of both domains.
        kind: The load.
        users: Closed-loop users.
        seed: Seed of the operations' sizes.
    """
    case = _simulation_case(machine, pair, {GUEST: GuestLoad(kind, users)}, seed)
    return _run_simulation(case, pair, sedf_forfeits=machine.sedf_forfeits)


def _simulation_case(
    machine: QueueMachine, pair: DomainParams, loads: Mapping[DomainId, GuestLoad], seed: int = _SIZES_SEED
) -> SimulationCase:
    any_load = next(iter(loads.values()))
    return SimulationCase(
        guests=tuple(
            _guest_users(machine, pair, guest, loads.get(guest, any_load._replace(users=0))) for guest in _guests(pair)
        ),
        switch_us=machine.switch_us,
        seed=seed,
        vcpus=vcpus_of(pair),
        direct=any_load.direct,
    )


def _guest_users(machine: QueueMachine, pair: DomainParams, guest: DomainId, load: GuestLoad) -> GuestUsers:
    demand = _demand_of(machine, load)
    return GuestUsers(demand=demand, users=load.users, stretch=demand.stretch_at(limit_of(pair[guest])))


def _run_simulation(case: SimulationCase, pair: DomainParams, *, sedf_forfeits: bool) -> SimulationOutcome:
    dispatcher = dispatcher_of(pair, sedf_forfeits=sedf_forfeits)
    longer = max(1.0, *(guest.demand.guest_ms / _SHORT_MS for guest in case.guests))
    return EventSimulation(case, dispatcher).run(longer * _SIMULATED_S, warm_up_s=longer * _WARM_UP_S)


@lru_cache(maxsize=_MOST_REMEMBERED)
def _simulate_once(
    case: SimulationCase, params: tuple[tuple[DomainId, SchedParams], ...], *, sedf_forfeits: bool
) -> tuple[SteadyState, ...]:
    """Simulate one setting once per process: equal arguments give equal results."""
    pair = dict(params)
    seen = _run_simulation(case, pair, sedf_forfeits=sedf_forfeits)
    parts = (guest.demand.guest_user_frac for guest in case.guests)
    user_frac = (seen.io_user_frac, *(part * cpus for part, cpus in zip(parts, seen.cpu_frac[1:], strict=True)))
    return tuple(
        SteadyState(
            tps=guest.demand.tuples * len(seen.guest_times_ms[place]) / seen.seconds,
            cpu_frac=seen.cpu_frac,
            user_frac=user_frac,
            throttled_frac=seen.throttled_frac,
            limits=tuple(limit_of(pair[role]) for role in ROLES if role in pair),
            client_frac=seen.client_fracs[place],
            bytes_per_tuple=(guest.demand.in_bytes, guest.demand.out_bytes),
            times_ms=_time_shares(seen.guest_times_ms[place], seen.seconds),
            ratio=ratio_of(pair),
            vcpus=vcpus_of(pair),
        )
        for place, guest in enumerate(case.guests)
    )


def _solve_state(machine: QueueMachine, pair: DomainParams, demand: OperationDemand, users: int) -> SteadyState:
    """Return the state of domains that share several CPUs."""
    rights = read_rights(machine, pair)
    solved = solve_many_cpus(rights, demand, users)
    io_cpus, guest_cpus = solved.cpus
    return SteadyState(
        tps=demand.tuples * solved.per_s,
        cpu_frac=solved.cpus,
        user_frac=(demand.io_user_frac * io_cpus, demand.guest_user_frac * guest_cpus),
        throttled_frac=solved.throttled_frac,
        limits=(rights[0].most_cpus, rights[1].most_cpus),
        client_frac=min(1.0, solved.per_s * demand.client_ms / 1000 / machine.cpus),
        bytes_per_tuple=(demand.in_bytes, demand.out_bytes),
        times_ms=solved.service_ms,
        ratio=ratio_on_many(rights),
        vcpus=machine.cpus,
    )


def _time_shares(times_ms: Sequence[float], seconds: float) -> dict[float, float]:
    """Return service times, rounded to two digits, with their part of the operations."""
    if not times_ms:
        return {seconds * 1000: 1.0}
    counts = Counter(float(f"{time_ms:.2g}") for time_ms in times_ms)
    return {time_ms: count / len(times_ms) for time_ms, count in counts.items()}


def _interpolate_state(machine: SurfaceMachine, pair: DomainParams, kind: str, users: int) -> SteadyState:
    scale, rates = machine.scale_tps.get(kind, 1.0), machine.loads[kind]
    ratio = ratio_of(pair)
    if ratio is None and kind in machine.baseline:
        tps = scale * machine.baseline[kind]
    else:
        tps = scale * _interpolate_surface(machine, rates, ratio or 1.0)
    return SteadyState(
        tps=tps,
        cpu_frac=_surface_cpu_frac(machine, kind, ratio or 1.0),
        limits=(limit_of(pair[IO]), limit_of(pair[GUEST])),
        times_ms={1000.0 * users / max(tps, 1e-6): 1.0},  # closed loop without thinking
        ratio=ratio,
    )


def _surface_cpu_frac(machine: SurfaceMachine, kind: str, ratio: float) -> tuple[float, float] | None:
    pairs = machine.delivered.get(kind)
    if pairs is None:
        return None
    io, guest = (_interpolate_surface(machine, [pair[place] for pair in pairs], ratio) for place in (0, 1))
    return io, guest


def _interpolate_surface(machine: SurfaceMachine, values: Sequence[float], ratio: float) -> float:
    """Return the value at a ratio: a split's own, or interpolated in its logarithm."""
    at = math.log(ratio)
    places = [SplitSetting(split).position for split in machine.parsed_splits]
    nodes = sorted(zip(places, values, strict=True))
    near, value = min(nodes, key=lambda node: abs(node[0] - at))
    if abs(near - at) <= _SAME_LOG_RATIO:
        return value
    return interpolate_pchip([place for place, _ in nodes], [height for _, height in nodes], at)
