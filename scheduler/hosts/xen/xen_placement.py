"""Placement of domains, read and set per vCPU.

The commands are `xl vcpu-list` and one `xl vcpu-pin` for each vCPU.
Source: tools/xl/xl_vcpu.c, Xen 4.1 to 4.17. `vcpu-pin DOM all` ends with code 0 even on failure, and `vm.cpumask` in
xl.conf cuts a mask without a message. So no command names `all` as the vCPU, and every write is read back.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from scheduler.errors import HostError, ParameterRefused, WriteNotVerified
from scheduler.hosts.xen.domain_choice import find_stub_owner
from scheduler.hosts.xen.domain_view import DomainSnapshot, DomainView
from scheduler.hosts.xen.xen_setup import NO_UUID, DomainIdentity, XenSetup
from scheduler.hosts.xen.xl_tables import DomainRow, VcpuRow, is_everywhere, parse_vcpus
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.placement import PLACE_SLOTS, CpuMask, PlacementParams, PlacementSupport, format_mask, other_place
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.sentence_texts import encode_cpu_list, format_cpu_list, join_names
from scheduler.model.split import ROLES, DomainId
from scheduler.toolstacks.command_words import Argv
from scheduler.toolstacks.tool_output import parse_cpu_list
from scheduler.toolstacks.xen_tool import Version
from scheduler.translation import _

_SOFT: Version = (4, 5)  # soft affinity, and the fourth argument of `xl vcpu-pin`
_GLOBAL_MASKS: Version = (4, 12)  # `vm.cpumask`, and `vcpu-pin -i`
_DOM0_MOVES: Version = (4, 13)  # Dom0 can be moved although it was booted with `dom0_vcpus_pin` (Xen 905d7340f6)
_GAPS: Version = (4, 12)  # `vcpu-list` prints masks up to the highest number of a CPU; earlier, up to their count
_CPUMASK = re.compile(r"^[ \t]*+vm\.(?:pv\.|hvm\.)?cpumask[ \t]*+=", re.MULTILINE)
_PINNED_AT_BOOT = re.compile(r"(?<!\S)dom0_vcpus_pin(?!\S|=)")


def parse_placement(text: str, domid: int) -> PlacementParams | None:
    """Return a domain's placement; None for a domain without a row.

    Args:
        text: Output of `xl vcpu-list`.
        domid: Number of the domain.

    Raises:
        HostError: A vCPU is shown without any CPU.
    """
    return _read_placement(parse_vcpus(text), domid)


def read_placements(view: DomainView) -> dict[DomainId, PlacementParams]:
    """Return slot to placement at the survey; empty where it is unknown."""
    if find_placement_support(view).possible:
        found = zip(ROLES, view.domains, strict=False)
        read = ((PLACE_SLOTS[role], _read_placement(view.survey.vcpus, seen.row.domid)) for role, seen in found)
        others = ((other_place(row.uuid), _read_placement(view.survey.vcpus, row.domid)) for row in list_others(view))
        return {slot: params for slot, params in (*read, *others) if params is not None}
    return {}


def _read_placement(vcpus: Iterable[VcpuRow], domid: int) -> PlacementParams | None:
    rows = sorted((row for row in vcpus if row.domid == domid), key=lambda row: row.vcpu)
    if not rows:
        return None
    soft = tuple(_parse_mask(row.soft or "all") for row in rows)
    return PlacementParams(tuple(_parse_mask(row.hard) for row in rows), soft if any(soft) else ())


def _parse_mask(text: str) -> CpuMask:
    if is_everywhere(text):
        return ()
    mask = tuple(sorted(parse_cpu_list(text)))
    if not mask:
        raise HostError(
            _("the toolstack shows the CPUs of a vCPU as {text!r}, so its placement cannot be restored").format(
                text=text[:40]
            ),
            hint=_("Compare 'xl vcpu-list' with 'xl info -n': are the vCPU's CPUs offline?"),
        )
    return mask


def plan_pins(setup: XenSetup, member: DomainIdentity, number: int | str, params: SchedParams) -> list[Argv]:
    """Return the commands that place a domain for a trial, as root types them.

    Soft affinity stays.

    Args:
        setup: Setup of the open host.
        member: The domain.
        number: Number of the domain.
        params: The placement.

    Raises:
        ParameterRefused: The host cannot place the domain, or a CPU is not open to the domain.
    """
    wanted = _narrow_placement(params, member)
    if not setup.placement.possible:
        raise ParameterRefused(
            _("{member} cannot be placed: {why}").format(member=member.name, why=setup.placement.why),
            hint=setup.placement.hint,
        )
    for mask in dict.fromkeys(wanted.vcpus):
        if closed := set(mask) - set(setup.placement.choices):
            choices = format_cpu_list(setup.placement.choices)
            raise ParameterRefused(
                _("{member} cannot run on CPU {closed}: not online, or not in its CPU pool").format(
                    member=member.name, closed=format_cpu_list(closed)
                ),
                hint=_("Choose from CPU {choices}.").format(choices=choices),
            )
    return [_pin(setup, number, vcpu, _format_words(mask)) for vcpu, mask in enumerate(wanted.vcpus)]


def plan_original_pins(setup: XenSetup, member: DomainIdentity, number: int | str, params: SchedParams) -> list[Argv]:
    """Return the commands that restore a domain's placement, soft affinity included.

    Args:
        setup: Setup of the open host.
        member: The domain.
        number: Number of the domain, or the guard's placeholder.
        params: The original placement.

    Raises:
        ParameterRefused: The placement belongs to another number of vCPUs, or the parameters are of another kind.
    """
    wanted = _narrow_placement(params, member)
    soft = wanted.soft or ((),) * len(wanted.vcpus)
    has_soft = setup.version >= _SOFT
    return [
        _pin(setup, number, vcpu, _format_words(hard), *([_format_words(soft[vcpu])] if has_soft else []))
        for vcpu, hard in enumerate(wanted.vcpus)
    ]


def format_masks(params: PlacementParams) -> tuple[str, ...]:
    """Return the hard affinity of vCPU 0, 1, ... as `xl vcpu-list` prints it."""
    return tuple(map(_format_words, params.vcpus))


def _pin(setup: XenSetup, number: int | str, vcpu: int, *masks: str) -> Argv:
    options = ("-i",) if setup.ignores_masks else ()
    return setup.root_tool.call("vcpu-pin", *options, number, vcpu, *masks)


def _format_words(mask: CpuMask) -> str:
    return encode_cpu_list(mask) if mask else "all"


def _narrow_placement(params: SchedParams, member: DomainIdentity) -> PlacementParams:
    wanted = narrow_params(params, PlacementParams, _("the placement of {member}").format(member=member.name))
    if len(wanted.vcpus) != member.vcpus or len(wanted.soft) not in (0, member.vcpus):
        raise ParameterRefused(
            _("{words}: {count} entries for a domain of {vcpus} vCPUs").format(
                words=wanted.words, count=len(wanted.vcpus), vcpus=member.vcpus
            ),
            hint=_("Was the domain started with another number of vCPUs?"),
        )
    if wanted.emulator is not None or wanted.iothreads:
        raise ParameterRefused(
            _("{words}: a Xen domain has no threads of an emulator to place").format(words=wanted.words)
        )
    return wanted


def has_same_effect(wanted: PlacementParams, got: PlacementParams, online: Sequence[int]) -> bool:
    """Return True when the toolstack shows a placement as it was written.

    A mask of all CPUs is shown as `all`.

    Args:
        wanted: The placement that was written.
        got: The placement that was read.
        online: Online CPUs that are open to the domain.
    """
    pairs = zip(wanted.vcpus, got.vcpus, strict=True) if len(wanted.vcpus) == len(got.vcpus) else None
    return (
        pairs is not None
        and all(_is_shown(mask, shown, online) for mask, shown in pairs)
        and (not wanted.soft or wanted.soft == got.soft)
    )


def _is_shown(mask: CpuMask, shown: CpuMask, online: Sequence[int]) -> bool:
    return mask == shown or (not shown and set(mask).issuperset(online))


def pin_not_verified_error(name: str, wanted: PlacementParams, got: PlacementParams, where: str) -> WriteNotVerified:
    """Return the error for pins that were accepted, but have no effect.

    Args:
        name: Name of the domain.
        wanted: The placement that was written.
        got: The placement that was read.
        where: The host, for messages.
    """
    lost = [
        _("vCPU {number} may run on {shown}, not on {mask}").format(
            number=number, shown=format_mask(shown), mask=format_mask(mask)
        )
        for number, (mask, shown) in enumerate(zip(wanted.vcpus, got.vcpus, strict=False))
        if mask != shown
    ]
    listed = "; ".join(lost[:4]) + (_("; and {count} others").format(count=len(lost) - 4) if len(lost) > 4 else "")
    return WriteNotVerified(
        _("{where}: 'xl vcpu-pin' reported success for {name}, but {listed}").format(
            where=where, name=name, listed=listed or _("the soft affinity differs")
        ),
        hint=_("Does another program place it, or was a CPU taken out of the CPU pool? The host is restored now."),
    )


def find_placement_support(view: DomainView) -> PlacementSupport:
    """Return the support for placing the domains of a sweep.

    CPU pools are never changed, so all domains must be in one pool.
    """
    choices = list_open_cpus(view)
    for why, hint in (*_find_pool_obstacles(view), *_find_boot_obstacles(view), *_find_shown_obstacles(view)):
        return PlacementSupport(choices=choices, why=why, hint=hint)
    return PlacementSupport(possible=True, choices=choices, why="", moves_others=True)


def ignores_global_masks(view: DomainView) -> bool:
    """Return True where `vm.cpumask` in xl.conf would cut the masks of `xl vcpu-pin`."""
    access = view.survey.access
    return access.name == "xl" and access.version >= _GLOBAL_MASKS and bool(_CPUMASK.search(view.survey.config))


def list_open_cpus(view: DomainView) -> tuple[int, ...]:
    """Return the online CPUs in the CPU pool of every domain, ascending."""
    online = {cpu.number for cpu in view.survey.topology} or set(range(view.pcpus))
    pools = [set(view.survey.pool_cpus.get(seen.pool, online)) for seen in view.domains]
    return tuple(sorted(online.intersection(*pools)))


def _find_pool_obstacles(view: DomainView) -> Iterator[tuple[str, str]]:
    for seen in view.guests:
        if seen.pool != view.io.pool:
            yield (
                _("{row} is in the CPU pool {pool}, {row_2} in {pool_2}, and DomTune changes no CPU pool").format(
                    row=view.io.row.name, pool=view.io.pool, row_2=seen.row.name, pool_2=seen.pool
                ),
                _("Choose a guest in {pool}, or measure the original settings.").format(pool=view.io.pool),
            )


def _find_boot_obstacles(view: DomainView) -> Iterator[tuple[str, str]]:
    access = view.survey.access
    fixed = _PINNED_AT_BOOT.search(view.survey.info.get("xen_commandline", ""))
    if view.io.row.domid == 0 and fixed and access.version < _DOM0_MOVES:
        xen = ".".join(map(str, access.version))
        yield (
            _("Xen {xen} was booted with dom0_vcpus_pin, so before Xen 4.13 Domain-0 cannot be moved").format(xen=xen),
            _("Boot without dom0_vcpus_pin, or measure the original settings."),
        )


def _find_shown_obstacles(view: DomainView) -> Iterator[tuple[str, str]]:
    highest = max((cpu.number for cpu in view.survey.topology), default=0)
    if highest >= view.pcpus and view.survey.access.version < _GAPS:
        yield (
            _(
                "the numbers of the CPUs have gaps (up to {highest} for {pcpus} CPUs), and this "
                "toolstack shows affinity up to CPU {pcpus_2} only"
            ).format(highest=highest, pcpus=view.pcpus, pcpus_2=view.pcpus - 1),
            _("Measure the original settings, or boot with SMT on."),
        )
    unknown = [seen.row.name for seen in view.domains if not _has_placement(view, seen)]
    if unknown:
        yield (
            _("the toolstack does not show the CPUs of each vCPU of {unknown}").format(unknown=join_names(unknown)),
            _("Check the output of 'xl vcpu-list'."),
        )


def list_others(view: DomainView) -> list[DomainRow]:
    """Return the other guests that DomTune can move and restore.

    They are in the CPU pool of the sweep. Dom0 and the stub domains of the sweep's guests are excluded, since their
    work belongs to the sweep.
    """
    ours = {seen.row.domid for seen in view.domains}
    owners = {row.domid: find_stub_owner(row, view.survey.domains) for row in view.survey.domains}
    return [
        row
        for row in view.survey.domains
        if row.domid not in {0, *ours}
        and row.condition in {"", "paused"}
        and row.uuid not in {"", NO_UUID}
        and row.pool == view.io.row.pool
        and ((owner := owners[row.domid]) is None or owner.domid not in ours)
        and _shows_vcpus(view, row.domid)
    ]


def identify_others(view: DomainView) -> tuple[DomainIdentity, ...]:
    """Return the identities of the other guests that DomTune can move."""
    vcpus = Counter(row.domid for row in view.survey.vcpus)
    return tuple(DomainIdentity(row.name, row.uuid, row.domid, vcpus[row.domid]) for row in list_others(view))


def _has_placement(view: DomainView, seen: DomainSnapshot) -> bool:
    return _shows_vcpus(view, seen.row.domid)


def _shows_vcpus(view: DomainView, domid: int) -> bool:
    rows = [row for row in view.survey.vcpus if row.domid == domid]
    masks = [row.hard for row in rows]
    return bool(rows) and all(is_everywhere(mask) or parse_cpu_list(mask) for mask in masks)
