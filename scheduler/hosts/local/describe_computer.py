"""Properties of this computer, for people and for the record."""

import hashlib
import os
import platform
from collections.abc import Iterator
from pathlib import Path

from scheduler.databases.database_registry import find_server_version
from scheduler.errors import HostNotUsable
from scheduler.hosts.kernel_topology import read_kernel_topology
from scheduler.hosts.local import cpu_load, local_cpus
from scheduler.hosts.local.cgroup_paths import DOMAINS, PARENT, CgroupPaths
from scheduler.hosts.local.group_placement import placement_support
from scheduler.hosts.local.guest_cpus import vcpu_range
from scheduler.hosts.local.second_group import check_second_guest
from scheduler.model.databases import DATABASES, database_url, parse_database_name
from scheduler.model.host_properties import (
    DomainProperties,
    HostProperties,
    PreflightFinding,
    Severity,
    StudyConcern,
    VerifiedProperty,
)
from scheduler.model.number_texts import format_percent
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.translation import _

_LOOK_S = 0.2
_BUSY_FRAC = 0.10  # load of other programs on the shared CPU is missing from every trial
_STEADY = ("performance", "")


def list_findings(place: CgroupPaths, load: cpu_load.LoadReading) -> Iterator[PreflightFinding]:
    """Yield findings that may disturb a sweep, the worst first.

    Args:
        place: Paths of the groups.
        load: Load of the computer.
    """
    cpu = place.contended_cpu
    if cpu in place.client_cpus:
        yield PreflightFinding(
            Severity.WARNING,
            _("this computer lets us use one CPU only: the load takes CPU time from both domains"),
            _("Read the differences, not the figures themselves; better, give the machine two CPUs."),
        )
    yield from _check_busy_cpu(cpu, load)
    shared = sorted(set(local_cpus.sibling_threads(cpu)) & set(place.client_cpus))
    if shared and cpu not in place.client_cpus:
        yield PreflightFinding(
            Severity.WARNING,
            _("CPU {cpu} of the domains and CPU {shared} of the load are two threads of one core").format(
                cpu=cpu, shared=shared[0]
            ),
            _("They slow each other down; switch simultaneous multithreading off, or give the load other CPUs."),
            concern=StudyConcern.AS_FOUND,
        )
    governor = local_cpus.read_governor(cpu)
    if governor not in _STEADY:
        yield PreflightFinding(
            Severity.INFO,
            _("the frequency governor of CPU {cpu} is '{governor}': its speed changes with the load").format(
                cpu=cpu, governor=governor
            ),
            _("For the steadiest figures choose the governor 'performance' until the sweep is over."),
        )
    yield PreflightFinding(
        Severity.INFO,
        _(
            "the domains will be confined to CPU {cpu} by {value}, the load to CPU "
            "{client_cpus}; the control groups are made below {cpu_2}"
        ).format(
            cpu=cpu,
            value=_("a CPU set") if place.cpuset else _("CPU affinity"),
            client_cpus=format_cpu_list(place.client_cpus),
            cpu_2=place.cpu,
        ),
        _suggest_more_cpus(place),
        concern=StudyConcern.FIXED_VCPUS,
    )


def _suggest_more_cpus(place: CgroupPaths) -> str:
    """Return advice on more shared CPUs; empty where only one may be used."""
    choices = sorted(place.cpus)
    if len(choices) < 2:
        return ""
    return _(
        "[cpus] in the plan lets the domains share more of CPU {choices}. If they share all "
        "of these, no CPU is left for the load: it runs on one of theirs."
    ).format(choices=format_cpu_list(choices))


def _check_busy_cpu(cpu: int, load: cpu_load.LoadReading) -> Iterator[PreflightFinding]:
    busy_frac, programs = load.taken_frac, load.programs
    if busy_frac > _BUSY_FRAC:
        taken = _("other programs use {busy_frac} of CPU {cpu}, on which the domains will run").format(
            busy_frac=format_percent(busy_frac), cpu=cpu
        )
        yield PreflightFinding(
            Severity.WARNING, taken + _describe_busiest(programs, busy_frac), _suggest_remedy(programs)
        )


def _describe_busiest(programs: list[cpu_load.ProgramLoad], busy_frac: float) -> str:
    if not programs:
        return ""
    most = programs[0]
    return _(": {most} (process {pid}) {taken_frac}").format(
        most=most.name, pid=most.pid, taken_frac=format_percent(min(most.taken_frac, busy_frac))
    )


def _suggest_remedy(programs: list[cpu_load.ProgramLoad]) -> str:
    what = _("Close {programs}").format(programs=programs[0].name) if programs else _("Close what runs there")
    return _("{what}, or wait for its end: the results would be too low by about what others take.").format(what=what)


_MACHINE_ID_FILES = (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id"))


def describe_local(url: str, place: CgroupPaths, database: str = "") -> HostProperties:
    """Return the properties of this computer; measures the load for 0.2 s.

    Args:
        url: URL of the host.
        place: Paths of the groups.
        database: The plan's name of the guest's database.
    """
    versions = {"kernel": platform.release(), "control groups": place.scheduler}
    load = cpu_load.measure_load(place.contended_cpu, _LOOK_S)
    seen = list(list_findings(place, load))
    kind = DATABASES[parse_database_name(database)]
    try:
        versions[kind.name] = ", ".join(find_server_version(database)) if not database_url(database) else _("your own")
    except HostNotUsable as error:
        seen.insert(0, PreflightFinding(Severity.ERROR, str(error), error.hint))
    cpu = place.contended_cpu
    return HostProperties(
        host_id=host_id(),
        url=url,
        title=_("{node}: a relay and {kind} share CPU {cpu} (Linux {release})").format(
            node=platform.node(), kind=kind.title, cpu=cpu, release=platform.release()
        ),
        scheduler=place.scheduler,
        pcpus=os.cpu_count() or 1,
        shared_cpus=(cpu,),
        client_cpus=place.client_cpus,
        domains=tuple(
            DomainProperties(id=domain, name=f"{PARENT}/{domain}", vcpus=1, cpus=(cpu,)) for domain in DOMAINS
        ),
        versions=versions,
        findings=tuple(seen),
        verified_properties=tuple(list_cgroup_properties(place)),
        vcpus=vcpu_range(place),
        second_guest=check_second_guest(place, database),
        topology=read_kernel_topology(load.busy_fracs),
        placement=placement_support(place),
    )


def list_cgroup_properties(place: CgroupPaths) -> Iterator[VerifiedProperty]:
    """Yield the version and path of the control groups, and the means of CPU pinning."""
    version = place.scheduler.removeprefix("cgroup-v")
    yield VerifiedProperty(
        _("Control groups"),
        _("version {version}, below {cpu}").format(version=version, cpu=place.cpu),
        "/proc/self/mountinfo; /proc/self/cgroup",
    )
    how = (
        _("CPU sets below {cpuset}").format(cpuset=place.cpuset)
        if place.cpuset
        else _("CPU affinity: CPU sets cannot be used here")
    )
    yield VerifiedProperty(_("Kept on CPU {contended_cpu} by").format(contended_cpu=place.contended_cpu), how)


def host_id() -> str:
    """Return an identity that survives reboots and new names of the computer.

    The identity is a hash of the machine id. machine-id(5) asks programs to hash the id.
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
