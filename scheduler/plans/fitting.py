"""A plan as its host will have it carried out: of the numbers of vCPUs that it names, those that the host has."""

import msgspec

from scheduler.errors import SpecError
from scheduler.model.facts import HostFacts
from scheduler.model.setting import Setting, VcpusSetting
from scheduler.model.spec import RunSpec


def fitted(spec: RunSpec, facts: HostFacts) -> RunSpec:
    """Return the plan with as many vCPUs as the host has; any other study as it is.

    Raises:
        SpecError: The host cannot change their number, or has fewer than two of the plan's.
    """
    if spec.kind.factor != "vcpus":
        return spec
    why, hint = facts.lacks(spec.kind.factor)
    if why:
        raise SpecError("study", f"{spec.study!r} cannot be carried out on {facts.title}: {why}", hint=hint)
    had = facts.vcpus.kept([*dict.fromkeys(map(vcpus_in, spec.settings))])  # a base is at the same numbers
    kept = tuple(setting for setting in spec.settings if vcpus_in(setting) in had)
    return msgspec.structs.replace(spec, settings=kept)


def vcpus_in(setting: Setting) -> int:
    """Return the number of vCPUs that a setting asks for; 0 where it leaves that as found."""
    return setting.vcpus if isinstance(setting, VcpusSetting) else 0
