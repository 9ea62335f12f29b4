"""Online vCPUs of the guest, and the range for changes at run time."""

from scheduler.errors import ParameterRefused
from scheduler.hosts.libvirt.worker_answers import DomainDescription, VcpuCounts
from scheduler.model.params_narrowing import narrow_params
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.vcpus import VcpuParams, VcpuRange
from scheduler.translation import _

_TYPES = {"QEMU": "QEMU", "TEST": _("libvirt's test driver")}  # drivers that can plug vCPUs


def require_vcpu_count(params: SchedParams, sized: VcpuCounts) -> int:
    """Return the number of vCPUs in parameters; raise ParameterRefused.

    Args:
        params: The number of online vCPUs.
        sized: Present number and limits.
    """
    online = narrow_params(params, VcpuParams, _("the number of a guest's vCPUs")).online
    if not sized.least <= online <= sized.most:
        hint = _("Those that it was started with stay; more need a larger maximum in its configuration.")
        raise ParameterRefused(
            _("the guest cannot have {online} vCPUs, only {least}..{most}").format(
                online=online, least=sized.least, most=sized.most
            ),
            hint=hint,
        )
    return online


def vcpu_range(kind: str, guest: DomainDescription, sized: VcpuCounts) -> VcpuRange:
    """Return the range in which the guest's vCPUs can be changed and restored.

    Args:
        kind: libvirt's name of the driver.
        guest: The guest.
        sized: Present number and limits.
    """
    if kind not in _TYPES or not sized.most:
        why = _("libvirt's driver for {kind} cannot change the number of a running domain's vCPUs").format(kind=kind)
        return VcpuRange(sized.online or guest.vcpus, why=why)
    why = _("{guest} was started with {most} vCPUs at most").format(guest=guest.name, most=sized.most)
    if sized.least == sized.most:
        why = _("all {most} vCPUs of {guest} are present from its start and cannot be unplugged").format(
            most=sized.most, guest=guest.name
        )
    hint = _("Restart {guest} with spare vCPUs in its configuration: <vcpu current='1'>8</vcpu>.").format(
        guest=guest.name
    )
    return VcpuRange(sized.online, sized.most, least=sized.least, why=why, hint=hint)
