"""Marks with 95 % intervals: one column per thing measured, in each column one mark per series."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor

from app.display_texts import typeset_text
from app.live.hover_plot import HoverPlot
from app.live.pens import make_pen
from app.live.plot_axes import FewLinesAxis, SplitTickAxis
from app.live.plot_legend import LegendEntry
from app.theme.theme import Theme
from app.theme.tokens import Palette

_LOOKS = (("o", "ir"), ("s", "third"), ("star", "fifth"), ("x", "seventh"))  # one per series, then again
_MARK_PX = 10
_SERIES_FRAC = 0.56  # of a column, for the marks of all series
_WIDEST = 1.5  # times the largest value; a whisker beyond is cut
_NEAR_PX = 16
_CUT_PX = 9
_AIR = 0.08


class MarkColumn(NamedTuple):
    """One thing measured, on the axis."""

    position: float
    tick: str


class PlotMark(NamedTuple):
    """One figure.

    Attributes:
        x: Where it stands, by `MarksPlot.place`.
        y: Its value.
        ends: Its interval; None without one.
        series: Which series it is of.
        told_apart: False where it is below the noise.
        words: Its figures as rich text.
    """

    x: float
    y: float
    ends: tuple[float, float] | None
    series: str
    told_apart: bool
    words: str


class MarksPlot(HoverPlot):
    """A mark is filled where it is told from noise and hollow where not; a dashed line is at nothing.

    Args:
        theme: Colours and fonts.
        name: What the plot shows, for screen readers.
    """

    def __init__(self, theme: Theme, name: str) -> None:
        self.columns_axis = SplitTickAxis(theme)
        self._columns: Sequence[MarkColumn] = ()
        self._series: Sequence[str] = ()
        self._items: list[pg.GraphicsObject] = []
        self.marks: Sequence[PlotMark] = ()
        self._ends = (-math.inf, math.inf)
        super().__init__(theme, "", {"bottom": self.columns_axis, "left": FewLinesAxis()})
        self.setAccessibleName(name)
        self._zero = pg.InfiniteLine(angle=0)
        self._zero.setZValue(-10)
        self.canvas.addItem(self._zero, ignoreBounds=True)
        self.restyle(theme.palette)

    def set_columns(self, ticks: Sequence[str], series: Sequence[str]) -> None:
        """Say what stands side by side; the marks come with `set_marks`."""
        self._columns = [MarkColumn(float(at), tick) for at, tick in enumerate(ticks)]
        self._series = series
        self.columns_axis.set_settings(self._columns)
        self.canvas.setXRange(-0.6, max(len(ticks), 1) - 0.4, padding=0)

    def place(self, column: int, series: str) -> float:
        """Return where a mark stands."""
        step = _SERIES_FRAC / max(len(self._series), 1)
        return column + step * (self._series.index(series) - (len(self._series) - 1) / 2)

    def set_marks(self, marks: Sequence[PlotMark]) -> None:
        """Draw these, on a scale that they fill."""
        self.marks = marks
        largest = _WIDEST * max((abs(mark.y) for mark in marks), default=1.0)
        self._ends = (-largest, largest)
        ends = [min(max(end, -largest), largest) for mark in marks for end in (mark.y, *(mark.ends or ()))]
        low, high = min(0.0, *ends, 0.0), max(0.0, *ends, 0.0)
        air = _AIR * ((high - low) or 1.0)
        self.canvas.setYRange(low - (air if low else 0.0), high + air, padding=0)
        self.settle()
        self.restyle(self.theme.palette)

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return the series' marks, what hollow ones are, and the whiskers."""
        tr = QCoreApplication.translate
        return [
            *(LegendEntry(*self._series_look(series, palette), typeset_text(series)) for series in self._series),
            LegendEntry("o", palette.dim, tr("marks_plot", "below the noise"), filled=False),
            LegendEntry("whisker", palette.dim, tr("marks_plot", "95 % interval over blocks")),
            *([LegendEntry("t1", palette.dim, tr("marks_plot", "goes on beyond the axis"))] if self._has_cuts else []),
        ]

    @property
    def _has_cuts(self) -> bool:
        low, high = self._ends
        return any(mark.ends is not None and not low <= mark.ends[0] <= mark.ends[1] <= high for mark in self.marks)

    def _series_look(self, series: str, palette: Palette) -> tuple[str, str]:
        symbol, role = _LOOKS[self._series.index(series) % len(_LOOKS)]
        return symbol, getattr(palette, role)

    def restyle(self, palette: Palette) -> None:
        """Draw everything in the colours of a palette: it is little."""
        super().restyle(palette)
        self._zero.setPen(make_pen(palette.dim, style=Qt.PenStyle.DashLine))
        for item in self._items:
            self.canvas.removeItem(item)
        self._items = []
        for series in self._series:
            there = [mark for mark in self.marks if mark.series == series]
            self._draw_series(there, *self._series_look(series, palette), palette)

    def _draw_series(self, there: Sequence[PlotMark], symbol: str, colour: str, palette: Palette) -> None:
        low, high = self._ends
        known = [(mark.x, end) for mark in there if mark.ends is not None for end in mark.ends]
        x, y = np.array(known).T if known else (np.array([]), np.array([]))
        cuts = [pg.ScatterPlotItem(x[y > high], np.full((y > high).sum(), high), symbol="t1", size=_CUT_PX)]
        cuts += [pg.ScatterPlotItem(x[y < low], np.full((y < low).sum(), low), symbol="t", size=_CUT_PX)]
        for cut in cuts:
            cut.setBrush(pg.mkBrush(colour))
            cut.setPen(make_pen(colour, 1))
        y = np.clip(y, low, high)
        marks = pg.ScatterPlotItem(
            [mark.x for mark in there],
            [mark.y for mark in there],
            symbol=symbol,
            size=_MARK_PX,
            brush=[pg.mkBrush(QColor(colour if mark.told_apart else palette.raised)) for mark in there],
            pen=make_pen(colour),
        )
        for item in (pg.PlotCurveItem(x, y, connect="pairs", pen=make_pen(colour)), *cuts, marks):
            self.canvas.addItem(item, ignoreBounds=True)
            self._items.append(item)

    def words_at(self, x: float, y: float) -> str:
        """Return the nearest mark's figures."""
        wide, high = self.view.viewPixelSize()
        far = [(math.hypot((mark.x - x) / wide, (mark.y - y) / high), at) for at, mark in enumerate(self.marks)]
        distance, at = min(far, default=(math.inf, 0))
        return self.marks[at].words if distance < _NEAR_PX else ""
