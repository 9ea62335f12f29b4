"""Tables of further figures of loads: a row per figure, a column per split."""

from collections.abc import Sequence

import msgspec

from scheduler.model.number_texts import format_count, format_four_digits
from scheduler.model.results import MeasuredPoint
from scheduler.model.studies import Setting


class FiguresRow(msgspec.Struct, frozen=True):
    """One figure at each split.

    Attributes:
        name: Name of the figure.
        unit: Unit of the figure; empty for a plain number.
        values: One per split of the table; None where the figure was not measured.
    """

    name: str
    unit: str
    values: tuple[float | None, ...]


class FiguresTable(msgspec.Struct, frozen=True):
    """The further figures of one load.

    Attributes:
        load: Load kind.
        settings: The settings; None for the original settings.
        rows: One per figure.
    """

    load: str
    settings: tuple[Setting | None, ...]
    rows: tuple[FiguresRow, ...]


def build_figures_tables(points: Sequence[MeasuredPoint]) -> tuple[FiguresTable, ...]:
    """Return a table for each load that has further figures, in the order of points."""
    loads = dict.fromkeys(point.load for point in points if point.figures)
    return tuple(
        _build_table(load, [point for point in points if point.load == load and point.figures]) for load in loads
    )


def _build_table(load: str, points: Sequence[MeasuredPoint]) -> FiguresTable:
    found = [{(figure.name, figure.unit): figure.value for figure in point.figures} for point in points]
    named = dict.fromkeys((figure.name, figure.unit) for point in points for figure in point.figures)
    rows = (FiguresRow(name, unit, tuple(values.get((name, unit)) for values in found)) for name, unit in named)
    return FiguresTable(load, tuple(point.setting for point in points), tuple(rows))


def value_text(value: float | None, unit: str) -> str:
    """Return a figure as text for a table.

    The text has four significant digits, or all digits of a whole number; a dash for None.

    Args:
        value: The figure, in its unit; None where it was not measured.
        unit: Unit of the figure; whole numbers without a unit or in bytes keep all digits.
    """
    if value is None:
        return "\N{EN DASH}"
    if unit in {"", "bytes"} and value == int(value):
        return format_count(value)
    return format_four_digits(value)
