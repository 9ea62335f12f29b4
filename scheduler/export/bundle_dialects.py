"""Parameters of a domain for the bundle's scripts.

Each domain has values in a fixed order, and commands that set the values.
"""

from scheduler.errors import SpecError
from scheduler.model.host_properties import DomainProperties
from scheduler.model.scheduler_params import (
    Credit2Params,
    CreditParams,
    LibvirtParams,
    RtdsParams,
    SchedParams,
    SedfParams,
)
from scheduler.toolstacks.command_words import format_command
from scheduler.toolstacks.grammar_lookup import find_grammar
from scheduler.toolstacks.virsh import NO_QUOTA, LibvirtCgroup, format_schedinfo, libvirt_values
from scheduler.toolstacks.xen_tool import Version, XenTool
from scheduler.translation import _

XEN_SCHEDULERS = ("credit", "credit2", "rtds", "sedf", "sedf-xm")
LIBVIRT_SCHEDULERS = ("qemu-v1", "qemu-v2", "lxc-v1", "lxc-v2", "qemu-emulator")
ScriptValues = tuple[str, ...]


def script_values(params: SchedParams) -> ScriptValues:
    """Return the parameters as numbers, in the order of the scripts.

    Raises:
        SpecError: No script sets such parameters.
    """
    match params:
        case CreditParams() | Credit2Params():
            return str(params.weight), str(params.cap_pct)
        case RtdsParams():
            return tuple(f"{vcpu.period_us}/{vcpu.budget_us}/{int(vcpu.extratime)}" for vcpu in params.vcpus)
        case SedfParams():
            times = (f"{time:.10g}" for time in (params.period_ms, params.slice_ms, params.latency_ms))
            return *times, str(int(params.extratime)), str(params.weight)
        case LibvirtParams():
            return tuple(str(value) for _, value in libvirt_values(params))
        case _:
            raise SpecError(
                "bundle",
                _("no script sets {words}").format(words=params.words),
                hint=_("Export the report or the plan instead."),
            )


def xen_commands(
    scheduler: str, version: Version, params: SchedParams, domain: DomainProperties, number: str
) -> list[str]:
    """Return the commands that set one domain's parameters, as in a sweep.

    Args:
        scheduler: Name of the scheduler in the host's properties.
        version: Version of Xen.
        params: Parameters of the domain.
        domain: The domain.
        number: Text in the place of the domain's number: `0`, or a placeholder.

    Raises:
        ParameterRefused: The host would not accept a value.
    """
    name = "xm" if scheduler == "sedf-xm" else "xl"
    vcpus = len(params.vcpus) if isinstance(params, RtdsParams) else max(domain.vcpus, domain.vcpus_all)
    steps = find_grammar(scheduler.removesuffix("-xm")).steps(XenTool((name,), name, version), number, params, vcpus)
    return [format_command(step) for step in steps]


def xl_config_lines(params: SchedParams) -> str:
    """Return lines for a domain's xl.cfg(5), or a comment for other schedulers.

    xl.cfg(5) has keys for credit and credit2 only.
    """
    if isinstance(params, CreditParams | Credit2Params):
        return f"cpu_weight = {params.weight}\ncap = {params.cap_pct}\n"
    return "# xl.cfg(5) documents no keys for this scheduler: run apply.sh after each start of the domain.\n"


def xe_command(uuid: str, params: SchedParams) -> str:
    """Return the command that stores weight and cap in XAPI.

    Args:
        uuid: UUID of the guest; empty for a placeholder.
        params: Parameters of credit or credit2.
    """
    weight, cap = script_values(params)
    return f"xe vm-param-set uuid={uuid or 'UUID'} VCPUs-params:weight={weight} VCPUs-params:cap={cap}"


def virsh_commands(uri: str, uuid: str, params: LibvirtParams) -> list[str]:
    """Return one virsh command per parameter.

    With several parameters in one call, libvirt keeps the first when it refuses a later one.

    Args:
        uri: Connection URI of libvirt.
        uuid: UUID of the domain; empty for a placeholder.
        params: Parameters of the domain.
    """
    return [format_schedinfo(uri, uuid or "UUID", LibvirtCgroup.flag, step) for step in libvirt_values(params)]


def cputune_element(params: tuple[LibvirtParams, ...]) -> str:
    """Return the `cputune` element for `virsh edit`, without a quota for no limit."""
    names = {"cpu_shares": "shares", "vcpu_period": "period", "vcpu_quota": "quota"}
    lines = [
        f"  <{names.get(name, name)}>{value}</{names.get(name, name)}>"
        for each in params
        for name, value in libvirt_values(each)
        if value != NO_QUOTA
    ]
    return "\n".join(["<cputune>", *lines, "</cputune>", ""])
