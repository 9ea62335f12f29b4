"""What this computer is, for people and for the record."""

import hashlib
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from scheduler.databases.database_registry import find_server_version
from scheduler.errors import HostNotUsable
from scheduler.hosts.local.cgroup_paths import DOMAINS, PARENT, CgroupPaths
from scheduler.hosts.local.guest_cpus import vcpu_range
from scheduler.hosts.local.local_findings import list_findings
from scheduler.hosts.local.second_group import check_second_guest
from scheduler.model.databases import DATABASES, database_url, parse_database_name
from scheduler.model.host_properties import (
    DomainProperties,
    HostProperties,
    PreflightFinding,
    Severity,
    VerifiedProperty,
)

_MACHINE_ID_FILES = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))


def describe_local(url: str, place: CgroupPaths, database: str = "") -> HostProperties:
    """Return the facts; looks at the load for 0.2 s.

    Args:
        url: The host's.
        place: Where the groups are.
        database: As a plan names it: the guest.
    """
    versions = {"kernel": platform.release(), "control groups": place.scheduler}
    seen = list(list_findings(place))
    kind = DATABASES[parse_database_name(database)]
    try:
        versions[kind.name] = ", ".join(find_server_version(database)) if not database_url(database) else "your own"
    except HostNotUsable as error:
        seen.insert(0, PreflightFinding(Severity.ERROR, str(error), error.hint))
    cpu = place.contended_cpu
    return HostProperties(
        host_id=host_id(),
        url=url,
        title=f"{platform.node()}: a relay and {kind.title} share CPU {cpu} (Linux {platform.release()})",
        scheduler=place.scheduler,
        pcpus=os.cpu_count() or 1,
        contended_cpus=(cpu,),
        client_cpus=place.client_cpus,
        domains=tuple(
            DomainProperties(id=domain, name=f"{PARENT}/{domain}", vcpus=1, cpus=(cpu,)) for domain in DOMAINS
        ),
        versions=versions,
        findings=tuple(seen),
        truths=tuple(list_cgroup_properties(place)),
        vcpus=vcpu_range(place),
        second_guest=check_second_guest(place, database),
    )


def list_cgroup_properties(place: CgroupPaths) -> Iterator[VerifiedProperty]:
    """Yield which control groups are used, where, and what confines the two domains to one CPU."""
    version = place.scheduler.removeprefix("cgroup-v")
    yield VerifiedProperty(
        "Control groups", f"version {version}, below {place.cpu}", "/proc/self/mountinfo; /proc/self/cgroup"
    )
    how = f"CPU sets below {place.cpuset}" if place.cpuset else "CPU affinity: CPU sets cannot be used here"
    yield VerifiedProperty(f"Kept on CPU {place.contended_cpu} by", how)


def host_id() -> str:
    """Return an identity that outlives reboots and changes of the name, but does not give the machine's own away.

    machine-id(5) asks for the latter: hashed, never as it is.
    """
    for path in _MACHINE_ID_FILES:
        try:
            text = path.read_text().strip()
        except OSError:
            continue
        if text:
            break
    else:
        text = platform.node()
    return f"local-{hashlib.blake2b(text.encode(), key=b'domtune', digest_size=8).hexdigest()}"
