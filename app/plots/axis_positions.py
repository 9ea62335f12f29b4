"""Positions of settings on the lower axis of a plot, and the range of that axis."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scheduler.model.setting import first_loaded_guest, split_of
from scheduler.model.studies import Setting


class AxisColumn(NamedTuple):
    """Setting on an axis with evenly spaced columns.

    Such settings have an order, but no numeric distance.
    """

    label: str
    position: float
    tick: str


OnAxis = Setting | AxisColumn


def place_settings(settings: Sequence[Setting]) -> Sequence[OnAxis]:
    """Return settings with their axis positions.

    Settings of a comparison of guests become evenly spaced columns in their order.
    """
    if not any(first_loaded_guest(setting) for setting in settings):
        return settings
    ordered = sorted(settings, key=lambda setting: setting.position)
    splits = {split.label for split in map(split_of, ordered) if split is not None}
    known = f"{splits.pop()} " if len(splits) == 1 else ""  # labels omit a split that all columns share
    return [AxisColumn(each.label, float(place), each.tick.removeprefix(known)) for place, each in enumerate(ordered)]


def axis_position(setting: Setting, among: Sequence[OnAxis]) -> float:
    """Return the axis position of a setting.

    Args:
        setting: Setting to place.
        among: Settings of the axis.
    """
    columns = (each.position for each in among if isinstance(each, AxisColumn) and each.label == setting.label)
    return next(columns, setting.position)


def add_found_settings(settings: Sequence[OnAxis], found: Iterable[Setting | None]) -> list[OnAxis]:
    """Return the planned settings and those that the sweep added by itself.

    Args:
        settings: Settings of the plan.
        found: Settings of the measured points; None for the original settings.
    """
    known = {setting.label: setting for setting in settings}
    added = {setting.label: setting for setting in found if setting is not None and setting.label not in known}
    return [*settings, *(added[label] for label in sorted(added))]


def axis_bounds(settings: Sequence[OnAxis], air_frac: float = 0.04) -> tuple[float, float]:
    """Return the range of a split axis with a margin at both ends.

    Args:
        settings: Settings of the axis.
        air_frac: Margin as a fraction of the range, >= 0. The margin is never less than half a column.
    """
    positions = sorted(setting.position for setting in settings) or [0.0]
    least = 0.5 if any(isinstance(setting, AxisColumn) for setting in settings) else 0.15
    air = max(least, air_frac * (positions[-1] - positions[0]))
    return positions[0] - air, positions[-1] + air
