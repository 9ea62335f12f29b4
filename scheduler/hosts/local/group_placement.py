"""CPUs of the domains' groups: support, checks, and plans as lines."""

from collections.abc import Iterable, Mapping

from scheduler.errors import ParameterRefused
from scheduler.hosts.local.cgroup_paths import CgroupPaths
from scheduler.hosts.local.control_groups import ControlGroups
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.placement import PLACE_SLOTS, CpuMask, PlacementParams, PlacementSupport
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.split import DomainId
from scheduler.translation import _

PLACED_DOMAINS: Mapping[DomainId, DomainId] = {slot: domain for domain, slot in PLACE_SLOTS.items()}
"""Pseudo domain of a placement to its domain."""

ANY_CPU = PlacementParams(((),))
"""Placement of a group on every CPU that DomTune may use."""


def placement_support(place: CgroupPaths) -> PlacementSupport:
    """Return the CPUs on which the groups may be placed."""
    return PlacementSupport(possible=True, choices=tuple(sorted(place.cpus)), why="")


def resolve_mask(params: SchedParams, place: CgroupPaths) -> CpuMask:
    """Return the CPUs of a placement, ascending.

    Args:
        params: The placement: one mask for the group.
        place: Paths of the groups, with the available CPUs.

    Raises:
        ParameterRefused: The placement has more than one mask, or names a CPU that DomTune may not use.
    """
    wanted = narrow_params(params, PlacementParams, _("a control group's CPUs"))
    if len(wanted.vcpus) != 1 or any(wanted.soft) or wanted.emulator is not None or wanted.iothreads:
        raise ParameterRefused(
            _("a control group has one set of CPUs and nothing else ({words})").format(words=wanted.words),
            hint=_("Write one mask for the whole group."),
        )
    choices = tuple(sorted(place.cpus))
    mask = tuple(sorted(set(wanted.vcpus[0]))) or choices
    if strange := set(mask) - set(choices):
        raise ParameterRefused(
            _("a group cannot run on CPU {strange}: DomTune may use CPU {choices}").format(
                strange=format_cpu_list(strange), choices=format_cpu_list(choices)
            ),
            hint=_("Choose among those CPUs, or let DomTune use more of this computer."),
        )
    return mask


def plan_mask_lines(
    groups: ControlGroups, domain: DomainId, mask: CpuMask | None, pids: Iterable[int] | None
) -> tuple[str, ...]:
    """Return the lines that change a domain's CPUs; touch nothing.

    Args:
        groups: The groups.
        domain: The domain.
        mask: The CPUs, ascending; None for the default.
        pids: The domain's processes; None while they do not run.
    """
    cpus = mask or (groups.place.contended_cpu,)
    made = groups.make_and_set(domain, groups.read(domain) or groups.default)
    entered = (
        groups.rehearse_enter(domain, cpus)
        if pids is None
        else (step.line for step in groups.enter(domain, pids, cpus))
    )
    return (*(step.line for step in made), *entered)
