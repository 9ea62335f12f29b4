"""Steady state of a simulated machine whose domains share several CPUs.

The I/O domain and the guest are two stations of a closed network. A station with n users works at the rate of
min(n, v, q) CPUs: v vCPUs, and q CPUs by its cap and its placement. Where both together want more CPUs than there are,
the CPUs are divided by weight, per vCPU with work; CPUs that one cannot use go to the other. Client, wire and disk are
delays: they grow with the host. Users in front of both stations are a birth and death process, solved for each number
of users; the stations together then are one station in front of the delays (Chandy, Herzog and Woo, IBM J. Res. Dev.
19(1), 1975).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler.model.placement import PLACE_SLOTS, CpuMask, PlacementParams
from scheduler.model.scheduler_params import Credit2Params, CreditParams, RtdsParams, SchedParams, SedfParams
from scheduler.model.split import GUEST, IO
from scheduler.sim.demand import OperationDemand
from scheduler.sim.machine import QueueMachine
from scheduler.sim.scheduler_params import DEFAULT_WEIGHT, DomainParams

Floats = NDArray[np.float64]

_MS_PER_S = 1_000.0
_LEAST_MS = 1e-6
_EPSILON = 1e-9
# Service times as parts of their mean: the middles of ten equal parts of an exponential distribution.
_TIME_PARTS = tuple(float(part) for part in -np.log1p(-(np.arange(10) + 0.5) / 10))


class StationRights(NamedTuple):
    """Right of a domain to the CPUs.

    Attributes:
        cpus: CPUs on which its vCPUs may run.
        vcpus: Number of its vCPUs.
        limit_cpus: Its cap, CPUs; at most `vcpus`.
        weight: Its weight, per vCPU.
        work_factor: Work of an operation relative to the work on one CPU, >= 1.
    """

    cpus: frozenset[int]
    vcpus: int
    limit_cpus: float
    weight: float
    work_factor: float = 1.0

    @property
    def most_cpus(self) -> float:
        """Largest number of CPUs that it can use."""
        return min(self.limit_cpus, float(len(self.cpus)), float(self.vcpus))


class ManyCpusState(NamedTuple):
    """Steady state on several CPUs.

    Attributes:
        per_s: Operations per second.
        cpus: CPUs that I/O domain and guest use.
        throttled_frac: Part of the time in which each was throttled by its cap.
        service_ms: Service times to their parts, which sum to 1.
    """

    per_s: float
    cpus: tuple[float, float]
    throttled_frac: tuple[float, float]
    service_ms: dict[float, float]


def read_rights(machine: QueueMachine, pair: DomainParams) -> tuple[StationRights, StationRights]:
    """Return the rights of I/O domain and guest.

    Args:
        machine: The machine.
        pair: Parameters and placements of both domains.
    """
    vcpus = {IO: machine.io_vcpus, GUEST: machine.guest_vcpus}
    io, guest = (
        StationRights(
            _placed_cpus(pair.get(PLACE_SLOTS[domain]), machine.cpus),
            vcpus[domain],
            min(float(vcpus[domain]), _limit_cpus(pair[domain], vcpus[domain])),
            _weight(pair[domain]),
        )
        for domain in (IO, GUEST)
    )
    spread = min(io.vcpus, len(io.cpus))
    return io._replace(work_factor=1.0 + machine.sharing * (spread - 1)), guest


def ratio_on_many(rights: tuple[StationRights, StationRights]) -> float | None:
    """Return I/O domain / guest by their rights; None for the original settings."""
    io, guest = rights
    if not io.cpus & guest.cpus:
        return len(io.cpus) / len(guest.cpus)
    if io.limit_cpus < io.vcpus - _EPSILON or guest.limit_cpus < guest.vcpus - _EPSILON:
        return io.limit_cpus / guest.limit_cpus
    if io.weight == guest.weight == DEFAULT_WEIGHT:
        return None
    return io.weight * io.vcpus / (guest.weight * guest.vcpus)


def solve_many_cpus(rights: tuple[StationRights, StationRights], demand: OperationDemand, users: int) -> ManyCpusState:
    """Return the steady state of a closed network.

    Args:
        rights: Rights of I/O domain and guest.
        demand: Demand of one operation.
        users: Closed-loop users, >= 1.
    """
    io_ms = demand.io_in_ms + demand.io_out_ms + demand.disk_requests * demand.io_disk_ms
    io_ms *= rights[0].work_factor
    work_ms = (max(_LEAST_MS, io_ms / (1.0 - min(0.99, demand.io_backlog_frac))), demand.guest_ms)
    counts = [_solve_stations(rights, work_ms, count) for count in range(1, users + 1)]
    rates = np.array([per_ms for per_ms, _ in counts])
    wait_ms = demand.client_ms + demand.wire_ms + demand.disk_requests * demand.disk_ms
    parts = _delay_parts(rates, wait_ms, users)
    per_ms = float(parts @ rates)
    held = parts @ np.array([held for _, held in counts])
    service_ms = max(_LEAST_MS, users / per_ms - demand.wire_ms)
    times = {float(f"{service_ms * part:.3g}"): 1.0 / len(_TIME_PARTS) for part in _TIME_PARTS}
    used = (per_ms * work_ms[0], per_ms * work_ms[1])
    return ManyCpusState(per_ms * _MS_PER_S, used, (float(held[0]), float(held[1])), times)


def _delay_parts(rates: Floats, wait_ms: float, users: int) -> Floats:
    """Return the part of the time with 1, 2, ... users in front of the stations."""
    if wait_ms <= 0.0:
        return np.eye(users)[-1]
    arriving = np.arange(users, 0, -1) / wait_ms  # with 0, 1, ... users in front of the stations
    logs = np.concatenate([[0.0], np.cumsum(np.log(arriving) - np.log(rates))])
    parts = np.exp(logs - logs.max())
    return (parts / parts.sum())[1:]


def _solve_stations(
    rights: tuple[StationRights, StationRights], work_ms: tuple[float, float], users: int
) -> tuple[float, tuple[float, float]]:
    """Return operations per millisecond, and the throttled parts of the time."""
    io, guest = rights
    at_io = np.arange(users + 1.0)
    cpus = share_cpus(rights, at_io, users - at_io)
    leaves, arrives = cpus[0] / work_ms[0], cpus[1] / work_ms[1]
    logs = np.concatenate([[0.0], np.cumsum(np.log(arrives[:-1]) - np.log(leaves[1:]))])
    parts = np.exp(logs - logs.max())
    parts /= parts.sum()
    held = tuple(
        float(parts[np.minimum(count, each.vcpus) > each.limit_cpus + _EPSILON].sum())
        for each, count in ((io, at_io), (guest, users - at_io))
    )
    return float(parts @ arrives), (held[0], held[1])


def share_cpus(rights: tuple[StationRights, StationRights], at_io: Floats, at_guest: Floats) -> tuple[Floats, Floats]:
    """Return the CPUs of both domains for numbers of users in front of each.

    Args:
        rights: Rights of I/O domain and guest.
        at_io: Users in front of the I/O domain.
        at_guest: Users in front of the guest.
    """
    io, guest = rights
    runs_io, runs_guest = np.minimum(at_io, io.vcpus), np.minimum(at_guest, guest.vcpus)
    most_io, most_guest = np.minimum(runs_io, io.most_cpus), np.minimum(runs_guest, guest.most_cpus)
    total = float(len(io.cpus | guest.cpus))
    weighed = io.weight * runs_io
    target = total * weighed / np.maximum(weighed + guest.weight * runs_guest, _EPSILON)
    has_io = np.where(most_io + most_guest > total, np.clip(target, total - most_guest, most_io), most_io)
    return has_io, np.minimum(most_guest, total - has_io)


def _placed_cpus(params: SchedParams | None, cpus: int) -> frozenset[int]:
    masks: Sequence[CpuMask] = params.vcpus if isinstance(params, PlacementParams) else ((),)
    every = frozenset(range(cpus))
    return frozenset[int]().union(*(mask or every for mask in masks))


def _limit_cpus(params: SchedParams, vcpus: int) -> float:
    match params:
        case CreditParams() | Credit2Params():
            return params.cap_pct / 100 or float(vcpus)
        case RtdsParams():
            return sum(1.0 if vcpu.extratime else vcpu.budget_us / vcpu.period_us for vcpu in params.vcpus)
        case SedfParams():
            return float(vcpus) if params.extratime else vcpus * params.slice_ms / params.period_ms
        case _:
            return float(vcpus)


def _weight(params: SchedParams) -> float:
    return float(params.weight) if isinstance(params, CreditParams | Credit2Params) else float(DEFAULT_WEIGHT)
