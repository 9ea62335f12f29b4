"""Charts as values, which report and window draw in the same way.

A study declares each of its charts once. Positions and values are in the units that the axes name. A percent axis has
values from 0 to 100. Texts are plain.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from scheduler.model.estimate import Estimate
from scheduler.model.load_kinds import find_load_kind
from scheduler.model.load_looks import (
    AUBERGINE,
    BLUE,
    CIRCLE,
    CROSS,
    PURPLE,
    SQUARE,
    STAR,
    UNKNOWN_MARKER,
    VERMILION,
    LoadColour,
    LoadMarker,
)
from scheduler.model.load_name import LoadName

SERIES_LOOKS = ((CIRCLE, BLUE), (SQUARE, VERMILION), (STAR, PURPLE), (CROSS, AUBERGINE))
"""Marker and colour of series that are not loads, in order; repeated from the first."""

CUT_FACTOR = 1.5
"""Multiple of the largest value at which whiskers end, so that a wide interval does not flatten all others. Chosen."""

_SERIES_FRAC = 0.56  # of a column's width, for the marks of all series


class AxisTick(NamedTuple):
    """One labelled position of an axis; a strong label is emphasised."""

    position: float
    tick: str
    strong: bool = False


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """One axis.

    Attributes:
        title: Its quantity with the unit.
        ticks: Labelled positions; empty for round numbers.
        ends: First and last position that is drawn; None for all values, 0 included.
    """

    title: str
    ticks: tuple[AxisTick, ...] = ()
    ends: tuple[float, float] | None = None


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """Marks of one look.

    Attributes:
        name: Name in the legend.
        marker: Shape of its marks.
        colour: Colour of its marks and lines.
        pale: True for a load of a mix: its marks are hollow and its line is dashed.
        joined: True to join its marks by a line.
        dash: Pattern of that line, 0 (solid) to 3.
    """

    name: str
    marker: LoadMarker
    colour: LoadColour
    pale: bool = False
    joined: bool = False
    dash: int = 0


class Mark(NamedTuple):
    """One figure with its interval.

    Attributes:
        x: Position.
        y: Figure and interval.
        series: Index of its series in `Chart.series`.
        tip: Lines of the tooltip; the first line is the mark's name.
        hollow: True where the figure is below the noise.
        label: Text next to the mark; may be empty.
    """

    x: float
    y: Estimate
    series: int
    tip: tuple[str, ...]
    hollow: bool = False
    label: str = ""


class Line(NamedTuple):
    """A reference line through points; a named line is in the legend."""

    points: tuple[tuple[float, float], ...]
    name: str = ""


class Band(NamedTuple):
    """An interval of positions, drawn as a bar above the marks.

    Attributes:
        low: First position.
        high: Last position; None where the end is not known.
        label: Text next to the bar.
        series: Index of the series whose colour the bar has.
        decided: False where the answer is only a part of the interval.
    """

    low: float
    high: float | None
    label: str
    series: int = 0
    decided: bool = True


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """One chart.

    Attributes:
        title: Heading, and the chart's name for screen readers.
        x: Horizontal axis.
        y: Vertical axis.
        series: Looks of the marks, in the order of the legend.
        marks: All figures.
        lines: Reference lines.
        bands: Intervals of positions.
        whiskers: Meaning of the whiskers; empty where no mark has any.
        hollow: Meaning of hollow marks; empty where no mark is hollow by its value.
        notes: Further remarks of the legend.
        leads: True to replace the plot of rates on the result page.
        view: Name of an alternative view of the chart before it, as on its button; empty for a chart of its own.
    """

    title: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    marks: tuple[Mark, ...]
    lines: tuple[Line, ...] = ()
    bands: tuple[Band, ...] = ()
    whiskers: str
    hollow: str = ""
    notes: tuple[str, ...] = ()
    leads: bool = False
    view: str = ""

    @property
    def values_cut(self) -> tuple[float, float]:
        """Lowest and highest value at which whiskers are cut."""
        limit = CUT_FACTOR * max((abs(mark.y.value) for mark in self.marks), default=1.0)
        return -limit, limit

    @property
    def values_range(self) -> tuple[float, float]:
        """Lowest and highest value that is drawn, 0 included.

        Whiskers count up to the value at which they are cut.
        """
        low_cut, high_cut = self.values_cut
        values = [y for line in self.lines for _, y in line.points]
        for mark in self.marks:
            values += [min(max(end, low_cut), high_cut) for end in (mark.y.value, *(mark.y.ends or ()))]
        return min(0.0, *values, 0.0), max(0.0, *values, 0.0)


def load_look(load: str) -> tuple[LoadMarker, LoadColour, bool]:
    """Return marker and colour of a load, and True for a load of a mix."""
    kind = find_load_kind(load)
    return (UNKNOWN_MARKER, BLUE, False) if kind is None else (kind.marker, kind.colour, bool(LoadName.of(load).mix))


def load_series(load: str, name: str, *, joined: bool = True, dash: int = 0) -> Series:
    """Return the series of a load in its own look.

    Args:
        load: Load kind, possibly of a mix.
        name: Name in the legend.
        joined: True to join its marks by a line.
        dash: Pattern of that line, 0 to 3.
    """
    marker, colour, pale = load_look(load)
    return Series(name=name, marker=marker, colour=colour, pale=pale, joined=joined, dash=dash)


def plain_series(names: Iterable[str]) -> tuple[Series, ...]:
    """Return one series per name, each in another look."""
    looks = SERIES_LOOKS
    return tuple(
        Series(name=name, marker=looks[at % len(looks)][0], colour=looks[at % len(looks)][1])
        for at, name in enumerate(names)
    )


def column_axis(title: str, labels: Sequence[str], strong: Iterable[str] = ()) -> Axis:
    """Return an axis with one column per label, at 0, 1, 2 ...

    Args:
        title: Quantity of the axis.
        labels: Labels of the columns, in order.
        strong: Labels to emphasise.
    """
    emphasised = frozenset(strong)
    ticks = tuple(AxisTick(float(at), label, label in emphasised) for at, label in enumerate(labels))
    return Axis(title=title, ticks=ticks, ends=(-0.6, max(len(labels), 1) - 0.4))


def column_position(column: int, series: int, count: int) -> float:
    """Return the position of a mark in its column.

    Args:
        column: Number of the column, >= 0.
        series: Index of the mark's series, >= 0.
        count: Number of series, >= 1.
    """
    return column + _SERIES_FRAC / count * (series - (count - 1) / 2)


def horizontal_line(axis: Axis, value: float, name: str = "") -> Line:
    """Return a reference line over the whole width of an axis with ends.

    Args:
        axis: Horizontal axis.
        value: Value of the line on the vertical axis.
        name: Name in the legend; empty for none.
    """
    low, high = axis.ends or (0.0, 1.0)
    return Line(((low, value), (high, value)), name)
