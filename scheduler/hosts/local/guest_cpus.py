"""Number of CPUs of the guest's group: range and checks."""

from scheduler.errors import ParameterRefused
from scheduler.hosts.local.cgroup_paths import CgroupPaths
from scheduler.model.number_texts import format_cpu_count
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.placement import CpuMask
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.vcpus import VcpuParams, VcpuRange
from scheduler.translation import _

ONE_CPU = VcpuParams(1)
"""The guest's default: only the shared CPU."""


def vcpu_range(place: CgroupPaths) -> VcpuRange:
    """Return the range of CPUs for the guest's group."""
    most = len(place.cpus)
    why = _("DomTune may use {most} of this computer").format(most=format_cpu_count(most))
    hint = _("Take a computer with more, or let DomTune use more of this one's.")
    return VcpuRange(1, most, place.cpus, why=why, hint=hint)


def count_to_mask(params: SchedParams | None, place: CgroupPaths) -> CpuMask:
    """Return the CPUs of a number of CPUs, ascending, the shared CPU among them.

    None gives the shared CPU alone. Raise ParameterRefused.

    Args:
        params: The number of CPUs; None for the default.
        place: Paths of the groups, with the available CPUs.
    """
    wanted, most = (
        ONE_CPU if params is None else narrow_params(params, VcpuParams, _("the guest's CPUs")),
        len(place.cpus),
    )
    if not 1 <= wanted.online <= most:
        hint = _("More CPUs than those are not left to DomTune on this computer.")
        raise ParameterRefused(
            _("the guest cannot have {words}, only 1..{most}").format(words=wanted.words, most=most), hint=hint
        )
    return tuple(sorted(place.cpus[: wanted.online]))
