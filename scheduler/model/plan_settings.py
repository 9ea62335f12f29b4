"""Settings of a plan: the values of the swept factor, from the plan's keys."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from scheduler.errors import SpecError
from scheduler.model.checks import check_range
from scheduler.model.guests import LoadedGuests
from scheduler.model.load import LoadSpec
from scheduler.model.setting import (
    DIRECT,
    GuestsSetting,
    Setting,
    SideSetting,
    SplitSetting,
    UsersSetting,
    VcpusSetting,
    has_direct_route,
    mode_of,
    vcpus_of,
)
from scheduler.model.spec import PAPER_SPLITS, RunSpec
from scheduler.model.split import TIME_MODES, Mode, Split, parse_mode, parse_split
from scheduler.model.study_kind import StudyKind, list_doublings
from scheduler.model.vcpus import MOST_VCPUS

STANDARD_VCPUS = (1, 2, 4, 8)
"""Default numbers of the guest's vCPUs; only those that the host has are measured."""

STANDARD_CONFINED = ("1:1",)
"""Default splits of an overhead study."""
STANDARD_THREE_SPLITS = ("4:1:1", "1:1:1")
"""Default splits of an isolation study: much CPU for the I/O domain, and as much as for each guest."""


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
        splits: The plan's splits; None for the default.
        loads: Its loads; where users are varied, their numbers of users are the largest ones.
        vcpus: The plan's numbers of the guest's vCPUs; None for the default.
        modes: The plan's modes of an isolation study; None for the default.
        base: The plan's reference; where vCPUs are varied, `direct` adds each number for the reference.

    Raises:
        SpecError: A split cannot be read, or a key has no meaning in this study.
    """
    if vcpus is not None and not study.varies_vcpus:
        raise SpecError("vcpus", f"means nothing in the study {study.name!r}", hint="Leave it out, or take scale-up.")
    if modes is not None and not study.has_two_guests:
        hint = f"Write mode = {' or '.join(map(repr, map(str, Mode)))}; only isolation compares both."
        raise SpecError("modes", f"means nothing in the study {study.name!r}", hint=hint)
    return _BUILDERS[study.factor](_SettingKeys(splits, loads, vcpus, modes, base))


class _SettingKeys(NamedTuple):
    splits: Sequence[str] | None
    loads: Sequence[LoadSpec]
    vcpus: Sequence[int] | None
    modes: Sequence[str] | None
    base: str

    def read_splits(self, standard: Sequence[str], count: int = 2) -> list[Split]:
        named = standard if self.splits is None else self.splits
        return [parse_split(text, f"splits[{i}]", count=count) for i, text in enumerate(named)]


def _build_splits(keys: _SettingKeys) -> tuple[Setting, ...]:
    return tuple(map(SplitSetting, keys.read_splits(PAPER_SPLITS)))


def _build_sides(keys: _SettingKeys) -> tuple[Setting, ...]:
    confined = (SideSetting(base=False, split=split) for split in keys.read_splits(STANDARD_CONFINED))
    return (SideSetting(base=True), SideSetting(base=False), *confined)


def _build_users(keys: _SettingKeys) -> tuple[Setting, ...]:
    most = max((load.users for load in keys.loads), default=1)
    if most < 2:
        hint = "Write users = 32, for example: so many are tried at most."
        raise SpecError("load.users", f"with at most {most} there is no number to find", hint=hint)
    splits = keys.read_splits(()) or (None,)
    return tuple(UsersSetting(users, split) for split in splits for users in list_doublings(1, most))


def _build_vcpus(keys: _SettingKeys) -> tuple[Setting, ...]:
    vcpus = STANDARD_VCPUS if keys.vcpus is None else keys.vcpus
    if keys.splits is not None:
        problem = "means nothing where vCPUs are varied: the schedulers' parameters stay as found"
        raise SpecError("splits", problem, hint="Leave it out.")
    if len(vcpus) < 2:
        raise SpecError("vcpus", "needs two numbers at least, to compare them", hint="Write vcpus = [1, 2, 4].")
    for number in vcpus:
        check_range("vcpus", number, (1, MOST_VCPUS))
    sides = (False, True) if keys.base == DIRECT else (False,)
    return tuple(VcpusSetting(number, base) for base in sides for number in sorted(vcpus))


def _build_guests(keys: _SettingKeys) -> tuple[Setting, ...]:
    modes = TIME_MODES if keys.modes is None else keys.modes
    splits = keys.read_splits(STANDARD_THREE_SPLITS, count=3)
    if not splits or not modes:
        which = "splits" if not splits else "modes"
        raise SpecError(which, "names none", hint="Leave it out, or name one at least.")
    compared = [parse_mode(text, f"modes[{i}]") for i, text in enumerate(modes)]
    return tuple(GuestsSetting(split, mode, loaded) for split in splits for mode in compared for loaded in LoadedGuests)


_BUILDERS: Mapping[str, Callable[[_SettingKeys], tuple[Setting, ...]]] = {
    "split": _build_splits,
    "users": _build_users,
    "side": _build_sides,
    "vcpus": _build_vcpus,
    "guests": _build_guests,
}
"""Factor of a study to the function that builds its settings."""


def list_modes(spec: RunSpec) -> list[str] | None:
    """Return the key `modes` of a plan file; None where the plan has no such key."""
    return list(dict.fromkeys(mode for each in spec.settings if (mode := mode_of(each, None)))) or None


def list_vcpus(spec: RunSpec) -> list[int] | None:
    """Return the key `vcpus` of a plan file; None where the plan has no such key."""
    own = (vcpus_of(each) for each in spec.settings if not has_direct_route(each))
    return [number for number in own if number] or None


def list_splits(spec: RunSpec) -> list[str] | None:
    """Return the key `splits` of a plan file; None where the default means the same."""
    splits = [split.label for split in spec.splits]
    return splits or ([] if spec.kind.compares_sides else None)
