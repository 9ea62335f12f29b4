"""Drawing of a chart as SVG for the report.

A chart has axes, reference lines, bands, marks with whiskers, and a legend in lines.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from scheduler.export.svg_chart import LinearScale, SvgDrawing, axis_ticks
from scheduler.model.chart import Axis, AxisTick, Band, Chart, Mark, Series
from scheduler.model.number_texts import format_short
from scheduler.translation import _

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH, _PLOT_PX = 880.0, 300.0
_LEFT, _RIGHT, _BOTTOM = 58.0, 14.0, 46.0
_CHAR_PX = 6.8  # width of a character of the 12 px font
_ROW_PX, _BAND_PX = 18.0, 20.0
_LINE_KEY_PX = 42.0  # long enough to show a dash on both sides of a marker


class _LegendItem(NamedTuple):
    """Entry of the legend: its key (a series, `line`, or nothing), text and style."""

    key: Series | str
    words: str
    style: str
    width_px: float


class _Frame(NamedTuple):
    """Area of the marks: its scales, and its edges in pixels."""

    x: LinearScale
    y: LinearScale
    top: float
    floor: float


def chart_svg(chart: Chart) -> "Markup":
    """Return the drawing of a chart."""
    rows = list(_legend_rows(chart))
    bands_top = len(rows) * _ROW_PX + 8
    top = bands_top + _BAND_PX * len(chart.bands) + 6
    tick_rows = list(_tick_rows(chart.x))
    floor = top + _PLOT_PX
    height = floor + _BOTTOM + _ROW_PX * max((row for _, row in tick_rows), default=0)
    low, high = chart.values_range
    steps = axis_ticks(high * 1.02, low * 1.02)
    x = LinearScale(chart.x.ends or (0.0, 1.0), (_LEFT, _WIDTH - _RIGHT))
    frame = _Frame(x, LinearScale((min(steps[0], low), steps[-1]), (floor, top)), top, floor)
    drawing = SvgDrawing(_WIDTH, height, chart.title)
    for step in steps:
        drawing.line((_LEFT, frame.y(step)), (_WIDTH - _RIGHT, frame.y(step)), "grid")
        drawing.text((_LEFT - 8, frame.y(step) + 4), format_short(step), "tick", "end")
    for at, band in enumerate(chart.bands):
        _draw_band(drawing, band, chart.series[band.series], frame, bands_top + at * _BAND_PX)
    for tick, row in tick_rows:
        at = x(tick.position)
        drawing.line((at, floor), (at, floor + 5), "grid")
        drawing.text((at, floor + 18 + row * _ROW_PX), tick.tick, "mark" if tick.strong else "tick", "middle")
    drawing.text((_WIDTH / 2, height - 4), chart.x.title, "axis", "middle")
    for line in chart.lines:
        drawing.curve([(x(at), frame.y(value)) for at, value in line.points], "allotted")
    for at, series in enumerate(chart.series):
        _draw_series(drawing, chart, at, series, frame)
    _draw_legend(drawing, rows)
    return drawing.markup()


def _style_of(series: Series) -> str:
    return f"{series.colour.name} mixed" if series.pale else series.colour.name


def _draw_series(drawing: SvgDrawing, chart: Chart, at: int, series: Series, frame: _Frame) -> None:
    marks = sorted((mark for mark in chart.marks if mark.series == at), key=lambda mark: mark.x)
    if series.joined:
        points = [(frame.x(mark.x), frame.y(mark.y.value)) for mark in marks]
        drawing.curve(points, _line_style(series))
    for mark in marks:
        _draw_mark(drawing, mark, series, frame.x(mark.x), frame.y)


def _line_style(series: Series) -> str:
    dash = f" dash-{series.dash + 1}" if series.dash else ""
    return f"through{dash} {_style_of(series)}"


def _draw_mark(drawing: SvgDrawing, mark: Mark, series: Series, x: float, y: LinearScale) -> None:
    if mark.y.ends is not None:
        drawing.whisker(x, mark.y.ends, y, _style_of(series))
    place = (x, y(mark.y.value))
    drawing.marker(
        place, series.marker, f"{'predicted' if mark.hollow else 'dot'} {_style_of(series)}", _tip_text(mark)
    )
    if mark.label:
        left = min(x + 10, _WIDTH - _CHAR_PX * (len(mark.label) + 1))
        drawing.text((left, place[1] + (16 if left > x else 24)), mark.label, "tick")


def _tip_text(mark: Mark) -> str:
    return f"{mark.tip[0]}: {', '.join(mark.tip[1:])}" if len(mark.tip) > 1 else "".join(mark.tip)


def _draw_band(drawing: SvgDrawing, band: Band, series: Series, frame: _Frame, top: float) -> None:
    """Draw a bar with its label, and lines from its ends to the axis.

    An open bar reaches to the right edge.
    """
    left = frame.x(band.low)
    right = _WIDTH - _RIGHT if band.high is None else frame.x(band.high)
    kind = "open" if band.high is None else "known" if band.decided else "between"
    wide = _CHAR_PX * (len(band.label) + 1)
    size = (max(right - left, 0.0) + 4, _BAND_PX - 5)  # 4 px for a bar of one position
    drawing.bar((left - 2, top), size, f"band {kind} {_style_of(series)}", band.label)
    for edge in {left} if band.high is None else {left, right}:
        drawing.line((edge, top), (edge, frame.floor), "grid")
    is_right = right + 8 + wide < _WIDTH
    place = right + 8 if is_right else max(left - 8, wide)
    drawing.text((place, top + _BAND_PX - 8), band.label, "note", "start" if is_right else "end")


def _tick_rows(axis: Axis) -> Iterator[tuple[AxisTick, int]]:
    """Yield each tick with its row; a label takes another row to avoid an overlap."""
    low, high = axis.ends or (0.0, 1.0)
    x = LinearScale((low, high), (_LEFT, _WIDTH - _RIGHT))
    ends: list[float] = []
    for tick in axis.ticks:
        half = _CHAR_PX * (len(tick.tick) + 1) / 2
        start = x(tick.position) - half
        row = next((at for at, end in enumerate(ends) if start >= end), len(ends))
        ends[row : row + 1] = [start + 2 * half]
        yield tick, row


def _legend_items(chart: Chart) -> Iterator[tuple[Series | str, str, str]]:
    yield "", chart.y.title, "axis"
    for series in chart.series:
        yield series, series.name, "note"
    for line in chart.lines:
        if line.name:
            yield "line", line.name, "note"
    whiskers = _("whiskers: {whiskers}").format(whiskers=chart.whiskers) if chart.whiskers else ""
    remarks = (whiskers, _("hollow: {hollow}").format(hollow=chart.hollow) if chart.hollow else "", *chart.notes)
    yield "", "; ".join(filter(None, remarks)), "tick"


def _legend_rows(chart: Chart) -> Iterator[list[_LegendItem]]:
    """Yield the legend's lines, none wider than the drawing."""
    row: list[_LegendItem] = []
    for key, words, style in _legend_items(chart):
        item = _LegendItem(key, words, style, _key_px(key) + _CHAR_PX * len(words) + 18)
        if row and sum(each.width_px for each in row) + item.width_px > _WIDTH - 8:
            yield row
            row = []
        row.append(item)
    yield row


def _key_px(key: Series | str) -> float:
    if isinstance(key, Series):
        return _LINE_KEY_PX + 6 if key.joined else 15.0
    return _LINE_KEY_PX + 6 if key else 0.0


def _draw_legend(drawing: SvgDrawing, rows: list[list[_LegendItem]]) -> None:
    for number, row in enumerate(rows):
        left, y = 4.0, 10 + number * _ROW_PX
        for item in row:
            _draw_key(drawing, item.key, left, y)
            drawing.text((left + _key_px(item.key), y + 4), item.words, item.style)
            left += item.width_px


def _draw_key(drawing: SvgDrawing, key: Series | str, left: float, y: float) -> None:
    if isinstance(key, Series):
        if key.joined:
            drawing.curve([(left, y), (left + _LINE_KEY_PX, y)], _line_style(key))
        drawing.marker((left + (_LINE_KEY_PX / 2 if key.joined else 5), y), key.marker, f"dot {_style_of(key)}")
    elif key:
        drawing.curve([(left, y), (left + _LINE_KEY_PX, y)], "allotted")
