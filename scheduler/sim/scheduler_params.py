"""Parameters of simulated schedulers: allowed values, initial values, meaning."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from scheduler.errors import ParameterRefused
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.scheduler_params import Credit2Params, CreditParams, RtdsParams, RtdsVcpu, SchedParams, SedfParams
from scheduler.model.split import GUEST, GUEST_2, IO, ROLES, DomainId
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.sim.credit import CreditDispatcher
from scheduler.sim.credit2 import Credit2Dispatcher
from scheduler.sim.dispatch import CpuDispatcher
from scheduler.sim.machine import Machine, most_vcpus, shared_cpu_count, vcpu_counts
from scheduler.sim.reservations import CpuReservation, RtdsDispatcher, SedfDispatcher
from scheduler.sim.weighted_domain import WeightedDomain
from scheduler.translation import _

DomainParams = Mapping[DomainId, SchedParams]
AnyParams = TypeVar("AnyParams", bound=SchedParams)

DEFAULT_WEIGHT = 256  # xl.cfg(5), cpu_weight
_MOST_WEIGHT = 65_535
_US_PER_MS = 1_000.0

DIALECTS: Mapping[str, type[SchedParams]] = {
    "credit": CreditParams,
    "credit2": Credit2Params,
    "rtds": RtdsParams,
    "sedf": SedfParams,
    "sedf-xm": SedfParams,
}

_INITIAL_PARAMS: Mapping[str, SchedParams] = {
    "credit": CreditParams(DEFAULT_WEIGHT),
    "credit2": Credit2Params(DEFAULT_WEIGHT),
    # sched_rt.c: 4 ms in 10 ms; extra time is on, as since Xen 4.10
    "rtds": RtdsParams((RtdsVcpu(period_us=10_000, budget_us=4_000, extratime=True),)),
    "sedf": SedfParams(period_ms=100, slice_ms=0, extratime=True),
    "sedf-xm": SedfParams(period_ms=100, slice_ms=0, extratime=True),
}


def initial_params(scheduler: str) -> dict[DomainId, SchedParams]:
    """Return both domains' parameters before any write, with the guest's vCPUs."""
    return {**dict.fromkeys((IO, GUEST), _INITIAL_PARAMS[scheduler]), GUEST_VCPUS: VcpuParams(1)}


def initial_machine_params(machine: Machine, *, second: bool = False) -> dict[DomainId, SchedParams]:
    """Return the parameters of a machine before any write, placements included.

    Args:
        machine: The machine.
        second: True with a second guest.
    """
    found = initial_params(machine.scheduler)
    if second:
        found[GUEST_2] = _INITIAL_PARAMS[machine.scheduler]
    if shared_cpu_count(machine) == 1:
        return found
    for domain, count in vcpu_counts(machine).items():
        found[PLACE_SLOTS[domain]] = PlacementParams(((),) * count)
        if isinstance(own := found[domain], RtdsParams):
            found[domain] = RtdsParams(own.vcpus * count)
    return found


def check_machine_params(machine: Machine, domain: DomainId, params: SchedParams) -> SchedParams:
    """Return parameters that a machine accepts.

    Args:
        machine: The machine.
        domain: The domain, its placement, or the guest's vCPUs.
        params: Its parameters.

    Raises:
        ParameterRefused: With value and range.
    """
    if domain == GUEST_VCPUS:
        return check_vcpus(params, most_vcpus(machine))
    counts = vcpu_counts(machine)
    for role, slot in PLACE_SLOTS.items():
        if slot == domain:
            return _check_place(slot, params, counts[role], shared_cpu_count(machine))
    return check_params(machine.scheduler, domain, params, counts.get(domain, 1))


def _check_place(slot: DomainId, params: SchedParams, vcpus: int, cpus: int) -> SchedParams:
    placed = narrow_params(params, PlacementParams, _("the simulated placement {slot}").format(slot=slot))
    if len(placed.vcpus) != vcpus:
        raise _range_error(slot, _("number of vCPUs"), len(placed.vcpus), f"{vcpus}..{vcpus}")
    outside = [cpu for mask in placed.vcpus for cpu in mask if not 0 <= cpu < cpus]
    if outside:
        raise _range_error(slot, "CPU", max(outside), f"0..{cpus - 1}")
    return params


def vcpus_of(pair: DomainParams) -> int:
    """Return the number of the guest's vCPUs."""
    sized = pair.get(GUEST_VCPUS)
    return sized.online if isinstance(sized, VcpuParams) else 1


def check_vcpus(params: SchedParams, most: int) -> SchedParams:
    """Return a number of vCPUs that the guest can have; raises ParameterRefused.

    Args:
        params: The number.
        most: The most that the guest can have.
    """
    online = narrow_params(params, VcpuParams, _("the simulated guest's vCPUs")).online
    if not 1 <= online <= most:
        raise _range_error(GUEST_VCPUS, "number", online, f"1..{most}")
    return params


def check_params(scheduler: str, domain: DomainId, params: SchedParams, vcpus: int = 1) -> SchedParams:
    """Return parameters that the scheduler accepts.

    Args:
        scheduler: Name of the scheduler.
        domain: The domain.
        params: Its parameters.
        vcpus: Number of its vCPUs, >= 1.

    Raises:
        ParameterRefused: With value and range.
    """
    narrow_params(params, DIALECTS[scheduler], _("the simulated domain {domain}").format(domain=domain))
    match params:
        case CreditParams() | Credit2Params():
            _check_weighted(domain, params, vcpus)
        case RtdsParams():
            _check_rtds(domain, params, vcpus)
        case SedfParams():
            _check_sedf(domain, params)
        case _:
            pass
    return params


def dispatcher_of(pair: DomainParams, *, sedf_forfeits: bool = False) -> CpuDispatcher:
    """Return the simulated scheduler with the parameters of each domain.

    Args:
        pair: Parameters of the I/O domain and of one guest or two.
        sedf_forfeits: True for SEDF as released.
    """
    own = [pair[role] for role in ROLES if role in pair]
    if sedf := _all_of(own, SedfParams):
        return SedfDispatcher(tuple(map(_sedf_reservation, sedf)), forfeits=sedf_forfeits)
    if rtds := _all_of(own, RtdsParams):
        return RtdsDispatcher(tuple(map(_rtds_reservation, rtds)))
    if credit2 := _all_of(own, Credit2Params):
        return Credit2Dispatcher(tuple(map(_weighted_domain, credit2)))
    if credit := _all_of(own, CreditParams):
        return CreditDispatcher(tuple(map(_weighted_domain, credit)))
    words = " and ".join(params.words for params in own)
    raise ParameterRefused(_("the domains speak different dialects: {words}").format(words=words))


def _all_of(own: Sequence[SchedParams], dialect: type[AnyParams]) -> list[AnyParams]:
    """Return all parameters where they are of one dialect; else nothing."""
    found = [params for params in own if isinstance(params, dialect)]
    return found if len(found) == len(own) else []


def limit_of(params: SchedParams) -> float:
    """Return the most CPU of a domain, 0..1; 1 when only weights or extra time decide."""
    match params:
        case CreditParams() | Credit2Params():
            return params.cap_pct / 100 or 1.0
        case RtdsParams():
            return sum(1.0 if vcpu.extratime else vcpu.budget_us / vcpu.period_us for vcpu in params.vcpus)
        case SedfParams():
            return 1.0 if params.extratime else params.slice_ms / params.period_ms
        case _:
            return 1.0


def ratio_of(pair: DomainParams) -> float | None:
    """Return I/O domain / guest by the parameters; None for the original settings."""
    io, guest = pair[IO], pair[GUEST]
    limits = limit_of(io), limit_of(guest)
    if max(limits) < 1.0 and min(limits) > 0.0:
        return limits[0] / limits[1]
    weighed = (CreditParams, Credit2Params)
    if isinstance(io, weighed) and isinstance(guest, weighed) and min(limits) == 1.0:
        return None if io.weight == guest.weight == DEFAULT_WEIGHT else io.weight / guest.weight
    return None


def _sedf_reservation(params: SedfParams) -> CpuReservation:
    return CpuReservation(params.period_ms * _US_PER_MS, params.slice_ms * _US_PER_MS, params.extratime)


def _rtds_reservation(params: RtdsParams) -> CpuReservation:
    vcpu = params.vcpus[0]
    return CpuReservation(vcpu.period_us, vcpu.budget_us, vcpu.extratime)


def _weighted_domain(params: CreditParams | Credit2Params) -> WeightedDomain:
    return WeightedDomain(params.weight, params.cap_pct / 100)


def _range_error(domain: DomainId, what: str, value: float, allowed: str) -> ParameterRefused:
    return ParameterRefused(
        _("{domain}: {what} {value:g} is outside {allowed}").format(
            domain=domain, what=what, value=value, allowed=allowed
        ),
        hint=_("Nothing was changed."),
    )


def _check_weighted(domain: DomainId, params: CreditParams | Credit2Params, vcpus: int) -> None:
    if not 1 <= params.weight <= _MOST_WEIGHT:
        raise _range_error(domain, "weight", params.weight, f"1..{_MOST_WEIGHT}")
    if not 0 <= params.cap_pct <= 100 * vcpus:
        raise _range_error(domain, "cap", params.cap_pct, f"0..{100 * vcpus} %")


def _check_rtds(domain: DomainId, params: RtdsParams, vcpus: int) -> None:
    if len(params.vcpus) != vcpus:
        raise _range_error(domain, _("number of vCPUs"), len(params.vcpus), f"{vcpus}..{vcpus}")
    for vcpu in params.vcpus:
        if vcpu.period_us < 10:
            raise _range_error(domain, "period", vcpu.period_us, _("10 us and more"))
        if not 10 <= vcpu.budget_us <= vcpu.period_us:
            raise _range_error(
                domain, "budget", vcpu.budget_us, _("10..{period_us} us").format(period_us=vcpu.period_us)
            )


def _check_sedf(domain: DomainId, params: SedfParams) -> None:
    if params.weight or params.latency_ms:
        value = params.weight or params.latency_ms
        raise _range_error(domain, _("weight or latency"), value, _("0..0, which is all that the simulated SEDF knows"))
    if not 0.01 <= params.period_ms <= 10_000:
        raise _range_error(domain, "period", params.period_ms, "0.01..10000 ms")
    least_ms = 0.0 if params.extratime else 0.005
    if not least_ms <= params.slice_ms <= params.period_ms:
        raise _range_error(
            domain,
            "slice",
            params.slice_ms,
            _("{least_ms:g}..{period_ms:g} ms").format(least_ms=least_ms, period_ms=params.period_ms),
        )
