"""Findings on a libvirt host, each with its numbers and advice."""

from collections.abc import Iterator, Mapping

import msgspec

from scheduler.hosts.libvirt.worker_answers import DomainDescription, parse_description
from scheduler.model.host_properties import PreflightFinding, Severity, StudyConcern
from scheduler.model.placement import PlacementSupport
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.toolstacks.virsh import IoSide, RawParams
from scheduler.translation import _


class PairObservation(msgspec.Struct, frozen=True):
    """Readings of the two sides before a sweep.

    Attributes:
        side: The kind of the I/O side.
        domains: libvirt's descriptions of both domains.
        cpus: CPUs on which each side may run.
        clients: CPUs for the load; empty when the load runs elsewhere.
        raw: Live parameters of the guest by libvirt's names.
        here: True when libvirt runs on this computer.
        encrypted: True for an encrypted connection.
        placement: Support for placing both sides.
    """

    side: IoSide
    domains: Mapping[DomainId, DomainDescription]
    cpus: Mapping[DomainId, frozenset[int]]
    clients: tuple[int, ...]
    raw: RawParams
    here: bool
    encrypted: bool
    placement: PlacementSupport = PlacementSupport()


def list_findings(seen: PairObservation) -> Iterator[PreflightFinding]:
    """Yield findings that may disturb a sweep or limit its results."""
    yield from _check_conditions(seen)
    yield from _check_cpus(seen)
    yield from _check_emulator(seen)
    yield from _check_limits(seen)
    if seen.here and not seen.clients:
        yield PreflightFinding(
            Severity.WARNING,
            _("the domains may use every CPU of this computer: the load takes CPU time from both"),
            _("Drive the load from another computer, or let the domains share fewer CPUs ([cpus] in the plan)."),
            concern=StudyConcern.AS_FOUND,
        )
    if not seen.encrypted:
        yield PreflightFinding(Severity.WARNING, _("the connection is not encrypted (tcp)"), _("Use +ssh or +tls."))
    if seen.here:
        yield PreflightFinding(
            Severity.INFO,
            _("if DomTune is killed in the middle of a sweep, the domains are not restored automatically"),
            _("'domtune restore' does, from an undo record on this computer's disk."),
        )


def _check_conditions(seen: PairObservation) -> Iterator[PreflightFinding]:
    for name, condition in {each.name: each.condition for each in seen.domains.values()}.items():
        if condition:
            yield PreflightFinding(
                Severity.ERROR,
                _("{name!r} is {condition}: it uses no CPU time to be measured").format(name=name, condition=condition),
                _("Resume it, or start it again."),
            )


def _check_cpus(seen: PairObservation) -> Iterator[PreflightFinding]:
    """Yield findings on the CPUs of both sides.

    The plan chooses the shared CPUs, and the sweep places both sides there. A limit remains where a side cannot be
    placed.
    """
    io, guest = seen.cpus[IO], seen.cpus[GUEST]
    where = _("the I/O side runs on CPU {io}, the guest on CPU {guest}").format(
        io=format_cpu_list(io), guest=format_cpu_list(guest)
    )
    if not io & guest:
        yield _separation_finding(where, seen.placement)
    elif len(io | guest) > 1 and not seen.placement.possible:
        yield PreflightFinding(
            Severity.INFO,
            _("{where}, and both stay there during a sweep: {why}").format(where=where, why=seen.placement.why),
            seen.placement.hint,
            concern=StudyConcern.SPLIT,
        )
        yield PreflightFinding(
            Severity.WARNING,
            _("{where}: weights have no effect while one of these CPUs is free").format(where=where),
            _("Use mode = 'caps'."),
            concern=StudyConcern.WEIGHTS,
        )


def _separation_finding(where: str, placement: PlacementSupport) -> PreflightFinding:
    """Return the finding on two sides without a common CPU.

    Args:
        where: CPUs of both sides, as a clause.
        placement: Support for placing them.
    """
    if placement.possible:
        return PreflightFinding(
            Severity.INFO,
            _("{where}: with the original settings they never compete").format(where=where),
            _("While a sweep runs, DomTune places both on the CPUs of the plan, and restores them afterwards."),
            concern=StudyConcern.COMPETITION,
        )
    return PreflightFinding(
        Severity.ERROR,
        _("{where}: they never compete, so no split can have an effect. They cannot be placed together: {why}").format(
            where=where, why=placement.why
        ),
        placement.hint,
        concern=StudyConcern.COMPETITION,
    )


def _check_emulator(seen: PairObservation) -> Iterator[PreflightFinding]:
    if seen.side is not IoSide.EMULATOR:
        return
    yield PreflightFinding(
        Severity.INFO,
        _(
            "the I/O side is the guest's own QEMU: main loop, disk and network (vhost) threads, under emulator_quota; "
            "it has no weight of its own, so only caps can be swept"
        ),
        concern=StudyConcern.SPLIT,
    )
    description = parse_description(seen.domains[GUEST])
    threads = description.findtext("iothreads", "0").strip()
    if threads != "0":
        yield PreflightFinding(
            Severity.WARNING,
            _("the guest has {threads} I/O threads; they have a quota of their own, which is not swept").format(
                threads=threads
            ),
            _("Its disks' work in these threads is outside the split; remove <iothreads> to have it inside."),
            concern=StudyConcern.SPLIT,
        )
    if description.get("type") == "qemu":
        yield PreflightFinding(
            Severity.WARNING,
            _("the guest's CPU is emulated in software: its vCPUs are far slower than this host's"),
            _("Read the figures as relative; use hardware virtualisation for any decision."),
        )


def _check_limits(seen: PairObservation) -> Iterator[PreflightFinding]:
    limited = [f"{name} {value}" for name, value in seen.raw.items() if name.endswith("_quota") and value > 0]
    if limited:
        yield PreflightFinding(
            Severity.WARNING,
            _("the guest is limited already: {limited}").format(limited=", ".join(limited)),
            _("The sweep keeps what it does not set, and restores the rest; a global quota holds for every setting."),
        )
