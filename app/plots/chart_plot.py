"""Plot of a chart value: marks with whiskers, lines, reference lines and a legend."""

import html
import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.display_texts import typeset_text
from app.plots.hover_plot import HoverPlot
from app.plots.pens import make_pen
from app.plots.plot_axes import FewLinesAxis, SplitTickAxis
from app.plots.plot_legend import LegendEntry
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.series_style import plot_symbol
from scheduler.model.chart import Chart, Mark, Series
from scheduler.translation import _

_MARK_PX = 10
_NEAR_PX = 16
_CUT_PX = 9
_AIR = 0.08  # margin above and below, as a fraction of the range


class ChartPlot(HoverPlot):
    """Plot that shows one chart at a time; a mark below the noise is hollow.

    Args:
        theme: Colours and fonts.
    """

    def __init__(self, theme: Theme) -> None:
        self.ticks_axis = SplitTickAxis(theme)
        self.chart: Chart | None = None
        self._items: list[pg.GraphicsObject] = []
        super().__init__(theme, "", {"bottom": self.ticks_axis, "left": FewLinesAxis()})

    def show_chart(self, chart: Chart) -> None:
        """Draw a chart and scale the axes to its marks."""
        self.chart = chart
        self.setAccessibleName(typeset_text(chart.title))
        for side, axis in (("bottom", chart.x), ("left", chart.y)):
            self.canvas.setLabel(side, typeset_text(axis.title))
        self.ticks_axis.set_settings(chart.x.ticks)
        self.ticks_axis.highlight_labels([tick.tick for tick in chart.x.ticks if tick.strong])
        self.canvas.setXRange(*(chart.x.ends or (0.0, 1.0)), padding=0)
        low, high = chart.values_range
        air = _AIR * ((high - low) or 1.0)
        self.canvas.setYRange(low - (air if low else 0.0), high + air, padding=0)
        self.settle()
        self.restyle(self.theme.palette)

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return the series, the named lines, and the meaning of marks and whiskers."""
        chart = self.chart
        if chart is None:
            return []
        hollow = [LegendEntry("o", palette.dim, typeset_text(chart.hollow), filled=False)] if chart.hollow else []
        cut = [LegendEntry("t1", palette.dim, _("continues beyond the axis"))] if _has_cut_whisker(chart) else []
        return [
            *(
                LegendEntry(
                    plot_symbol(each.marker),
                    each.colour.shade(dark=palette.dark),
                    typeset_text(each.name),
                    filled=not each.pale,
                )
                for each in chart.series
            ),
            *(LegendEntry("dash", palette.dim, typeset_text(line.name)) for line in chart.lines if line.name),
            *hollow,
            *([LegendEntry("whisker", palette.dim, typeset_text(chart.whiskers))] if chart.whiskers else []),
            *cut,
        ]

    def restyle(self, palette: Palette) -> None:
        """Redraw the chart in the colours of a palette."""
        super().restyle(palette)
        for item in self._items:
            self.canvas.removeItem(item)
        self._items = []
        if self.chart is None:
            return
        dashed = make_pen(palette.dim, style=Qt.PenStyle.DashLine)
        for line in self.chart.lines:
            self._add_item(pg.PlotCurveItem(*np.array(line.points).T, pen=dashed))
        for at, series in enumerate(self.chart.series):
            self._draw_series([mark for mark in self.chart.marks if mark.series == at], series, palette)

    def words_at(self, x: float, y: float) -> str:
        """Return the values of the nearest mark.

        Args:
            x: Position on the lower axis.
            y: Position on the left axis.
        """
        marks = self.chart.marks if self.chart else ()
        wide, high = self.view.viewPixelSize()
        far = [(math.hypot((mark.x - x) / wide, (mark.y.value - y) / high), at) for at, mark in enumerate(marks)]
        distance, at = min(far, default=(math.inf, 0))
        return _tip_words(marks[at]) if distance < _NEAR_PX else ""

    def _draw_series(self, marks: Sequence[Mark], series: Series, palette: Palette) -> None:
        colour = series.colour.shade(dark=palette.dark)
        if series.joined:
            style = Qt.PenStyle.DashLine if series.pale or series.dash else Qt.PenStyle.SolidLine
            joined = sorted((mark.x, mark.y.value) for mark in marks)
            self._add_item(pg.PlotCurveItem(*np.array(joined).reshape(-1, 2).T, pen=make_pen(colour, style=style)))
        self._draw_whiskers(marks, colour)
        fills = [QColor(palette.raised if mark.hollow or series.pale else colour) for mark in marks]
        self._add_item(
            pg.ScatterPlotItem(
                [mark.x for mark in marks],
                [mark.y.value for mark in marks],
                symbol=plot_symbol(series.marker),
                size=_MARK_PX,
                brush=[pg.mkBrush(fill) for fill in fills],
                pen=make_pen(colour),
            )
        )

    def _draw_whiskers(self, marks: Sequence[Mark], colour: str) -> None:
        """Draw the intervals; mark an end beyond the axis with a triangle."""
        low, high = self.chart.values_cut if self.chart else (0.0, 0.0)
        ends = np.array([(mark.x, end) for mark in marks for end in mark.y.ends or ()]).reshape(-1, 2)
        x, y = ends.T
        self._add_item(pg.PlotCurveItem(x, np.clip(y, low, high), connect="pairs", pen=make_pen(colour)))
        for is_cut, edge, symbol in ((y > high, high, "t1"), (y < low, low, "t")):
            if is_cut.any():
                brush, pen = pg.mkBrush(colour), make_pen(colour, 1)
                heights = np.full(is_cut.sum(), edge)
                self._add_item(
                    pg.ScatterPlotItem(x[is_cut], heights, symbol=symbol, size=_CUT_PX, brush=brush, pen=pen)
                )

    def _add_item(self, item: pg.GraphicsObject) -> None:
        self.canvas.addItem(item, ignoreBounds=True)
        self._items.append(item)


def _has_cut_whisker(chart: Chart) -> bool:
    low, high = chart.values_cut
    return any(mark.y.ends and not low <= mark.y.ends[0] <= mark.y.ends[1] <= high for mark in chart.marks)


def _tip_words(mark: Mark) -> str:
    name, *lines = (html.escape(typeset_text(line), quote=False) for line in mark.tip)
    return "<br>".join((f"<b>{name}</b>", *lines))
