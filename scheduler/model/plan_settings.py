"""Settings of a plan, from the plan's keys and back."""

from collections.abc import Sequence

from scheduler.errors import SpecError
from scheduler.model.load import LoadSpec
from scheduler.model.setting import has_direct_route, mode_of, vcpus_of
from scheduler.model.spec import RunSpec
from scheduler.model.split import Mode
from scheduler.model.studies import Setting, Study
from scheduler.model.study_spec import SettingKeys


def build_settings(
    study: Study,
    splits: Sequence[str] | None,
    loads: Sequence[LoadSpec],
    vcpus: Sequence[int] | None = None,
    modes: Sequence[str] | None = None,
) -> tuple[Setting, ...]:
    """Return the settings of a plan.

    Args:
        study: Its study.
        splits: The plan's splits; None for the default.
        loads: Its loads; where users are varied, their numbers of users are the largest ones.
        vcpus: The plan's numbers of the guest's vCPUs; None for the default.
        modes: The plan's modes of an isolation study; None for the default.

    Raises:
        SpecError: A split cannot be read, or a key has no meaning in this study.
    """
    kind = study.kind
    if vcpus is not None and not kind.varies_vcpus:
        raise SpecError("vcpus", f"has no effect in the study {kind.name!r}", hint="Leave it out, or take scale-up.")
    if modes is not None and not kind.has_two_guests:
        hint = f"Write mode = {' or '.join(map(repr, map(str, Mode)))}; only isolation compares both."
        raise SpecError("modes", f"has no effect in the study {kind.name!r}", hint=hint)
    return tuple(study.build_settings(SettingKeys(splits, loads, vcpus, modes)))


def list_modes(spec: RunSpec) -> list[str] | None:
    """Return the key `modes` of a plan file; None where the plan has no such key."""
    return list(dict.fromkeys(mode for each in spec.settings if (mode := mode_of(each, None)))) or None


def list_vcpus(spec: RunSpec) -> list[int] | None:
    """Return the key `vcpus` of a plan file; None where the plan has no such key."""
    own = (vcpus_of(each) for each in spec.settings if not has_direct_route(each))
    return [number for number in own if number] or None


def list_splits(spec: RunSpec) -> list[str] | None:
    """Return the key `splits` of a plan file; None where the default means the same."""
    if spec.kind.mode is not None:
        return None
    splits = [split.label for split in spec.splits]
    return splits or ([] if spec.kind.compares_sides else None)
