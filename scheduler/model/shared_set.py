"""Shared set: the physical CPUs that a sweep divides between the domains.

The rules of the choice `auto`: the CPUs on which all domains may run, of one NUMA node, in whole cores, no more CPUs
than the domains can use, lowest numbers first.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from scheduler.errors import SpecError
from scheduler.model.host_properties import DomainProperties, HostProperties, PreflightFinding, Severity, StudyConcern
from scheduler.model.other_guests import (
    AWAY,
    LEAVE,
    MOST_AWAY,
    OtherGuest,
    describe_others,
    find_competing,
)
from scheduler.model.placement import CpuMask, HostCpu
from scheduler.model.sentence_texts import format_cpu_list, join_names, list_names
from scheduler.model.split import GUEST, Mode
from scheduler.translation import _

AUTO, AS_FOUND, POOL, NODE = "auto", "as-found", "pool", "node"
MOST_CPUS = 256
"""Largest number of CPUs of a shared set."""
_HIGHEST_CPU = 4095
_OF_FOUND_CPUS = (StudyConcern.AS_FOUND, StudyConcern.FIXED_VCPUS)
_WITHOUT_VCPUS = ("cgroup-", "lxc-")  # schedulers of control groups: any number of threads may want the CPU
_LEAVE_HINT = _('Write others = "leave".')
_SET_HINT = _('Write "auto", "as-found", "pool", "node 0", or CPUs such as "0-7, 16".')


class CpusSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """CPUs of a plan, in its table `[cpus]`.

    Attributes:
        set: `auto`; `as-found`, which confines no domain; `pool`, every CPU open to all domains; `node 0`; or a list
            of CPUs, `0-7, 16`.
        count: Largest number of CPUs of the set, lowest numbers first; 0 where `set` decides.
        others: `leave`, or `away` to keep other guests off the set while the sweep runs.
    """

    set: str = AUTO
    count: int = 0
    others: str = LEAVE

    def __post_init__(self) -> None:
        """Refuse a set that cannot be read; raise SpecError."""
        if self.others == AWAY and self.set == AS_FOUND:
            raise SpecError("cpus.others", _("away needs a set: as-found confines no guest"), hint=_LEAVE_HINT)
        word, _unused, number = self.set.partition(" ")
        if self.set in (AUTO, AS_FOUND, POOL) or (word == NODE and number.strip().isdecimal()):
            return
        parse_cpu_list(self.set, "cpus.set")

    @property
    def confines(self) -> bool:
        """True when the sweep may confine the domains."""
        return self.set != AS_FOUND


class SharedSet(msgspec.Struct, frozen=True):
    """CPUs that the domains share during a sweep.

    Attributes:
        cpus: The CPUs, ascending.
        confined: True when the sweep confines the domains to them, as their placement is another one.
        remarks: Sentences for people about limits of the answer; may be empty.
        others: The other guests of the host, with those marked that the sweep keeps away.
    """

    cpus: CpuMask
    confined: bool
    remarks: tuple[str, ...] = ()
    others: tuple[OtherGuest, ...] = ()


def parse_cpu_list(text: str, field: str) -> CpuMask:
    """Parse a list of CPUs, `0-7, 16`.

    Args:
        text: The list.
        field: Path of the key, for the error.

    Raises:
        SpecError: The text is no list of CPUs, or has more than 256 CPUs.
    """
    cpus = set[int]()
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        ends = [low.strip(), high.strip() if dash else low.strip()]
        if not all(end.isascii() and end.isdecimal() and len(end) <= 4 for end in ends):
            raise SpecError(field, _("{text!r} is no list of CPUs").format(text=text[:40]), hint=_SET_HINT)
        first, last = map(int, ends)
        if not first <= last <= _HIGHEST_CPU:
            raise SpecError(
                field,
                _("{part} is no range of CPUs from 0 to {highest_cpu}").format(
                    part=part.strip(), highest_cpu=_HIGHEST_CPU
                ),
                hint=_SET_HINT,
            )
        cpus.update(range(first, last + 1))
    if len(cpus) > MOST_CPUS:
        raise SpecError(
            field,
            _("names {count} CPUs, at most {most_cpus} can be shared").format(count=len(cpus), most_cpus=MOST_CPUS),
            hint=_("Name fewer CPUs."),
        )
    return tuple(sorted(cpus))


def choose_shared_set(facts: HostProperties, spec: CpusSpec, modes: Iterable[Mode]) -> SharedSet:
    """Return the CPUs that the domains share during a sweep.

    Args:
        facts: Properties of the host.
        spec: CPUs of the plan.
        modes: Modes in which the sweep divides the CPUs; empty when no domain is limited.

    Raises:
        SpecError: The set does not fit the host, its domains or the modes. The message names the CPUs.
    """
    modes = frozenset(modes)
    if spec.others == AWAY:
        _refuse_away(facts, modes)
    if not modes or not spec.confines or (spec == CpusSpec() and not _can_confine(facts)):
        return SharedSet(_as_found(facts, modes), confined=False, others=facts.others)
    if not facts.placement.possible:
        raise SpecError("cpus.set", facts.placement.why, hint=facts.placement.hint or _('Write set = "as-found".'))
    cpus = _choose_auto(facts, spec, modes) if spec.set == AUTO else _choose_named(facts, spec)
    _refuse_small_set(cpus, facts, modes)
    remarks = _remarks(facts, cpus, modes)
    if spec.set != AUTO:
        remarks += _chosen_remarks(facts, cpus)
    others = _mark_others(facts, cpus) if spec.others == AWAY else facts.others
    confined = _is_confined(facts, cpus, modes) or any(guest.away for guest in others)
    return SharedSet(cpus, confined, remarks, others)


def place_domains(facts: HostProperties, shared: SharedSet) -> HostProperties:
    """Return the properties of a host with the shared set of its sweep.

    A finding names the confinement. Clients on the same computer get the CPUs outside the set.

    Args:
        facts: Properties of the host.
        shared: The CPUs that the domains share.
    """
    if not shared.confined:
        return msgspec.structs.replace(facts, shared_cpus=shared.cpus)
    placed = msgspec.structs.replace(facts, shared_cpus=shared.cpus, confined=True, others=shared.others)
    finding = PreflightFinding(
        Severity.INFO,
        describe_confinement(placed),
        _("DomTune sets and verifies their placement, and restores it at the end, also if this computer fails."),
        concern=StudyConcern.SPLIT,
    )
    clients, load = _place_clients(facts, shared.cpus)
    dropped = (*_OF_FOUND_CPUS, StudyConcern.OTHERS) if placed.kept_away.slots else _OF_FOUND_CPUS
    kept = (each for each in facts.findings if each.concern not in dropped)
    return msgspec.structs.replace(placed, client_cpus=clients, findings=(*kept, finding, *load))


def describe_confinement(facts: HostProperties) -> str:
    """Return the coming and the present CPUs of the domains as text.

    Empty where the domains keep their CPUs.
    """
    if not facts.confined:
        return ""
    now = join_names(
        _("{domain} on CPU {cpus}").format(domain=domain.name, cpus=format_cpu_list(domain.cpus))
        for domain in facts.domains
    )
    names = join_names(domain.name for domain in facts.domains)
    cpus = format_cpu_list(facts.shared_cpus)
    where = _("CPU {cpus} only").format(cpus=cpus)
    if all(domain.cpus == facts.shared_cpus for domain in facts.domains):
        where = _("CPUs of their own among CPU {cpus}").format(cpus=cpus)
    text = _("while the sweep runs, {names} run on {where} (now {now})").format(names=names, where=where, now=now)
    others = describe_others(facts.others, facts.shared_cpus)
    return f"{text}; {others}" if others else text


def _refuse_away(facts: HostProperties, modes: frozenset[Mode]) -> None:
    """Refuse to keep other guests away where the study or host cannot."""
    if not modes:
        raise SpecError("cpus.others", _("this study confines no domain, so it keeps no guest away"), hint=_LEAVE_HINT)
    if not facts.placement.moves_others:
        why = facts.placement.why if not facts.placement.possible else _("DomTune moves no other guests on such a host")
        raise SpecError("cpus.others", _("other guests cannot be kept away: {why}").format(why=why), hint=_LEAVE_HINT)


def _mark_others(facts: HostProperties, cpus: CpuMask) -> tuple[OtherGuest, ...]:
    """Return the other guests, with those marked that may run on the shared CPUs.

    Args:
        facts: Properties of the host.
        cpus: The shared CPUs.
    """
    found = {guest.uuid: guest for guest in find_competing(facts.others, cpus)}
    names = list_names((guest.name for guest in found.values()), 3)
    if found and not set(facts.placement.choices) - set(cpus):
        problem = _("no CPU is left for {names}: the set has every CPU that is open to them").format(names=names)
        raise SpecError("cpus.others", problem, hint=_("Share fewer CPUs ([cpus] count)."))
    if len(found) > MOST_AWAY:
        problem = _("{count} guests may run on the set ({names}), and at most {most_away} can be kept away").format(
            count=len(found), names=names, most_away=MOST_AWAY
        )
        raise SpecError("cpus.others", problem, hint=_("Choose CPUs on which fewer guests may run."))
    return tuple(msgspec.structs.replace(guest, away=guest.uuid in found) for guest in facts.others)


def _place_clients(facts: HostProperties, cpus: CpuMask) -> tuple[CpuMask, tuple[PreflightFinding, ...]]:
    """Return the CPUs of the load's clients, and a finding where none is left.

    Args:
        facts: Properties of the host.
        cpus: CPUs to which the domains are confined.
    """
    if not facts.client_cpus:  # the clients run on other computers
        return (), ()
    known = {*facts.client_cpus, *facts.shared_cpus}
    if free := known - {*cpus}:
        return tuple(sorted(free)), ()
    last = max(known)
    finding = PreflightFinding(
        Severity.WARNING,
        _(
            "no CPU is left for the load: it runs on CPU {last}, which the domains share, and takes CPU time from them"
        ).format(last=last),
        _("Share fewer CPUs ([cpus] count), or let other computers make the load ([clients])."),
        concern=StudyConcern.MEASURING,
    )
    return (last,), (finding,)


def _can_confine(facts: HostProperties) -> bool:
    return facts.placement.possible and bool(facts.placement.choices)


def _as_found(facts: HostProperties, modes: frozenset[Mode]) -> CpuMask:
    if Mode.DEDICATED in modes:
        why = facts.placement.why if not facts.placement.possible else _("the plan confines no domain")
        hint = facts.placement.hint or _('Write set = "auto" in [cpus], or use mode = "caps".')
        raise SpecError("mode", _("dedicated CPUs need domains that can be placed: {why}").format(why=why), hint=hint)
    return facts.shared_cpus


def _is_confined(facts: HostProperties, cpus: CpuMask, modes: frozenset[Mode]) -> bool:
    """Return True unless every domain shares exactly these CPUs already."""
    return Mode.DEDICATED in modes or any(domain.cpus != cpus for domain in facts.domains)


def _choose_named(facts: HostProperties, spec: CpusSpec) -> CpuMask:
    choices = facts.placement.choices
    if spec.set == POOL:
        cpus = choices
    elif spec.set.startswith(NODE):
        node = int(spec.set.split()[1])
        nodes = {cpu.number: cpu.node for cpu in facts.topology}
        cpus = tuple(cpu for cpu in choices if nodes.get(cpu, 0) == node)
        if not cpus:
            known = join_names(str(each) for each in sorted({nodes.get(cpu, 0) for cpu in choices}))
            hint = _("Nodes with such CPUs: {known}.").format(known=known)
            raise SpecError("cpus.set", _("no CPU of node {node} is open to all domains").format(node=node), hint=hint)
    else:
        cpus = parse_cpu_list(spec.set, "cpus.set")
        _refuse_closed(cpus, facts)
    return cpus[: spec.count] if spec.count else cpus


def _refuse_closed(cpus: CpuMask, facts: HostProperties) -> None:
    """Refuse CPUs that the host does not have, or that are not open to all domains."""
    known = {cpu.number for cpu in facts.topology} or set(range(facts.pcpus))
    missing, closed = set(cpus) - known, set(cpus) & known - set(facts.placement.choices)
    if missing:
        hint = _("Its CPUs: {known}.").format(known=format_cpu_list(known))
        raise SpecError(
            "cpus.set", _("the host has no CPU {missing}").format(missing=format_cpu_list(missing)), hint=hint
        )
    if closed:
        hint = _("Choose among CPU {choices}.").format(choices=format_cpu_list(facts.placement.choices))
        names = join_names(domain.name for domain in facts.domains)
        problem = _("CPU {closed} is not available to {names}: offline or in another CPU pool").format(
            closed=format_cpu_list(closed), names=names
        )
        raise SpecError("cpus.set", problem, hint=hint)


def _refuse_small_set(cpus: CpuMask, facts: HostProperties, modes: frozenset[Mode]) -> None:
    if not cpus:
        raise SpecError("cpus.set", _("no CPU is open to all domains"), hint=_("Are they in different CPU pools?"))
    if Mode.DEDICATED in modes and len(cpus) < len(facts.domains):
        names = join_names(domain.name for domain in facts.domains)
        problem = _("CPU {cpus} is fewer than one CPU each for {names}").format(cpus=format_cpu_list(cpus), names=names)
        raise SpecError("cpus.set", problem, hint=_('Name more CPUs, or use mode = "caps".'))


def _choose_auto(facts: HostProperties, spec: CpusSpec, modes: frozenset[Mode]) -> CpuMask:
    choices = set(facts.placement.choices)
    together = choices.intersection(*(domain.cpus for domain in facts.domains))
    if Mode.DEDICATED in modes and len(together) < len(facts.domains):
        together = choices
    open_cpus = together or choices
    topology = {cpu.number: cpu for cpu in facts.topology}
    places = [topology.get(cpu, HostCpu(cpu, core=cpu)) for cpu in sorted(open_cpus)]
    node = _guest_node(facts.domains, topology, places)
    most = min(_most_useful(facts, modes), spec.count or MOST_CPUS)
    return take_whole_cores([place for place in places if place.node == node], most)


def _guest_node(domains: Sequence[DomainProperties], topology: Mapping[int, HostCpu], places: Sequence[HostCpu]) -> int:
    """Return the open node with most of the guest's CPUs, the lowest of equal ones."""
    used = [topology[cpu].node for domain in domains if domain.id == GUEST for cpu in domain.cpus if cpu in topology]
    nodes = sorted({place.node for place in places})
    return max(nodes, key=used.count, default=0)


def _most_useful(facts: HostProperties, modes: frozenset[Mode]) -> int:
    """Return the largest number of CPUs at which the modes can have an effect.

    Weights give their ratio only while no domain's part of the set exceeds its vCPUs. Other modes can use as many CPUs
    as all domains have vCPUs.
    """
    vcpus = [domain.vcpus for domain in facts.domains]
    return max(1, min(vcpus)) if Mode.WEIGHTS in modes else sum(vcpus)


def take_whole_cores(places: Sequence[HostCpu], most: int) -> CpuMask:
    """Return at most so many CPUs in whole cores, lowest numbers first.

    Where not even one core fits, single threads are taken.

    Args:
        places: The CPUs to choose from.
        most: Largest number of CPUs, >= 1.
    """
    cores: dict[tuple[int, int], list[int]] = {}
    for place in sorted(places, key=lambda each: each.number):
        cores.setdefault((place.socket, place.core), []).append(place.number)
    taken = list[int]()
    for threads in cores.values():
        if len(taken) + len(threads) <= most:
            taken += threads
    return tuple(sorted(taken)) or tuple(place.number for place in places[:most])


def _remarks(facts: HostProperties, cpus: CpuMask, modes: frozenset[Mode]) -> tuple[str, ...]:
    found = list[str]()
    vcpus = {domain.name: domain.vcpus for domain in facts.domains}
    groups = facts.scheduler.startswith(_WITHOUT_VCPUS)
    if not groups and Mode.DEDICATED not in modes and len(cpus) > 1 and sum(vcpus.values()) <= len(cpus):
        counts = " + ".join(map(str, vcpus.values()))
        found.append(
            _("on {count} CPUs {counts} vCPUs never wait for each other: {no_rivalry}").format(
                count=len(cpus), counts=counts, no_rivalry=_describe_no_rivalry(facts, modes)
            )
        )
    places = {cpu.number: cpu for cpu in facts.topology}
    nodes = sorted({places[cpu].node for cpu in cpus if cpu in places})
    if len(nodes) > 1:
        named = join_names(map(str, nodes))
        found.append(
            _("CPU {cpus} is on NUMA nodes {named}: memory on another node is slower.").format(
                cpus=format_cpu_list(cpus), named=named
            )
        )
    cores = {places[cpu].core for cpu in cpus if cpu in places}
    threads = {cpu.number for cpu in facts.topology if cpu.core in cores}
    if left := threads - set(cpus):
        found.append(
            _("CPU {left} shares cores with CPU {cpus}: programs there slow them.").format(
                left=format_cpu_list(left), cpus=format_cpu_list(cpus)
            )
        )
    return tuple(found)


def _chosen_remarks(facts: HostProperties, cpus: CpuMask) -> tuple[str, ...]:
    """Return sentences about chosen CPUs that do not suit a domain.

    Args:
        facts: Properties of the host.
        cpus: The shared CPUs.
    """
    nodes = {cpu.number: cpu.node for cpu in facts.topology}
    here = {nodes[cpu] for cpu in cpus if cpu in nodes}
    found = list[str]()
    for domain in facts.domains:
        home = {nodes[cpu] for cpu in domain.cpus if cpu in nodes}
        if len(home) == 1 and here and not home & here:
            found.append(
                _(
                    "{domain} ran on NUMA node {home}, and CPU {cpus} is on node {here}: its memory "
                    "stays where it is, and is slower from there."
                ).format(
                    domain=domain.name,
                    home=min(home),
                    cpus=format_cpu_list(cpus),
                    here=join_names(map(str, sorted(here))),
                )
            )
        if domain.vcpus > len(cpus) > 1 and not facts.scheduler.startswith(_WITHOUT_VCPUS):
            found.append(
                _(
                    "{domain} has {vcpus} vCPUs and shares {count} CPUs: at most {count} of its vCPUs "
                    "run at the same time."
                ).format(domain=domain.name, vcpus=domain.vcpus, count=len(cpus))
            )
    return tuple(found)


def _describe_no_rivalry(facts: HostProperties, modes: frozenset[Mode]) -> str:
    """Return the consequence and the cure where each vCPU can have a CPU of its own."""
    effects = {Mode.WEIGHTS: _("weights have no effect there"), Mode.CAPS: _("caps can only take CPU away")}
    effect = ", and ".join(text for mode, text in effects.items() if mode in modes)
    if Mode.WEIGHTS in modes and facts.scheduler == "credit":  # it weighs domains over the whole pool only
        return _('{effect}. Give the domains CPUs of their own (mode = "dedicated").').format(effect=effect)
    return _(
        '{effect}. Share fewer CPUs ([cpus] count), or give the domains CPUs of their own (mode = "dedicated").'
    ).format(effect=effect)
