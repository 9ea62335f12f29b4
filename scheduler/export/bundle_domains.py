"""Scripts for domains of Xen, of XenServer and XCP-ng, and of libvirt.

The tools are `xl` or `xm`, `xe`, and `virsh`. The scripts identify domains by UUID. Names of domains are foreign data.
The names appear in README.txt and in comments, on one line, and in no command of any dialect.
"""

import re
from typing import Any

import msgspec

from scheduler.export import bundle_dialects as dialects
from scheduler.export.bundle_evidence import DOMAIN_TITLES, evidence_values
from scheduler.export.split_config import SplitConfig
from scheduler.export.templates import single_line, template_environment
from scheduler.model.host_properties import DomainProperties
from scheduler.model.scheduler_params import LibvirtParams, SchedParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.toolstacks.virsh import libvirt_values

DOM0 = "00000000-0000-0000-0000-000000000000"
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_SCRIPTS = {
    "apply.sh": "Sets the split now; gone after a reboot.",
    "verify.sh": "Compares the host with the split; changes nothing.",
    "rollback.sh": "Puts back what apply.sh found and takes away what persist.sh wrote.",
    "persist.sh": "Keeps the split over a reboot; rollback.sh takes it away again.",
}
_GUEST_BY_FILE = "the guest: put the lines of guest.cfg into the file that it is started from"
_GUEST_BY_HAND = "the guest: run apply.sh after each of its starts; its file has no keys for this scheduler"
_BUILT = "applies when the VM is next built: at its next start, reboot, resume or migration"


class ScriptedDomain(msgspec.Struct, frozen=True, kw_only=True):
    """Domain in the bundle's templates.

    Attributes:
        role: `io` or `guest`.
        title: Title of the role.
        name: Name of the domain on the host, on one line.
        uuid: UUID; empty when it is not known.
        variable: Environment variable that overrides the UUID.
        params: Parameters of the domain.
        wanted: The parameters as values of the scripts.
        names: libvirt's names of the parameters, in the same order; empty on Xen.
        words: The parameters as text.
    """

    role: DomainId
    title: str
    name: str
    uuid: str
    variable: str
    params: SchedParams
    wanted: tuple[str, ...]
    names: tuple[str, ...]
    words: str


def domains_refusal(split: SplitConfig) -> str:
    """Return the reason against scripts for this host; empty when they are possible."""
    scheduler = split.facts.scheduler
    if scheduler not in (*dialects.XEN_SCHEDULERS, *dialects.LIBVIRT_SCHEDULERS):
        return f"there are no scripts for {scheduler!r} hosts"
    if scheduler == "rtds" and _xen_version(split) < (4, 7):
        return "before Xen 4.7 RTDS does not show the parameters of each vCPU, so no script could read them back"
    if scheduler == "credit2" and _xen_version(split) < (4, 10):
        return "before Xen 4.10 credit2 has no caps, and the scripts set one with every weight"
    return ""


def domain_script_texts(split: SplitConfig) -> dict[str, str]:
    """Return the texts of the scripts by file name."""
    templates = template_environment("bundle", autoescape=False)
    targets = [_scripted_domain(split, domain) for domain in (IO, GUEST)]
    xen = split.facts.scheduler in dialects.XEN_SCHEDULERS
    one_cpu = len({cpu for each in split.facts.domains for cpu in each.cpus}) <= 1
    values: dict[str, Any] = {
        "domains": targets,
        "scope": split.scope("domains"),
        "one_cpu": split.mode is Mode.CAPS and one_cpu,
        **evidence_values(split),
    }
    values |= _xen_values(split, targets) if xen else _libvirt_values(split, targets)
    files: dict[str, str] = values["files"]
    values["snippets"] = [(name, "lines for a domain's configuration") for name in files]
    texts = {
        name: templates.get_template(f"domains/{name}.j2").render(values, script=name, title=title)
        for name, title in _SCRIPTS.items()
    }
    return texts | files | {"README.txt": templates.get_template("domains/README.txt.j2").render(values)}


def _scripted_domain(split: SplitConfig, domain: DomainId) -> ScriptedDomain:
    params, seen = split.params[domain], _seen_domain(split, domain)
    names = tuple(name for name, _ in libvirt_values(params)) if isinstance(params, LibvirtParams) else ()
    return ScriptedDomain(
        role=domain,
        title=DOMAIN_TITLES[domain],
        name=single_line(seen.name),
        uuid=seen.uuid if _UUID.fullmatch(seen.uuid) else "",
        variable=f"DOMTUNE_{domain.upper()}_UUID",
        params=params,
        wanted=dialects.script_values(params),
        names=names,
        words=params.words,
    )


def _seen_domain(split: SplitConfig, domain: DomainId) -> DomainProperties:
    found = (each for each in split.facts.domains if each.id == domain)
    return next(found, DomainProperties(domain, "unknown", 1, ()))


def _xen_values(split: SplitConfig, targets: list[ScriptedDomain]) -> dict[str, Any]:
    facts = split.facts
    scheduler, version = facts.scheduler, _xen_version(split)
    tool, xapi = "xm" if scheduler == "sedf-xm" else "xl", facts.url.startswith("xapi:")
    io, guest = targets
    by_hand = {
        target.role: dialects.xen_commands(
            scheduler, version, target.params, _seen_domain(split, target.role), _domain_number(target)
        )
        for target in targets
    }
    commands = [line for lines in by_hand.values() for line in lines]
    notes = ["GUEST is its number in 'xl list -v', which changes at each start: find it by its UUID."]
    if xapi and scheduler == "credit":
        commands.append(f"{dialects.xe_command(guest.uuid, guest.params)}   # {_BUILT}")
        notes.append("XAPI has no way to keep Dom0's weight, and cannot change a running guest: both by xl, above.")
        notes.append("XenServer and XCP-ng compute Dom0's weight anew under credit: apply.sh looks twice. Caps stay.")
    dom0 = io.uuid == DOM0
    return {
        "toolstack": "xen",
        "tool": tool,
        "dom0": DOM0,
        "scheduler": "sedf" if tool == "xm" else scheduler,
        "extratime": version >= (4, 10),
        "xapi": xapi and scheduler == "credit",
        "xen_version": facts.versions.get("xen", ""),
        "dom0_commands": [line.partition(" ")[2] for line in by_hand[IO]] if dom0 else [],
        "pin_words": "xl vcpu-pin",
        "kept_roles": " ".join([*([IO] if dom0 else []), *([GUEST] if xapi and scheduler == "credit" else [])]),
        "guest_note": _GUEST_BY_FILE if scheduler in ("credit", "credit2") else _GUEST_BY_HAND,
        "commands": commands,
        "notes": notes,
        "persists": _persistence_text(dom0=dom0, xapi=xapi and scheduler == "credit"),
        "runs_where": "Run them in Dom0 as root. They need sh, awk and Xen's own tools, and nothing of DomTune.",
        "files": {f"{target.role}.cfg": _config_file_text(target) for target in targets if target.uuid != DOM0},
    }


def _persistence_text(*, dom0: bool, xapi: bool) -> str:
    first = "keeps Dom0's part with a systemd unit" if dom0 else "says what to put into the domains' files"
    if xapi:
        return f"{first}, the guest's in XAPI\n               ({_BUILT})"
    return f"{first}; of the guest's part see guest.cfg" if dom0 else first


def _domain_number(target: ScriptedDomain) -> str:
    return "0" if target.uuid == DOM0 else {IO: "IO", GUEST: "GUEST"}[target.role]


def _config_file_text(target: ScriptedDomain) -> str:
    return f"# {target.title}: {target.name}\n# UUID {target.uuid}\n{dialects.xl_config_lines(target.params)}"


def _libvirt_values(split: SplitConfig, targets: list[ScriptedDomain]) -> dict[str, Any]:
    uri = split.facts.url
    definitions: dict[str, list[DomainId]] = {}
    for target in targets:
        definitions.setdefault(target.uuid or target.role, []).append(target.role)
    given = {target.role: target.params for target in targets if isinstance(target.params, LibvirtParams)}
    files = {
        f"{'-'.join(roles)}-cputune.xml": dialects.cputune_element(tuple(given[role] for role in roles))
        for roles in definitions.values()
    }
    return {
        "toolstack": "libvirt",
        "xapi": False,
        "dom0_commands": [],
        "pin_words": "LXC: the cpuset of <vcpu>; QEMU: virsh vcpupin and emulatorpin, and --config to keep it",
        "uri": uri,
        "definitions": definitions,
        "commands": [
            line for target in targets for line in dialects.virsh_commands(uri, target.uuid, given[target.role])
        ],
        "notes": ["--live changes the running domain only; persist.sh changes its configuration (--config)."],
        "persists": "changes the domains' configuration, for their next start; the old one is kept",
        "runs_where": f"Run them where virsh reaches {single_line(uri)}; DOMTUNE_URI names another way there.",
        "files": files,
    }


def _xen_version(split: SplitConfig) -> tuple[int, int]:
    """Return Xen's version; a high one when unknown, so that no host is refused."""
    found = re.match(r"(\d+)\.(\d+)", split.facts.versions.get("xen", ""))
    return (int(found[1]), int(found[2])) if found else (99, 0)
