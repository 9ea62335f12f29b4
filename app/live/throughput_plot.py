"""Throughput over time: one curve per load, settling faint and shaded, stalls marked."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.live.axes import RateAxis
from app.live.board import Board, Span
from app.live.legend import Entry
from app.live.pens import line
from app.live.phrases import load_name
from app.live.series import Floats
from app.live.thin import thin
from app.live.time_plot import TimePlot, nearest, visible
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.series_style import load_style
from app.words import full


class ThroughputPlot(TimePlot):
    """Tuples per second, one curve per load; what settles is faint, and shaded."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, RateAxis(), strip=True)
        self.setAccessibleName(self.tr("Throughput over time"))
        self.canvas.setLabel("left", self.tr("tuples/s"))
        self._shade = _Shade(theme)
        self.canvas.addItem(self._shade, ignoreBounds=True)
        self._stalls = pg.ScatterPlotItem(symbol="t", size=9)
        self.canvas.addItem(self._stalls, ignoreBounds=True)
        self._thin_pens = False
        self.counted: dict[str, pg.PlotCurveItem] = {}
        self._settling: dict[str, pg.PlotCurveItem] = {}
        self.restyle(theme.palette)

    def draw(self, board: Board, start_s: float) -> None:
        """Draw the curves; settling is drawn only where single seconds can be seen."""
        close = self.is_close(board)
        if self._thin_pens is close:
            self._thin_pens = not close
            self.restyle(self.theme.palette)
        top_tps = 1.0
        stalls: list[float] = []
        for kind, series in board.loads.items():
            self._prepare(kind)
            first = series.since(start_s)
            t_s, tps = series.column("t_s", first), series.column("tps", first)
            settling = series.column("settling", first) > 0
            self.counted[kind].setData(*thin(t_s[~settling], tps[~settling]), connect="finite")
            shown = settling if close else np.zeros_like(settling)
            self._settling[kind].setData(*_joined(t_s, tps, shown), connect="finite")
            top_tps = max(top_tps, float(tps.max(initial=0.0)))
            stalls += list(t_s[~settling & (tps <= 0.0)]) if close else []
        self._stalls.setData(stalls, [top_tps * 0.02] * len(stalls))
        self._shade.show_spans(visible(board.spans, start_s) if close else [], board.now_s, top_tps * 1.1)
        self.canvas.setYRange(0.0, top_tps * 1.1, padding=0)

    def figures_at(self, board: Board, t_s: float) -> list[str]:
        """Return each load's throughput in that second."""
        found: list[str] = []
        for kind, series in board.loads.items():
            row = nearest(series, t_s)
            if row is not None:
                (tps,), (settling,) = series.column("tps", row)[:1], series.column("settling", row)[:1]
                note = f" ({self.tr('settling')})" if settling else ""
                found.append(f"{load_name(kind)} {full(float(tps))} {self.tr('tuples/s')}{note}")
        return found

    def legend(self, palette: Palette) -> list[Entry]:
        """Return the loads, and what is shaded."""
        lines = [Entry("line", load_style(kind, palette).colour, load_name(kind)) for kind in self.counted]
        return [*lines, Entry("block", palette.line, self.tr("settling"))]

    def restyle(self, palette: Palette) -> None:
        """Put on the colours of a palette."""
        super().restyle(palette)
        self._stalls.setBrush(pg.mkBrush(palette.danger))
        self._stalls.setPen(pg.mkPen(None))
        for kind, curve in self.counted.items():
            colour = QColor(load_style(kind, palette).colour)
            # A thousand points up and down: Qt strokes a pen of one device pixel in 1.5 ms, a wider one in 76 ms.
            curve.setPen(line(colour) if not self._thin_pens else pg.mkPen(colour, width=1))
            colour.setAlphaF(0.45)
            self._settling[kind].setPen(line(colour, 1, Qt.PenStyle.DotLine))
        self._shade.update()

    def _prepare(self, kind: str) -> None:
        if kind in self.counted:
            return
        self.counted[kind], self._settling[kind] = pg.PlotCurveItem(), pg.PlotCurveItem()
        for curve in (self._settling[kind], self.counted[kind]):
            self.canvas.addItem(curve, ignoreBounds=True)
        self.restyle(self.theme.palette)


class _Shade(pg.GraphicsObject):
    """Grey behind every second that does not count."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._boxes: list[QRectF] = []
        self._all = QRectF()
        self.setZValue(-10)

    def show_spans(self, spans: list[Span], now_s: float, top: float) -> None:
        """Shade the settling of these visits, up to `top`."""
        ends = [min(span.settled_s, span.ended_s or now_s) for span in spans]
        self.prepareGeometryChange()
        self._boxes = [QRectF(s.began_s, 0.0, end - s.began_s, top) for s, end in zip(spans, ends, strict=True)]
        self._all = self._boxes[0].united(self._boxes[-1]) if self._boxes else QRectF()
        self.update()

    def boundingRect(self) -> QRectF:
        """Return the area that may be painted."""
        return self._all

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Fill the boxes."""
        del option, widget
        colour = QColor(self._theme.palette.line)
        colour.setAlphaF(0.55)
        for box in self._boxes:
            painter.fillRect(box, colour)


def _joined(t_s: Floats, tps: Floats, settling: np.ndarray) -> tuple[Floats, Floats]:
    """Return the settling seconds, each run of them reaching to the first second that counts."""
    shown = settling.copy()
    shown[1:] |= settling[:-1]
    return thin(t_s[shown], tps[shown])
