"""Scripts for domains of Xen, of XenServer and XCP-ng, and of libvirt.

The tools are `xl` or `xm`, `xe`, and `virsh`. The scripts identify domains by UUID. Names of domains are foreign data.
The names appear in README.txt and in comments of snippets, on one line, and in no command of any dialect.
"""

import re

import msgspec

from scheduler.export import bundle_dialects as dialects
from scheduler.export import bundle_placement as placement
from scheduler.export.bundle_files import DOMAIN_TITLES, BundleContent, ReadmeSubject
from scheduler.export.split_config import SplitConfig
from scheduler.export.templates import single_line
from scheduler.model.host_properties import DomainProperties
from scheduler.model.placement import PlacementParams
from scheduler.model.scheduler_params import LibvirtParams, SchedParams
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.toolstacks.virsh import libvirt_values
from scheduler.translation import _

DOM0 = "00000000-0000-0000-0000-000000000000"
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_AFTER = _(
    "persist.sh keeps them in a file that survives reboots: rollback.sh restores them after any order of\n"
    "apply.sh, persist.sh and reboots."
)
_BUILT = _("applies when the VM is next built: at its next start, reboot, resume or migration")


class ScriptedDomain(msgspec.Struct, frozen=True, kw_only=True):
    """Domain that the scripts set.

    Attributes:
        role: `io` or `guest`.
        name: Name of the domain on the host, on one line.
        uuid: UUID; empty when it is not known.
        params: Parameters of the domain.
        place: Placement of the domain; None when it stays.
    """

    role: DomainId
    name: str
    uuid: str
    params: SchedParams
    place: PlacementParams | None = None

    @property
    def title(self) -> str:
        """Title of the role."""
        return DOMAIN_TITLES[self.role]


def domains_refusal(split: SplitConfig) -> str:
    """Return the reason against scripts for this host; empty when they are possible."""
    scheduler = split.facts.scheduler
    if scheduler not in (*dialects.XEN_SCHEDULERS, *dialects.LIBVIRT_SCHEDULERS):
        return _("there are no scripts for {scheduler!r} hosts").format(scheduler=scheduler)
    if scheduler == "rtds" and _xen_version(split) < (4, 7):
        return _("before Xen 4.7 RTDS does not show the parameters of each vCPU, so no script could read them back")
    if scheduler.startswith("lxc-") and placement.find_placements(split):
        return _("libvirt pins no vCPUs of LXC domains: set the cpuset of <vcpu> by 'virsh edit'")
    if scheduler == "credit2" and _xen_version(split) < (4, 10):
        return _("before Xen 4.10 credit2 has no caps, and the scripts set one with every weight")
    return ""


def domain_content(split: SplitConfig) -> BundleContent:
    """Return the content of a bundle for domains."""
    targets = [_scripted_domain(split, domain) for domain in (IO, GUEST)]
    xen = split.facts.scheduler in dialects.XEN_SCHEDULERS
    return _xen_content(split, targets) if xen else _libvirt_content(split, targets)


def _scripted_domain(split: SplitConfig, domain: DomainId) -> ScriptedDomain:
    seen = _seen_domain(split, domain)
    return ScriptedDomain(
        role=domain,
        name=single_line(seen.name),
        uuid=seen.uuid if _UUID.fullmatch(seen.uuid) else "",
        params=split.params[domain],
        place=placement.find_placements(split).get(domain),
    )


def _domain_subject(target: ScriptedDomain) -> ReadmeSubject:
    uuid = target.uuid or _("not known; give it as DOMTUNE_{role}_UUID").format(role=target.role.upper())
    cpus = () if target.place is None else (("CPUs", target.place.words),)
    details = (("name", target.name), ("UUID", uuid), *cpus)
    return ReadmeSubject(title=target.title, words=target.params.words, details=details)


def _domain_values(target: ScriptedDomain) -> dict[str, str]:
    return {
        f"{target.role}_uuid": target.uuid,
        f"{target.role}_values": " ".join(dialects.script_values(target.params)),
    }


def _seen_domain(split: SplitConfig, domain: DomainId) -> DomainProperties:
    found = (each for each in split.facts.domains if each.id == domain)
    return next(found, DomainProperties(domain, "unknown", 1, ()))


def _xen_content(split: SplitConfig, targets: list[ScriptedDomain]) -> BundleContent:
    facts = split.facts
    version = _xen_version(split)
    xapi = facts.url.startswith("xapi:") and facts.scheduler == "credit"
    io, guest = targets
    commands = [line for target in targets for line in _commands_by_hand(split, target)]
    notes = [_("GUEST is its number in 'xl list -v', which changes at each start: find it by its UUID.")]
    if xapi:
        commands.append(f"{dialects.xe_command(guest.uuid, guest.params)}   # {_BUILT}")
        notes.append(_("XAPI cannot store the weight of Dom0 or change a running guest. The scripts use xl for both."))
        notes.append(
            _("Under credit, XenServer and XCP-ng recompute the weight of Dom0, so apply.sh checks twice. Caps stay.")
        )
    values = {
        "tool": "xm" if facts.scheduler == "sedf-xm" else "xl",
        "scheduler": facts.scheduler.removesuffix("-xm"),
        "version": single_line(facts.versions.get("xen", "")),
        "extratime": version >= (4, 10),
        "xapi": xapi,
        "guest_mask": placement.xapi_mask(guest.place) if xapi and guest.place else "",
        **placement.placement_values(split, everywhere="all"),
        "others": single_line(facts.away_remark),
    }
    if io.place and io.uuid == DOM0:
        notes += placement.boot_notes(io.place, xapi=xapi)
    return BundleContent(
        toolstack="xen",
        values=values | _domain_values(io) | _domain_values(guest),
        things="domains",
        subjects=[_domain_subject(target) for target in targets],
        persists=_persistence_text(dom0=io.uuid == DOM0, xapi=xapi),
        runs_where=_("Run them in Dom0 as root. They need only sh, awk and the tools of Xen, not DomTune."),
        after=_AFTER,
        commands=commands,
        scope=placement.placed_scope(split, "domains"),
        notes=notes,
        snippets={f"{target.role}.cfg": _config_file_text(target) for target in targets if target.uuid != DOM0},
    )


def _commands_by_hand(split: SplitConfig, target: ScriptedDomain) -> list[str]:
    seen = _seen_domain(split, target.role)
    number = "0" if target.uuid == DOM0 else {IO: "IO", GUEST: "GUEST"}[target.role]
    pins = [] if target.place is None else placement.pin_commands(target.place, number)
    return pins + dialects.xen_commands(split.facts.scheduler, _xen_version(split), target.params, seen, number)


def _persistence_text(*, dom0: bool, xapi: bool) -> str:
    first = _("keeps Dom0's part with a systemd unit") if dom0 else _("prints the lines for the files of the domains")
    if xapi:
        return _("{first}, the guest's in XAPI\n               ({built})").format(first=first, built=_BUILT)
    return _("{first}; of the guest's part see guest.cfg").format(first=first) if dom0 else first


def _config_file_text(target: ScriptedDomain) -> str:
    cpus = "" if target.place is None else placement.xl_cpus_line(target.place)
    return f"# {target.title}: {target.name}\n# UUID {target.uuid}\n{cpus}{dialects.xl_config_lines(target.params)}"


def _libvirt_content(split: SplitConfig, targets: list[ScriptedDomain]) -> BundleContent:
    uri = split.facts.url
    definitions: dict[str, list[DomainId]] = {}
    for target in targets:
        definitions.setdefault(target.uuid or target.role, []).append(target.role)
    given = {target.role: target.params for target in targets if isinstance(target.params, LibvirtParams)}
    values = {"uri": uri, "version": "", **placement.placement_values(split)}
    for target in targets:
        names = " ".join(name for name, _ in libvirt_values(given[target.role]))
        values |= {**_domain_values(target), f"{target.role}_names": names}
    commands = [line for target in targets for line in dialects.virsh_commands(uri, target.uuid, given[target.role])]
    snippets = {
        f"{'-'.join(roles)}-cputune.xml": dialects.cputune_element(tuple(given[role] for role in roles))
        for roles in definitions.values()
    }
    return BundleContent(
        toolstack="libvirt",
        values=values,
        things="domains",
        subjects=[_domain_subject(target) for target in targets],
        persists=_("changes the domains' configuration, for their next start; the old one is kept"),
        runs_where=_("Run them where virsh reaches {single_line}; DOMTUNE_URI names another way there.").format(
            single_line=single_line(uri)
        ),
        after=_AFTER,
        commands=commands,
        scope=placement.placed_scope(split, "domains"),
        notes=["--live changes the running domain only; persist.sh changes its configuration (--config)."],
        snippets=snippets,
    )


def _xen_version(split: SplitConfig) -> tuple[int, int]:
    """Return Xen's version; a high one when unknown, so that no host is refused."""
    found = re.match(r"(\d+)\.(\d+)", split.facts.versions.get("xen", ""))
    return (int(found[1]), int(found[2])) if found else (99, 0)
