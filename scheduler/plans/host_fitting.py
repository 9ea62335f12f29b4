"""A plan as its host will have it carried out: of the numbers of vCPUs that it names, those that the host has."""

import msgspec

from scheduler.errors import SpecError
from scheduler.model.host_properties import HostProperties
from scheduler.model.setting import Setting, VcpusSetting
from scheduler.model.spec import RunSpec


def fit_to_host(spec: RunSpec, facts: HostProperties) -> RunSpec:
    """Return the plan with as many vCPUs as the host has; any other study as it is.

    Raises:
        SpecError: The host cannot change their number, or has fewer than two of the plan's.
    """
    if spec.kind.factor != "vcpus":
        return spec
    why, hint = facts.missing_reason(spec.kind.factor)
    if why:
        raise SpecError("study", f"{spec.study!r} cannot be carried out on {facts.title}: {why}", hint=hint)
    had = facts.vcpus.kept([*dict.fromkeys(map(requested_vcpus, spec.settings))])  # a base is at the same numbers
    kept = tuple(setting for setting in spec.settings if requested_vcpus(setting) in had)
    return msgspec.structs.replace(spec, settings=kept)


def requested_vcpus(setting: Setting) -> int:
    """Return the number of vCPUs that a setting asks for; 0 where it leaves that as found."""
    return setting.vcpus if isinstance(setting, VcpusSetting) else 0
