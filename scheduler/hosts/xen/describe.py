"""Properties of a Xen host, for people and for the record."""

import hashlib
import re
from collections.abc import Iterator, Mapping

from scheduler.hosts.remote.guard_state import GuardState
from scheduler.hosts.xen.background_load import list_other_guests
from scheduler.hosts.xen.cpu_pools import PoolRow
from scheduler.hosts.xen.domain_choice import choice_keys, list_second_guests
from scheduler.hosts.xen.domain_view import DomainSnapshot, DomainView
from scheduler.hosts.xen.urls import parse_xen_url
from scheduler.hosts.xen.xen_findings import list_findings
from scheduler.hosts.xen.xen_placement import find_placement_support
from scheduler.hosts.xen.xen_vcpus import vcpu_range
from scheduler.model.guests import SecondGuestSupport
from scheduler.model.host_properties import (
    DomainProperties,
    HostProperties,
    PreflightFinding,
    Severity,
    VerifiedProperty,
)
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.sentence_texts import format_cpu_list, join_names
from scheduler.model.split import ROLES, DomainId
from scheduler.translation import _, ngettext

_SETTING = re.compile(r"(tslice|ratelimit)=([0-9]{1,9})(ms|us)")


def describe_xen(
    url: str,
    picture: DomainView,
    now: Mapping[str, SchedParams | None],
    pool_text: str,
    guard: GuardState,
    libvirt: str = "",
) -> HostProperties:
    """Return the properties of the host.

    Args:
        url: The host's URL.
        picture: The host and the domains of the sweep.
        now: Live parameters by name of the domain.
        pool_text: Output of the scheduler's command on its pools.
        guard: State of a guard that this or another sweep has left on the host.
        libvirt: Version of the libvirt that sets the splits; empty where xl does.
    """
    info, io, guest = picture.survey.info, picture.io, picture.guest
    names = join_names(seen.row.name for seen in picture.domains)
    settings = parse_pool_settings(pool_text, guest.pool)
    shared = picture.shared or io.cpus or (0,)
    version = info.get("xen_version", "") or ".".join(map(str, picture.survey.access.version))
    name = info.get("host", url)
    return HostProperties(
        host_id=_host_id(picture),
        url=url,
        title=_("{name}: {names} {common_cpus} (Xen {version}, {scheduler})").format(
            name=name,
            names=names,
            common_cpus=_describe_common_cpus(picture),
            version=version,
            scheduler=guest.scheduler,
        ),
        scheduler=picture.scheduler,
        pcpus=picture.pcpus,
        shared_cpus=shared,
        client_cpus=(),
        domains=tuple(_describe_domain(role, seen) for role, seen in zip(ROLES, picture.domains, strict=False)),
        versions={
            "xen": version,
            "Dom0 kernel": info.get("release", "unknown"),
            "toolstack": picture.survey.access.name,
            **({"libvirt": libvirt} if libvirt else {}),
        },
        findings=(*_list_own_findings(url, guard, libvirt), *list_findings(picture, now, settings, left=guard.changed)),
        scheduler_settings=settings,
        verified_properties=tuple(list_pool_properties(picture)),
        commanded_inside=True,
        vcpus=vcpu_range(picture),
        second_guest=_second_guest(picture),
        topology=picture.survey.topology,
        placement=find_placement_support(picture),
        others=list_other_guests(picture),
    )


def _describe_common_cpus(picture: DomainView) -> str:
    return (
        _("share CPU {shared}").format(shared=format_cpu_list(picture.shared))
        if picture.shared
        else _("have no CPU in common")
    )


def _second_guest(picture: DomainView) -> SecondGuestSupport:
    """Return the support for a second guest: DomTune creates none on a Xen host."""
    rows = picture.survey.domains
    names = tuple(choice_keys(list_second_guests(rows, (picture.io.row, picture.guest.row)), rows))
    if names:
        return SecondGuestSupport(possible=True, why="", hint="", runs=True, names=names)
    why = _("no guest runs there except {row}, and DomTune creates none").format(row=picture.guest.row.name)
    return SecondGuestSupport(
        possible=False, why=why, hint=_("Start another guest with its own database. Then try again.")
    )


def list_pool_properties(picture: DomainView) -> Iterator[VerifiedProperty]:
    """Yield the verified scheduler of each CPU pool, the pools of the sweep first."""
    tool = picture.survey.access.name
    ours = {seen.pool for seen in picture.domains}
    for pool in sorted(picture.survey.pools, key=lambda pool: (pool.name not in ours, pool.name)):
        yield VerifiedProperty(
            _("Scheduler of {pool}").format(pool=pool.name),
            _describe_pool(picture, pool),
            _("{tool} cpupool-list; {tool} cpupool-list -c").format(tool=tool),
        )
    if not picture.survey.pools and picture.guest.scheduler:
        yield VerifiedProperty(_("Scheduler of the host"), picture.guest.scheduler, f"{tool} info")


def _describe_pool(picture: DomainView, pool: PoolRow) -> str:
    cpus = picture.survey.pool_cpus.get(pool.name)
    where = (
        _(", on CPU {cpus}").format(cpus=format_cpu_list(cpus))
        if cpus
        else _(", on {cpus} CPUs").format(cpus=pool.cpus)
    )
    inside = [seen.row.name for seen in picture.domains if seen.pool == pool.name]
    here = ngettext("; {domains} runs here", "; {domains} run here", len(inside)).format(domains=join_names(inside))
    here = here if inside else ""
    return f"{pool.scheduler}{where}{here}"


def parse_pool_settings(text: str, pool: str) -> dict[str, int]:
    """Read the settings of a pool from a line such as `Cpupool Pool-0: tslice=30ms`.

    Args:
        text: Output of the scheduler's command on its pools.
        pool: Name of the CPU pool.

    Returns:
        Settings by name and unit, for example `tslice_ms` and `ratelimit_us`; empty without the pool.
    """
    for line in text.splitlines():
        if line.startswith(f"Cpupool {pool}:"):
            return {f"{name}_{unit}": int(number) for name, number, unit in _SETTING.findall(line)}
    return {}


def _host_id(picture: DomainView) -> str:
    """Return an identity that survives reboots: a hash of the machine id.

    machine-id(5) asks programs to hash the id.
    """
    text = picture.survey.machine_id or picture.survey.info.get("host", "")
    return f"xen-{hashlib.blake2b(text.encode(), key=b'domtune', digest_size=8).hexdigest()}"


def _describe_domain(role: DomainId, seen: DomainSnapshot) -> DomainProperties:
    return DomainProperties(
        id=role,
        name=seen.row.name,
        vcpus=max(1, seen.online),
        vcpus_all=seen.all,
        cpus=seen.cpus,
        uuid=seen.row.uuid,
    )


def _list_own_findings(url: str, guard: GuardState, libvirt: str) -> list[PreflightFinding]:
    seen: list[PreflightFinding] = []
    if guard.changed:
        seen.append(
            PreflightFinding(Severity.WARNING, guard.text, _("If that is dead, 'domtune restore' restores the host."))
        )
    elif guard.state == "restored":
        seen.append(
            PreflightFinding(Severity.INFO, guard.text, _("'domtune restore' checks it, and clears the record here."))
        )
    if parse_xen_url(url).here:
        seen.append(
            PreflightFinding(
                Severity.WARNING,
                _("the users of the load would run in Domain-0 and use CPU time of the measurement"),
                _("Run DomTune on another computer: xl+ssh://root@HOST"),
            )
        )
    if libvirt:
        text = _(
            "libvirt {libvirt} sets weights and caps; xl places the domains, reads everything "
            "back and restores it, also without libvirtd"
        ).format(libvirt=libvirt)
        seen.append(PreflightFinding(Severity.INFO, text))
    return seen
