"""Properties of Xen hosts with many CPUs, for tests of the window and its pictures."""

from collections.abc import Iterator

from scheduler.model.host_properties import (
    DomainProperties,
    HostProperties,
    PreflightFinding,
    Severity,
    VerifiedProperty,
)
from scheduler.model.placement import HostCpu, PlacementSupport
from scheduler.model.sentence_texts import format_cpu_list, list_names
from scheduler.model.split import GUEST, IO

URL = "xl+ssh://root@xen1"
GUEST_NAMES = tuple(
    f"{kind}{number:02d}.example.org" for number in range(25) for kind in ("db", "mail", "web", "build")
)


def make_large_host(
    cpus: int, nodes: int = 1, threads: int = 1, *, placed: bool = True, scattered: bool = False
) -> HostProperties:
    """Return a Xen host on which Dom0 may use every CPU and the guest those of one node.

    Args:
        cpus: Number of CPUs.
        nodes: Number of NUMA nodes.
        threads: Number of threads per core.
        placed: True where DomTune can place the domains.
        scattered: True where the guest may use every third CPU only, and other guests use the same CPUs.
    """

    cores = cpus // threads
    topology = tuple(
        HostCpu(
            number,
            core=number % cores,
            socket=number % cores * nodes // cores,
            node=number % cores * nodes // cores,
            busy_frac=(number * 37 % 100) / 100 * (0.9 if number % 5 == 0 else 0.15),
        )
        for number in range(cpus)
    )
    near = tuple(cpu.number for cpu in topology if cpu.node == nodes // 2)
    if scattered:
        near = tuple(range(1, cpus, 3))
    offline = {cpus - 1} if cpus > 4 else set[int]()
    everywhere = tuple(range(cpus))
    vcpus = min(16, max(2, cpus // 4))
    return HostProperties(
        host_id="xen1",
        url=URL,
        title=f"xen1, Xen 4.17, {cpus} CPUs",
        scheduler="credit2",
        pcpus=cpus,
        shared_cpus=near,
        client_cpus=(),
        domains=(
            DomainProperties(IO, "Domain-0", vcpus, everywhere),
            DomainProperties(GUEST, "db1", vcpus, near, uuid="1"),
        ),
        versions={"xen": "4.17.7"},
        topology=topology,
        verified_properties=(VerifiedProperty("CPU pool", f"Pool-0, credit2, on CPU {format_cpu_list(near)}"),),
        findings=tuple(_list_other_guests(format_cpu_list(near))) if scattered else (),
        placement=PlacementSupport(possible=placed, choices=tuple(n for n in everywhere if n not in offline)),
    )


def _list_other_guests(cpus: str) -> Iterator[PreflightFinding]:
    yield PreflightFinding(
        Severity.WARNING,
        f"98 further domains may run on the same CPUs ({list_names(map(repr, GUEST_NAMES), 4)}); together they used "
        f"31.2 CPUs within 5 s",
        "Choose CPUs that they do not use, or pause them.",
    )
    yield PreflightFinding(Severity.INFO, f"Both domains may run on CPU {cpus}", "")
