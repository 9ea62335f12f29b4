"""Current split of both domains, derived from the host's scheduler parameters."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import HostNotUsable
from scheduler.follow.split_rule import PairLimits, io_share_of
from scheduler.model.host_properties import HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.shares.domain_limits import limit_cpus, replace_limit, replace_weight, weight_of
from scheduler.shares.share_model import HostMachine, build_host_machine
from scheduler.translation import _

_DOMAINS = (IO, GUEST)
_ROUNDING_CPUS = 0.001
_SET_ONE = _("Set a split first, for example with 'domtune apply'. Nothing was changed.")

PairParams = Mapping[DomainId, SchedParams]


class CurrentSplit(msgspec.Struct, frozen=True):
    """Split that is set on a host.

    Attributes:
        mode: Caps when both domains have a limit, weights when weights decide.
        allowed: CPU allotted to both domains; with weights, the CPU that each domain has when both want all.
        params: Scheduler parameters of both domains.
    """

    mode: Mode
    allowed: PairLimits
    params: PairParams


def derive_current_split(params: Mapping[DomainId, SchedParams | None], facts: HostProperties) -> CurrentSplit:
    """Return the split that is set on a host.

    Args:
        params: Scheduler parameters by domain; None for a domain that is missing.
        facts: Properties of the host.

    Raises:
        HostNotUsable: The parameters are no split: a domain is missing, only one domain has a limit, the limits exceed
            the shared CPUs, or there are neither limits nor weights.
    """
    there = {domain: given for domain, given in params.items() if given is not None}
    for domain in _DOMAINS:
        if domain not in there:
            raise HostNotUsable(
                _("{domain} does not exist, so DomTune cannot watch it").format(domain=_domain_name(facts, domain)),
                hint=_SET_ONE,
            )
    machine, cpus = _follow_machine(facts), float(len(facts.shared_cpus))
    limits = {domain: limit_cpus(there[domain], domain, machine) for domain in _DOMAINS}
    most = (_most_cpus(machine, IO, cpus), _most_cpus(machine, GUEST, cpus))
    io, guest = limits[IO], limits[GUEST]
    if io is not None and guest is not None:
        if io + guest > cpus + _ROUNDING_CPUS:
            text = _("{pair_words}: together {io:.2f} CPUs of {cpus:.0f} that they share").format(
                pair_words=_pair_words(facts, there), io=io + guest, cpus=cpus
            )
            raise HostNotUsable(_("{text}, which sets no split").format(text=text), hint=_SET_ONE)
        return CurrentSplit(Mode.CAPS, PairLimits(io, guest, most), there)
    if io is not None or guest is not None:
        raise HostNotUsable(
            _("{pair_words}: only one is limited, which is no split").format(pair_words=_pair_words(facts, there)),
            hint=_SET_ONE,
        )
    weights = {domain: weight_of(there[domain], domain, machine) for domain in _DOMAINS}
    weight, other = weights[IO], weights[GUEST]
    if not weight or not other:
        raise HostNotUsable(
            _("{pair_words}: neither limits nor weights, so no split").format(pair_words=_pair_words(facts, there)),
            hint=_SET_ONE,
        )
    part = weight / (weight + other)
    return CurrentSplit(Mode.WEIGHTS, PairLimits(cpus * part, cpus * (1 - part), most), there)


def params_for_split(standing: CurrentSplit, log_ratio: float, facts: HostProperties) -> PairParams:
    """Return the parameters for another split with the same total.

    Args:
        standing: The split that is set; its total of limits or weights stays.
        log_ratio: The other split, ln(I/O domain / guest).
        facts: Properties of the host.
    """
    machine, io_frac = _follow_machine(facts), io_share_of(log_ratio)
    if standing.mode is Mode.CAPS:
        cpus = dict(zip(_DOMAINS, standing.allowed.at(log_ratio), strict=True))
        return {
            domain: replace_limit(params, domain, cpus[domain], machine) for domain, params in standing.params.items()
        }
    total = sum(weight_of(params, domain, machine) or 0.0 for domain, params in standing.params.items())
    io = replace_weight(standing.params[IO], total * io_frac, IO, machine)
    left = total - (weight_of(io, IO, machine) or 0.0)  # the rest, since two rounded shares could exceed the total
    return {IO: io, GUEST: replace_weight(standing.params[GUEST], left, GUEST, machine)}


def _follow_machine(facts: HostProperties) -> HostMachine:
    """Return the machine that limits refer to.

    A container's quota applies to the whole container, for any number of CPUs. An emulator has threads, not vCPUs.
    """
    if facts.scheduler.startswith("lxc-"):
        return HostMachine()
    machine = build_host_machine(facts)
    return HostMachine(vcpus={GUEST: machine.online(GUEST)}) if facts.scheduler == "qemu-emulator" else machine


def _most_cpus(machine: HostMachine, domain: DomainId, cpus: float) -> float:
    return min(cpus, float(machine.online(domain)))


def _domain_name(facts: HostProperties, domain: DomainId) -> str:
    return next((each.name for each in facts.domains if each.id == domain), domain)


def _pair_words(facts: HostProperties, params: PairParams) -> str:
    return "; ".join(
        _("{domain} has {words}").format(domain=_domain_name(facts, domain), words=params[domain].words)
        for domain in _DOMAINS
    )
