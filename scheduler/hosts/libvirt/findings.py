"""What preflight sees on a libvirt host, each with its numbers and what to do."""

from collections.abc import Iterator, Mapping

import msgspec

from scheduler.hosts.caps import caps_on_several
from scheduler.hosts.libvirt.answers import Described, parse_description
from scheduler.hosts.libvirt.dialect import Raw
from scheduler.hosts.libvirt.pair import Side
from scheduler.model.facts import Concern, Finding, Level
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.model.words import cpu_list


class PairSeen(msgspec.Struct, frozen=True):
    """What was seen.

    Attributes:
        side: What plays the I/O domain.
        domains: What libvirt says of both.
        cpus: The CPUs that each may run on.
        clients: The CPUs left to the clients; empty when they run elsewhere.
        raw: The guest's live parameters.
        here: Whether libvirt runs on this computer.
        encrypted: Whether nobody on the way can read along.
    """

    side: Side
    domains: Mapping[DomainId, Described]
    cpus: Mapping[DomainId, frozenset[int]]
    clients: tuple[int, ...]
    raw: Raw
    here: bool
    encrypted: bool


def findings(seen: PairSeen) -> Iterator[Finding]:
    """Yield what may disturb a sweep, or make its figures mean less."""
    yield from _conditions(seen)
    yield from _cpus(seen)
    yield from _emulator(seen)
    yield from _limits(seen)
    if seen.here and not seen.clients:
        yield Finding(
            Level.WARNING,
            "the domains may use every CPU of this computer: the load takes CPU time from both",
            "Drive the load from another computer, or leave it a CPU that the domains may not use.",
        )
    if not seen.encrypted:
        yield Finding(Level.WARNING, "the connection is not encrypted (tcp)", "Use +ssh or +tls.")
    if seen.here:
        yield Finding(
            Level.INFO,
            "if DomTune is killed in the middle of a sweep, nothing puts the domains back by itself",
            "'domtune restore' does, from an undo record on this computer's disk.",
        )


def _conditions(seen: PairSeen) -> Iterator[Finding]:
    for name, condition in {each.name: each.condition for each in seen.domains.values()}.items():
        if condition:
            yield Finding(
                Level.ERROR,
                f"{name!r} is {condition}: it uses no CPU time to be measured",
                "Let it run (virsh resume), or start it again.",
            )


def _cpus(seen: PairSeen) -> Iterator[Finding]:
    io, guest = seen.cpus[IO], seen.cpus[GUEST]
    if not io & guest:
        yield Finding(
            Level.ERROR,
            f"the two sides share no CPU (I/O: {cpu_list(io)}; guest: {cpu_list(guest)}): no split has an effect",
            "Pin both to the same CPU.",
            concern=Concern.COMPETITION,
        )
    elif len(io | guest) > 1:
        pins = "LXC: the cpuset of <vcpu>; QEMU: virsh vcpupin and emulatorpin, and --config to keep it"
        yield caps_on_several(io | guest, pins, by_weights=seen.side is not Side.EMULATOR)
        yield Finding(
            Level.WARNING,
            f"the two sides may run on several CPUs (I/O: {cpu_list(io)}; guest: {cpu_list(guest)}): weights have no "
            "effect while one of them is free",
            f"Pin both to the same single CPU ({pins}).",
            concern=Concern.WEIGHTS,
        )


def _emulator(seen: PairSeen) -> Iterator[Finding]:
    if seen.side is not Side.EMULATOR:
        return
    yield Finding(
        Level.INFO,
        "the I/O side is the guest's own QEMU: main loop, disk and network (vhost) threads, under emulator_quota; "
        "it has no weight of its own, so only a partition can be swept",
        concern=Concern.SPLIT,
    )
    description = parse_description(seen.domains[GUEST])
    threads = description.findtext("iothreads", "0").strip()
    if threads != "0":
        yield Finding(
            Level.WARNING,
            f"the guest has {threads} I/O threads; they have a quota of their own, which is not swept",
            "Its disks' work in these threads is outside the split; remove <iothreads> to have it inside.",
            concern=Concern.SPLIT,
        )
    if description.get("type") == "qemu":
        yield Finding(
            Level.WARNING,
            "the guest's CPU is emulated in software: its vCPUs are far slower than this host's",
            "Read the figures as relative; use hardware virtualisation for any decision.",
        )


def _limits(seen: PairSeen) -> Iterator[Finding]:
    limited = [f"{name} {value}" for name, value in seen.raw.items() if name.endswith("_quota") and value > 0]
    if limited:
        yield Finding(
            Level.WARNING,
            f"the guest is limited already: {', '.join(limited)}",
            "The sweep keeps what it does not set, and restores the rest; a global quota holds for every setting.",
        )
