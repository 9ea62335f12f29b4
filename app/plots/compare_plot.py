"""Plot of one load's throughput per split, one curve per run."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.load_texts import unit_of_all
from app.plots.plot_axes import RateAxis
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.themed_plot import ThemedPlot
from scheduler.model.results import MeasuredPoint
from scheduler.translation import _

_PLOT_PX = 280
_MOST_WHISKER = 1.1  # of the highest mean; an arrow head marks an interval that continues above
_HUE_STEP = 137.508  # degrees, the golden angle: neighbouring curves get distant hues
_SHIFT = 0.015  # of the axis between the whiskers of two runs; chosen
_MOST_SHIFT = 0.15


class _RunCurve(NamedTuple):
    """Items of one run."""

    line: pg.PlotDataItem
    whiskers: pg.ErrorBarItem
    heads: pg.ScatterPlotItem
    label: pg.TextItem | None


class ComparePlot(ThemedPlot):
    """Throughput of runs over ln(I/O domain : guest).

    The base is solid and filled; the others are dashed and hollow. Each curve has the number of its run.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, "", {"left": RateAxis()})
        self.setMinimumHeight(_PLOT_PX)
        self.setAccessibleName(_("Throughput per split of all runs"))
        self.curves: list[_RunCurve] = []
        self._base = 0
        self._one_tps: dict[str, float] = {}
        self._most = 1.0
        view = self.item.getViewBox()
        view.setMouseEnabled(x=False, y=False)
        self.item.setLabel("bottom", _("Split, I/O domain : guest"))

    def show_runs(self, runs: Sequence[Sequence[MeasuredPoint]], base: int) -> None:
        """Draw other runs.

        Args:
            runs: Points of one load, for each run.
            base: Index of the base.
        """
        self.item.clear()
        known = [_known_points(points) for points in runs]
        together = [point for points in known for point in points]
        self._base, self._one_tps = base, _units_of_axis(together)
        self._most = _MOST_WHISKER * max((self._height(point, point.mean_tps) for point in together), default=1.0)
        self.curves = [self._draw_run(at, points, len(known)) for at, points in enumerate(known)]
        unit = _("Throughput ({unit})").format(unit=unit_of_all(together))
        self.item.setLabel("left", _("% of the best of its unit") if self._one_tps else unit)
        ticks = {_position_of(point): point.label for point in together}
        self.item.getAxis("bottom").setTicks([sorted(ticks.items())])
        self.item.getViewBox().setYRange(0, self._most * 1.02, padding=0)
        self.restyle(self.theme.palette)

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        super().restyle(palette)
        for at, curve in enumerate(getattr(self, "curves", ())):
            base, colour = at == self._base, self._colour_of(at, palette)
            style = Qt.PenStyle.SolidLine if base else Qt.PenStyle.DashLine
            curve.line.setPen(pg.mkPen(colour, width=3 if base else 1.5, style=style))
            curve.line.setSymbol("o")
            curve.line.setSymbolSize(9 if base else 7)
            curve.line.setSymbolPen(pg.mkPen(colour, width=2))
            curve.line.setSymbolBrush(colour if base else QColor(palette.raised))
            curve.whiskers.setData(pen=pg.mkPen(colour, width=1))
            curve.heads.setBrush(pg.mkBrush(colour))
            curve.heads.setPen(pg.mkPen(colour))
            if curve.label is not None:
                curve.label.setColor(colour)

    def _colour_of(self, at: int, palette: Palette) -> QColor:
        """Return the colour of a run; that of the base is the accent."""
        if at == self._base:
            return QColor(palette.accent)
        dark = QColor(palette.raised).lightness() < 128
        return QColor.fromHsl(round((20 + at * _HUE_STEP) % 360), 150, 165 if dark else 95)

    def _draw_run(self, at: int, points: Sequence[MeasuredPoint], count: int) -> _RunCurve:
        step = min(_SHIFT, 2 * _MOST_SHIFT / max(1, count))
        x = [_position_of(point) + (at - (count - 1) / 2) * step for point in points]
        y = [self._height(point, point.mean_tps) for point in points]
        line = self.item.plot(x, y)
        ends = [point.ci95_tps or (point.mean_tps or 0.0, point.mean_tps or 0.0) for point in points]
        lows = [self._height(point, max(0.0, low)) for point, (low, _) in zip(points, ends, strict=True)]
        highs = [self._height(point, high) for point, (_, high) in zip(points, ends, strict=True)]
        cut = [place for place, high in zip(x, highs, strict=True) if high > self._most]
        heads = pg.ScatterPlotItem(cut, [self._most] * len(cut), symbol="t1", size=9)
        middle, top = np.array(y), np.minimum(np.array(highs), self._most)
        whiskers = pg.ErrorBarItem(x=np.array(x), y=middle, top=top - middle, bottom=middle - np.array(lows), beam=0.02)
        self.item.addItem(whiskers, ignoreBounds=True)
        self.item.addItem(heads, ignoreBounds=True)
        label = None
        if x:
            label = pg.TextItem(str(at + 1), anchor=(-0.3, 1))
            place = len(x) - 1 - at % len(x)  # another split for each run, because the curves meet at the ends
            label.setPos(x[place], y[place])
            self.item.addItem(label)
        return _RunCurve(line, whiskers, heads, label)

    def _height(self, point: MeasuredPoint, tps: float | None) -> float:
        """Return the height of a rate on the axis: the rate, or % of the best of its unit."""
        return (tps or 0.0) / self._one_tps.get(unit_of_all([point]), 1.0)


def _known_points(points: Sequence[MeasuredPoint]) -> list[MeasuredPoint]:
    known = [point for point in points if point.setting is not None and point.mean_tps is not None]
    return sorted(known, key=_position_of)


def _units_of_axis(points: Sequence[MeasuredPoint]) -> dict[str, float]:
    """Return the throughput that is 1 % of the axis, by unit; empty for one unit.

    Two sweeps of the same command may count different things.
    """
    best: dict[str, float] = {}
    for point in points:
        unit = unit_of_all([point])
        best[unit] = max(best.get(unit, 1e-9), point.mean_tps or 0.0)
    return {unit: tps / 100 for unit, tps in best.items()} if len(best) > 1 else {}


def _position_of(point: MeasuredPoint) -> float:
    return point.setting.position if point.setting is not None else 0.0
