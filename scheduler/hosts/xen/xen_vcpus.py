"""Online vCPUs of the guest: read from `xl vcpu-list`, set with `xl vcpu-set`.

The guest's kernel has to cooperate with `vcpu-set`.
"""

from scheduler.errors import ParameterRefused
from scheduler.hosts.xen.domain_view import DomainView
from scheduler.hosts.xen.xen_setup import XenSetup
from scheduler.hosts.xen.xl_tables import parse_vcpus
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.vcpus import VcpuParams, VcpuRange
from scheduler.toolstacks.command_words import Argv

PATIENCE_S, EVERY_S = 20.0, 0.2  # seconds; a guest's kernel takes a vCPU offline once its processes have left


def parse_online_vcpus(text: str, domid: int) -> VcpuParams | None:
    """Return a domain's number of online vCPUs; None for a domain without a row.

    Args:
        text: Output of `xl vcpu-list`.
        domid: Number of the domain.
    """
    rows = [row for row in parse_vcpus(text) if row.domid == domid]
    return VcpuParams(sum(row.online for row in rows)) if rows else None


def plan_vcpu_set(setup: XenSetup, number: int | str, params: SchedParams) -> list[Argv]:
    """Return the command that sets the guest's online vCPUs, as root types it.

    Args:
        setup: Setup of the open host.
        number: Number of the guest, or the guard's placeholder.
        params: The number of online vCPUs.

    Raises:
        ParameterRefused: The number is outside 1..maxvcpus, or the parameters are of another kind.
    """
    wanted, most = narrow_params(params, VcpuParams, "the number of a guest's vCPUs"), setup.guest.vcpus
    if not 1 <= wanted.online <= most:
        hint = f"{setup.guest.name} was created with maxvcpus = {most}; more need a new start with another."
        raise ParameterRefused(f"{setup.guest.name} cannot have {wanted.words}, only 1..{most}", hint=hint)
    return [setup.root_tool.call("vcpu-set", number, wanted.online)]


def vcpu_range(picture: DomainView) -> VcpuRange:
    """Return the range in which the guest's vCPUs can be changed and restored.

    The toolstack sets no more vCPUs online than the host has CPUs.
    """
    name, online, all_of_it = picture.guest.row.name, picture.guest.online, picture.guest.all
    if online > picture.pcpus:
        why = f"{online} vCPUs of {name} are online on {picture.pcpus} CPUs: the toolstack would not give them back"
        return VcpuRange(online, 0, why=why, hint=f"Start {name} with {picture.pcpus} vCPUs at most.")
    if all_of_it <= picture.pcpus:
        why = f"{name} was created with maxvcpus = {all_of_it}"
        return VcpuRange(online, all_of_it, why=why, hint=f"Start {name} with a larger maxvcpus.")
    why = f"this host has {picture.pcpus} CPU{'' if picture.pcpus == 1 else 's'}"
    return VcpuRange(online, picture.pcpus, why=why, hint="Take a host with more CPUs.")
