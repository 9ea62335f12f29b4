"""Keys of a plan file that hold its settings."""

from scheduler.model.setting import has_direct_route, mode_of, vcpus_of
from scheduler.model.spec import RunSpec


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
