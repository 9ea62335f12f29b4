"""A plan's settings: what its study varies, from the keys that a plan file has for it."""

from collections.abc import Sequence

from scheduler.errors import SpecError
from scheduler.model.checks import check_range
from scheduler.model.guests import LoadedGuests
from scheduler.model.load import LoadSpec
from scheduler.model.setting import (
    DIRECT,
    GuestsSetting,
    Setting,
    SideSetting,
    UsersSetting,
    VcpusSetting,
    parse_split_setting,
)
from scheduler.model.spec import PAPER_SPLITS, RunSpec
from scheduler.model.split import Mode, parse_mode, parse_split
from scheduler.model.study_kind import StudyKind, list_doublings
from scheduler.model.vcpus import MOST_VCPUS

STANDARD_VCPUS = (1, 2, 4, 8)
"""The guest's vCPUs of a plan that names none; of them, those that the host has."""

STANDARD_CONFINED = ("1:1",)
"""The splits at which an overhead study confines the guest where its plan names none."""
STANDARD_THREE_SPLITS = ("4:1:1", "1:1:1")
"""Splits of a study of two guests that names none: the I/O domain has plenty, and it has as much as each guest."""


def build_settings(
    study: StudyKind,
    splits: Sequence[str] | None,
    loads: Sequence[LoadSpec],
    vcpus: Sequence[int] | None = None,
    modes: Sequence[str] | None = None,
    base: str = "",
) -> tuple[Setting, ...]:
    """Return the settings of a plan.

    Args:
        study: Its study.
        splits: The plan's splits; None where it names none.
        loads: Its loads; where users are varied, with the most of them.
        vcpus: The plan's numbers of the guest's vCPUs; None where it names none.
        modes: The plan's modes of a study of two guests; None where it names none.
        base: The plan's base; where vCPUs are varied, `direct` has each number measured there, too.

    Raises:
        SpecError: A split cannot be read, or a key means nothing in this study.
    """
    if study.factor == "vcpus":
        return _build_vcpus_settings(splits, STANDARD_VCPUS if vcpus is None else vcpus, compared=base == DIRECT)
    if vcpus is not None:
        raise SpecError("vcpus", f"means nothing in the study {study.name!r}", hint="Leave it out, or take scale-up.")
    if study.factor == "guests":
        return _build_guests_settings(
            STANDARD_THREE_SPLITS if splits is None else splits, tuple(Mode) if modes is None else modes
        )
    if modes is not None:
        hint = f"Write mode = {' or '.join(map(repr, map(str, Mode)))}; only isolation compares both."
        raise SpecError("modes", f"means nothing in the study {study.name!r}", hint=hint)
    if study.factor == "split":
        named = PAPER_SPLITS if splits is None else splits
        return tuple(parse_split_setting(text, f"splits[{i}]") for i, text in enumerate(named))
    if study.factor == "side":
        held = [
            parse_split(text, f"splits[{i}]") for i, text in enumerate(STANDARD_CONFINED if splits is None else splits)
        ]
        sides = SideSetting(base=True), SideSetting(base=False)
        return (*sides, *(SideSetting(base=False, split=split) for split in held))
    most = max((load.users for load in loads), default=1)
    if most < 2:
        hint = "Write users = 32, for example: so many are tried at most."
        raise SpecError("load.users", f"with at most {most} there is no number to find", hint=hint)
    held = [parse_split(text, f"splits[{i}]") for i, text in enumerate(splits or ())]
    return tuple(UsersSetting(users, split) for split in held or (None,) for users in list_doublings(1, most))


def _build_vcpus_settings(splits: Sequence[str] | None, vcpus: Sequence[int], *, compared: bool) -> tuple[Setting, ...]:
    if splits is not None:
        problem = "means nothing where vCPUs are varied: the schedulers' parameters stay as found"
        raise SpecError("splits", problem, hint="Leave it out.")
    if len(vcpus) < 2:
        raise SpecError("vcpus", "needs two numbers at least, to compare them", hint="Write vcpus = [1, 2, 4].")
    for number in vcpus:
        check_range("vcpus", number, (1, MOST_VCPUS))
    sides = (False, True) if compared else (False,)
    return tuple(VcpusSetting(number, base) for base in sides for number in sorted(vcpus))


def _build_guests_settings(splits: Sequence[str], modes: Sequence[str]) -> tuple[Setting, ...]:
    if not splits or not modes:
        which = "splits" if not splits else "modes"
        raise SpecError(which, "names none", hint="Leave it out, or name one at least.")
    held = [parse_split(text, f"splits[{i}]", count=3) for i, text in enumerate(splits)]
    compared = [parse_mode(text, f"modes[{i}]") for i, text in enumerate(modes)]
    return tuple(GuestsSetting(split, mode, loaded) for split in held for mode in compared for loaded in LoadedGuests)


def list_modes(spec: RunSpec) -> list[str] | None:
    """Return what a plan file has for `modes`; None where it has none."""
    return list(dict.fromkeys(each.mode for each in spec.settings if isinstance(each, GuestsSetting))) or None


def list_vcpus(spec: RunSpec) -> list[int] | None:
    """Return what a plan file has for `vcpus`; None where it has none."""
    sizes = [each for each in spec.settings if isinstance(each, VcpusSetting)]
    return [size.vcpus for size in sizes if not size.base] or None


def list_splits(spec: RunSpec) -> list[str] | None:
    """Return what a plan file has for `splits`; None where it has none, and none is what that means."""
    splits = [split.label for split in spec.splits]
    return splits or ([] if spec.kind.factor == "side" else None)
