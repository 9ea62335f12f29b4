"""What a libvirt host is, for people and for the record."""

import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from scheduler.files import is_there
from scheduler.hosts.libvirt import cpu_sets
from scheduler.hosts.libvirt.answers import Described
from scheduler.hosts.libvirt.connection import About, Connection
from scheduler.hosts.libvirt.dialect import Raw, model_name
from scheduler.hosts.libvirt.findings import PairSeen, findings
from scheduler.hosts.libvirt.pair import Pair, Side
from scheduler.model.facts import DomainFacts, HostFacts, Truth
from scheduler.model.params import CGROUP_V1, CGROUP_V2
from scheduler.model.split import GUEST, IO, DomainId

_SIMULATED = "TEST"
_V2_MARK = Path("/sys/fs/cgroup/cgroup.controllers")  # at the root of the mount: nothing but version 2


def describe(
    connection: Connection, pair: Pair, domains: Mapping[DomainId, Described], raw: Mapping[DomainId, Raw]
) -> HostFacts:
    """Return the facts.

    Args:
        connection: To the host.
        pair: Which domains.
        domains: What libvirt says of both.
        raw: Their live parameters in libvirt's words.
    """
    about, uri = connection.about(), connection.uri
    io = cpu_sets.of_emulator if pair.side is Side.EMULATOR else cpu_sets.of_vcpus
    cpus = {IO: io(domains[IO], about.pcpus), GUEST: cpu_sets.of_vcpus(domains[GUEST], about.pcpus)}
    contended = tuple(sorted(cpus[IO] & cpus[GUEST]))
    clients = tuple(sorted(os.sched_getaffinity(0) - cpus[IO] - cpus[GUEST])) if uri.here else ()
    version = _cgroup_version(raw, here=uri.here)
    simulated = about.type == _SIMULATED
    seen = PairSeen(pair.side, domains, cpus, clients, raw[GUEST], here=uri.here, encrypted=uri.transport != "tcp")
    return HostFacts(
        host_id=f"libvirt-{uri.driver}-{_name(about, uri.server)}",
        url=uri.text,
        title=_title(about, pair, domains, simulated=simulated),
        scheduler=model_name(uri.driver, domains[GUEST].scheduler, pair.side, version),
        pcpus=about.pcpus,
        contended_cpus=contended or tuple(sorted(cpus[GUEST])),
        client_cpus=clients,
        domains=(
            DomainFacts(
                id=IO,
                name=_io_name(pair, domains),
                vcpus=1 if pair.side is Side.EMULATOR else max(1, domains[IO].vcpus),
                cpus=tuple(sorted(cpus[IO])),
                uuid=pair.io,
            ),
            DomainFacts(
                id=GUEST,
                name=domains[GUEST].name,
                vcpus=max(1, domains[GUEST].vcpus),
                cpus=tuple(sorted(cpus[GUEST])),
                uuid=pair.guest,
            ),
        ),
        versions={"libvirt": _version(about.library), about.type: _version(about.version)},
        findings=tuple(findings(seen)),
        simulated=simulated,
        truths=tuple(truths(domains, version, here=uri.here)),
    )


def truths(domains: Mapping[DomainId, Described], version: int, *, here: bool) -> Iterator[Truth]:
    """Yield the scheduler that libvirt names for each domain, and behind `posix` the version of control groups."""
    for name, scheduler in {each.name: each.scheduler for each in domains.values()}.items():
        yield Truth(f"Scheduler of {name}", scheduler, f"virsh schedinfo -- {shlex.quote(name)}")
    if any(each.scheduler == "posix" for each in domains.values()):
        how = str(_V2_MARK) if here else "inferred from the weights: libvirt does not tell"
        yield Truth("Control groups", f"version {version}", how)


def _io_name(pair: Pair, domains: Mapping[DomainId, Described]) -> str:
    return f"emulator of {domains[GUEST].name}" if pair.side is Side.EMULATOR else domains[IO].name


def _name(about: About, server: str) -> str:
    """Return the host's name; many call themselves localhost."""
    return server if server and about.hostname.partition(".")[0] == "localhost" else about.hostname


def _title(about: About, pair: Pair, domains: Mapping[DomainId, Described], *, simulated: bool) -> str:
    sides = f"{_io_name(pair, domains)} and {domains[GUEST].name}"
    if simulated:
        return f"Simulated: libvirt's test driver with {sides}"
    return f"{about.hostname}: {sides} ({about.type} by libvirt {_version(about.library)})"


def _cgroup_version(raw: Mapping[DomainId, Raw], *, here: bool) -> int:
    """Tell the version of control groups, which libvirt keeps to itself.

    On this computer the kernel says it. Elsewhere weights hint at it: 1024 is the default of version 1, but OpenStack
    and CloudStack set 1024 under version 2, too. So no weight beyond version 2's range is set under either name.
    """
    if here:
        return 2 if is_there(_V2_MARK) else 1
    shares = {params.get("cpu_shares", 0) for params in raw.values()}
    return 1 if CGROUP_V1.default_weight in shares or max(shares) > CGROUP_V2.weights[1] else 2


def _version(number: int) -> str:
    """Return libvirt's number in words: major * 1000000 + minor * 1000 + release."""
    return f"{number // 1_000_000}.{number // 1_000 % 1_000}.{number % 1_000}"
