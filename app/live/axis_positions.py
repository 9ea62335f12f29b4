"""Where settings stand on a plot's lower axis, and how far it goes."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scheduler.model.setting import Setting, first_loaded_guest, split_of


class AxisColumn(NamedTuple):
    """A setting that stands beside others of its kind in their order: no number says how far apart they are."""

    label: str
    position: float
    tick: str


OnAxis = Setting | AxisColumn


def place_settings(settings: Sequence[Setting]) -> Sequence[OnAxis]:
    """Return where settings stand: at their own positions, or, where guests share three ways, evenly in that order."""
    if not any(first_loaded_guest(setting) for setting in settings):
        return settings
    ordered = sorted(settings, key=lambda setting: setting.position)
    splits = {split.label for split in map(split_of, ordered) if split is not None}
    known = f"{splits.pop()} " if len(splits) == 1 else ""  # the only one: everybody knows it
    return [AxisColumn(each.label, float(place), each.tick.removeprefix(known)) for place, each in enumerate(ordered)]


def axis_position(setting: Setting, among: Sequence[OnAxis]) -> float:
    """Return where a setting stands beside others."""
    columns = (each.position for each in among if isinstance(each, AxisColumn) and each.label == setting.label)
    return next(columns, setting.position)


def add_found_settings(settings: Sequence[OnAxis], found: Iterable[Setting | None]) -> list[OnAxis]:
    """Return the plan's settings, then those of the found ones that a sweep came to by itself."""
    known = {setting.label for setting in settings}
    added = {setting.label: setting for setting in found if setting is not None and setting.label not in known}
    return [*settings, *(added[label] for label in sorted(added))]


def axis_bounds(settings: Sequence[OnAxis], air_frac: float = 0.04) -> tuple[float, float]:
    """Return the range of a split axis with air at both ends, `air_frac` of the whole each; half a column at least."""
    positions = sorted(setting.position for setting in settings) or [0.0]
    least = 0.5 if any(isinstance(setting, AxisColumn) for setting in settings) else 0.15
    air = max(least, air_frac * (positions[-1] - positions[0]))
    return positions[0] - air, positions[-1] + air
