"""Properties of a libvirt host, for people and for the record."""

import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from scheduler.files import path_exists
from scheduler.hosts.libvirt import cpu_sets
from scheduler.hosts.libvirt.domain_pair import DomainPair
from scheduler.hosts.libvirt.libvirt_connection import HypervisorInfo, LibvirtConnection
from scheduler.hosts.libvirt.libvirt_findings import PairObservation, list_findings
from scheduler.hosts.libvirt.worker_answers import DomainDescription
from scheduler.model.host_properties import DomainProperties, HostProperties, VerifiedProperty
from scheduler.model.placement import PlacementSupport
from scheduler.model.scheduler_params import CGROUP_V1, CGROUP_V2
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.toolstacks.virsh import IoSide, RawParams, model_name
from scheduler.translation import _

_SIMULATED = "TEST"
_V2_MARK = Path("/sys/fs/cgroup/cgroup.controllers")  # exists only at the root of a version 2 mount


def describe_libvirt(
    connection: LibvirtConnection,
    pair: DomainPair,
    domains: Mapping[DomainId, DomainDescription],
    raw: Mapping[DomainId, RawParams],
    placement: PlacementSupport,
) -> HostProperties:
    """Return the properties of the host.

    Args:
        connection: Connection to the host.
        pair: The two sides of the sweep.
        domains: libvirt's descriptions of both domains.
        raw: Live parameters of both domains by libvirt's names.
        placement: Support for placing both sides.
    """
    about, uri = connection.about(), connection.uri
    io = cpu_sets.cpus_of_emulator if pair.side is IoSide.EMULATOR else cpu_sets.cpus_of_vcpus
    cpus = {IO: io(domains[IO], about.pcpus), GUEST: cpu_sets.cpus_of_vcpus(domains[GUEST], about.pcpus)}
    contended = tuple(sorted(cpus[IO] & cpus[GUEST]))
    here = os.sched_getaffinity(0) if uri.here else set[int]()
    clients = tuple(sorted(here - cpus[IO] - cpus[GUEST]))
    version = _cgroup_version(raw, here=uri.here)
    simulated = about.type == _SIMULATED
    seen = PairObservation(
        side=pair.side,
        domains=domains,
        cpus=cpus,
        clients=clients,
        raw=raw[GUEST],
        here=uri.here,
        encrypted=uri.transport != "tcp",
        placement=placement,
    )
    return HostProperties(
        host_id=f"libvirt-{uri.driver}-{_choose_host_name(about, uri.server)}",
        url=uri.text,
        title=_build_title(about, pair, domains, simulated=simulated),
        scheduler=model_name(uri.driver, domains[GUEST].scheduler, pair.side, version),
        pcpus=about.pcpus,
        shared_cpus=contended or tuple(sorted(cpus[GUEST])),
        client_cpus=clients or tuple(sorted(here)),
        domains=(
            DomainProperties(
                id=IO,
                name=_io_name(pair, domains),
                vcpus=1 if pair.side is IoSide.EMULATOR else max(1, domains[IO].vcpus),
                cpus=tuple(sorted(cpus[IO])),
                uuid=pair.io,
            ),
            DomainProperties(
                id=GUEST,
                name=domains[GUEST].name,
                vcpus=max(1, domains[GUEST].vcpus),
                cpus=tuple(sorted(cpus[GUEST])),
                uuid=pair.guest,
            ),
        ),
        versions={"libvirt": _format_version(about.library), about.type: _format_version(about.version)},
        findings=tuple(list_findings(seen)),
        simulated=simulated,
        verified_properties=tuple(list_scheduler_properties(domains, version, here=uri.here)),
        placement=placement,
    )


def list_scheduler_properties(
    domains: Mapping[DomainId, DomainDescription], version: int, *, here: bool
) -> Iterator[VerifiedProperty]:
    """Yield each domain's scheduler; for `posix` also the version of control groups.

    Args:
        domains: libvirt's descriptions of both domains.
        version: Version of control groups, 1 or 2.
        here: True when libvirt runs on this computer.
    """
    for name, scheduler in {each.name: each.scheduler for each in domains.values()}.items():
        yield VerifiedProperty(
            _("Scheduler of {name}").format(name=name), scheduler, f"virsh schedinfo -- {shlex.quote(name)}"
        )
    if any(each.scheduler == "posix" for each in domains.values()):
        how = str(_V2_MARK) if here else _("inferred from the weights: libvirt does not report the version")
        yield VerifiedProperty(_("Control groups"), _("version {version}").format(version=version), how)


def _io_name(pair: DomainPair, domains: Mapping[DomainId, DomainDescription]) -> str:
    return (
        _("emulator of {domains}").format(domains=domains[GUEST].name)
        if pair.side is IoSide.EMULATOR
        else domains[IO].name
    )


def _choose_host_name(about: HypervisorInfo, server: str) -> str:
    """Return the host's name; the URI's name for a host that calls itself localhost."""
    return server if server and about.hostname.partition(".")[0] == "localhost" else about.hostname


def _build_title(
    about: HypervisorInfo, pair: DomainPair, domains: Mapping[DomainId, DomainDescription], *, simulated: bool
) -> str:
    sides = _("{io} and {domains}").format(io=_io_name(pair, domains), domains=domains[GUEST].name)
    if simulated:
        return _("Simulated: libvirt's test driver with {sides}").format(sides=sides)
    return _("{hostname}: {sides} ({about} by libvirt {version})").format(
        hostname=about.hostname, sides=sides, about=about.type, version=_format_version(about.library)
    )


def _cgroup_version(raw: Mapping[DomainId, RawParams], *, here: bool) -> int:
    """Return the version of control groups, which libvirt does not report.

    On this computer the kernel gives the version. Elsewhere weights give a hint: 1024 is the default of version 1. But
    OpenStack and CloudStack set 1024 under version 2, too. So DomTune sets no weight outside of version 2's range under
    either version.
    """
    if here:
        return 2 if path_exists(_V2_MARK) else 1
    shares = {params.get("cpu_shares", 0) for params in raw.values()}
    return 1 if CGROUP_V1.default_weight in shares or max(shares) > CGROUP_V2.weights[1] else 2


def _format_version(number: int) -> str:
    """Return libvirt's version number as text.

    The number is major * 1000000 + minor * 1000 + release.
    """
    return f"{number // 1_000_000}.{number // 1_000 % 1_000}.{number % 1_000}"
