"""Number of CPUs of the guest's group: checks, and plans as lines."""

from collections.abc import Iterable

from scheduler.errors import ParameterRefused
from scheduler.hosts.local.cgroup_paths import CgroupPaths
from scheduler.hosts.local.control_groups import ControlGroups
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import GUEST
from scheduler.model.vcpus import VcpuParams, VcpuRange

ONE_CPU = VcpuParams(1)
"""The guest's default: only the shared CPU."""


def vcpu_range(place: CgroupPaths) -> VcpuRange:
    """Return the range of CPUs for the guest's group."""
    most = len(place.cpus)
    why = f"DomTune may use {most} CPU{'' if most == 1 else 's'} of this computer"
    hint = "Take a computer with more, or let DomTune use more of this one's."
    return VcpuRange(1, most, place.cpus, why=why, hint=hint)


def validate_cpu_count(params: SchedParams | None, place: CgroupPaths) -> int:
    """Return the number of CPUs in parameters, 1 for None; raise ParameterRefused.

    Args:
        params: The number of CPUs; None for the default.
        place: Paths of the groups, with the available CPUs.
    """
    wanted, most = ONE_CPU if params is None else narrow_params(params, VcpuParams, "the guest's CPUs"), len(place.cpus)
    if not 1 <= wanted.online <= most:
        hint = "More CPUs than those are not left to DomTune on this computer."
        raise ParameterRefused(f"the guest cannot have {wanted.words}, only 1..{most}", hint=hint)
    return wanted.online


def plan_command_lines(groups: ControlGroups, wanted: int, pids: Iterable[int] | None) -> tuple[str, ...]:
    """Return the lines that change the guest's CPUs; touch nothing.

    Args:
        groups: The groups.
        wanted: Number of CPUs, >= 1.
        pids: The guest's processes; None while they are not in the group, which is then created.
    """
    now, groups.online = groups.online, wanted
    try:
        if pids is not None:
            return tuple(step.line for step in groups.enter(GUEST, pids))
        made = groups.make_and_set(GUEST, groups.read(GUEST) or groups.default)
        return (*(step.line for step in made), *groups.rehearse_enter(GUEST))
    finally:
        groups.online = now
