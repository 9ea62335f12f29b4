"""Throughput over time: one curve per load; excluded seconds are faint and shaded."""

from collections.abc import Mapping

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.display_texts import format_full
from app.load_texts import is_mixed, load_name, unit_of
from app.plots.curve_thinning import GAP_S, thin_curve
from app.plots.live_texts import second_kind_name
from app.plots.load_seconds import SecondKind
from app.plots.pens import make_pen
from app.plots.plot_axes import RateAxis
from app.plots.plot_legend import LegendEntry
from app.plots.run_board import RunBoard, TrialSpan
from app.plots.sample_series import Floats
from app.plots.time_plot import TimePlot, nearest_row, visible_spans
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.series_style import load_style
from scheduler.model.documents import SettlingCause
from scheduler.translation import _

_TICK_FRAC = 0.12  # length of a tick, times the highest rate; full-height lines would hide the curves


class ThroughputPlot(TimePlot):
    """Plot of rates over time with shades for warm-up and stalls.

    If the loads have different units, each curve shows percent of the load's highest rate.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, RateAxis(), strip=True)
        self.setAccessibleName(_("Throughput over time"))
        self.canvas.setLabel("left", unit_of(()))
        self._shade = _Shade(theme)
        self.canvas.addItem(self._shade, ignoreBounds=True)
        self._idle = pg.ScatterPlotItem(symbol="t", size=9)
        self.canvas.addItem(self._idle, ignoreBounds=True)
        self._thin_pens = False
        self._level = pg.PlotCurveItem(connect="pairs")
        self.canvas.addItem(self._level, ignoreBounds=True)
        self._rare: tuple[bool, bool] = (False, False)
        self.counted: dict[str, pg.PlotCurveItem] = {}
        self._units: Mapping[str, str] = {}
        self._faint: dict[str, pg.PlotCurveItem] = {}
        self.restyle(theme.palette)

    def draw(self, board: RunBoard, start_s: float) -> None:
        """Draw the curves; show excluded seconds where single seconds are visible.

        Args:
            board: State of the run.
            start_s: First time shown, seconds since the run began.
        """
        close = self.is_close(board)
        if self._thin_pens is close:
            self._thin_pens = not close
            self.restyle(self.theme.palette)
        top = 1.0
        relative = is_mixed(board.loads, board.units)
        idle: list[float] = []
        stalled: list[QRectF] = []
        for load, series in board.loads.items():
            self._prepare_load(load, board.units)
            first = series.since(start_s)
            t_s, tps = series.column("t_s", first), series.column("tps", first)
            tps = tps * (100.0 / tps.max(initial=1e-9)) if relative else tps
            kinds = series.column("kind", first)
            counted = kinds == SecondKind.COUNTED if close else kinds != SecondKind.SETTLING
            self.counted[load].setData(*thin_curve(t_s[counted], tps[counted]), connect="finite")
            self._faint[load].setData(*_join_uncounted(t_s, tps, ~counted & close), connect="finite")
            top = max(top, float(tps.max(initial=0.0)))
            idle += list(t_s[counted & (tps <= 0.0)]) if close else []
            stalled += _stall_boxes(t_s[kinds >= SecondKind.STALLED])
        self._idle.setData(idle, [top * 0.02] * len(idle))
        spans = visible_spans(board.spans, start_s) if close else []
        levels = _steady_times(spans, board.steady_state_s)
        self._level.setData(np.repeat(levels, 2), np.tile([0.0, top * _TICK_FRAC], len(levels)))
        self._shade.show_boxes(_settling_boxes(spans, board.now_s), stalled, top * 1.1)
        self._show_rare_entries(bool(levels), bool(stalled))
        self.canvas.setYRange(0.0, top * 1.1, padding=0)

    def _show_rare_entries(self, *rare: bool) -> None:
        """Add rare legend entries once they occur, to save space in small plots."""
        now = tuple(map(any, zip(rare, self._rare, strict=True)))
        if now != self._rare:
            self._rare = (now[0], now[1])
            self.restyle(self.theme.palette)

    def figures_at(self, board: RunBoard, t_s: float) -> list[str]:
        """Return the throughput of each load in the second nearest to a time.

        Args:
            board: State of the run.
            t_s: Time, seconds since the run began.
        """
        found: list[str] = []
        for load, series in board.loads.items():
            row = nearest_row(series, t_s)
            if row is not None:
                (tps,), (kind,) = series.column("tps", row)[:1], series.column("kind", row)[:1]
                note = f" ({second_kind_name(SecondKind(kind))})" if kind else ""
                found.append(f"{load_name(load)} {format_full(float(tps))} {unit_of([load], board.units)}{note}")
        return found

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return the loads and the shades."""
        lines = [LegendEntry("line", load_style(kind, palette).colour, load_name(kind)) for kind in self.counted]
        marks = [LegendEntry("block", palette.line, _("settling"))]
        rare = (
            LegendEntry("upright", palette.dim, _("steady from here")),
            LegendEntry("block", palette.warn, _("stalled, excluded")),
        )
        return [*lines, *marks, *(entry for entry, seen in zip(rare, self._rare, strict=True) if seen)]

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        super().restyle(palette)
        self._level.setPen(make_pen(palette.dim, 1))
        self._idle.setBrush(pg.mkBrush(palette.danger))
        self._idle.setPen(pg.mkPen(None))
        for kind, curve in self.counted.items():
            colour = QColor(load_style(kind, palette).colour)
            # Measured with a thousand points: Qt draws a 1-pixel pen in 1.5 ms, a wider pen in 76 ms.
            curve.setPen(make_pen(colour) if not self._thin_pens else pg.mkPen(colour, width=1))
            colour.setAlphaF(0.45)
            self._faint[kind].setPen(make_pen(colour, 1, Qt.PenStyle.DotLine))
        self._shade.update()

    def _prepare_load(self, kind: str, units: Mapping[str, str]) -> None:
        if kind in self.counted:
            return
        self._units = units
        self.counted[kind], self._faint[kind] = pg.PlotCurveItem(), pg.PlotCurveItem()
        for curve in (self._faint[kind], self.counted[kind]):
            self.canvas.addItem(curve, ignoreBounds=True)
        mixed = is_mixed(self.counted, self._units)
        words = _("% of its highest") if mixed else unit_of(self.counted, self._units)
        self.canvas.setLabel("left", words)
        self.restyle(self.theme.palette)


class _Shade(pg.GraphicsObject):
    """Background of excluded seconds: grey for warm-up, the warning colour for stalls."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._settling: list[QRectF] = []
        self._stalled: list[QRectF] = []
        self._all = QRectF()
        self.setZValue(-10)

    def show_boxes(self, settling: list[QRectF], stalled: list[QRectF], top: float) -> None:
        """Set the shaded times as boxes of height 1, drawn up to `top`."""
        self.prepareGeometryChange()
        self._settling, self._stalled = (
            [QRectF(box.left(), 0.0, box.width(), top) for box in boxes] for boxes in (settling, stalled)
        )
        self._all = QRectF()
        for box in (*self._settling[:1], *self._settling[-1:], *self._stalled):
            self._all = self._all.united(box)
        self.update()

    def boundingRect(self) -> QRectF:
        """Return the painted area."""
        return self._all

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Fill the boxes."""
        del option, widget
        palette = self._theme.palette
        for boxes, name, alpha in ((self._settling, palette.line, 0.55), (self._stalled, palette.warn, 0.35)):
            colour = QColor(name)
            colour.setAlphaF(alpha)
            painter.setBrush(colour)
            # A pen keeps a short stall visible.
            painter.setPen(make_pen(name, 1) if boxes is self._stalled else Qt.PenStyle.NoPen)
            painter.drawRects(boxes)


def _settling_boxes(spans: list[TrialSpan], now_s: float) -> list[QRectF]:
    ends = [min(span.settled_s, span.ended_s or now_s) for span in spans]
    return [QRectF(span.began_s, 0.0, end - span.began_s, 1.0) for span, end in zip(spans, ends, strict=True)]


def _steady_times(spans: list[TrialSpan], settled: Mapping[SettlingCause, int]) -> list[float]:
    """Return when each finished trial reached its steady state, by its kind of change."""
    found: list[float] = []
    for span in spans:
        done = span.result
        if done is not None and done.responsive and done.change in settled:
            waited_s = done.settled_s - (len(done.rates_tps) - done.seconds)  # until the next full second of the clock
            found.append(span.began_s + waited_s + settled[done.change])
    return found


def _stall_boxes(ends_s: Floats) -> list[QRectF]:
    """Return one box per run of consecutive seconds; `ends_s` are their ends."""
    runs = np.split(ends_s, np.flatnonzero(np.diff(ends_s) > 1.5) + 1) if len(ends_s) else []
    return [QRectF(run[0] - 1.0, 0.0, run[-1] - run[0] + 1.0, 1.0) for run in runs]


def _join_uncounted(t_s: Floats, tps: Floats, faint: np.ndarray) -> tuple[Floats, Floats]:
    """Return the excluded seconds, each run extended to its counted neighbours."""
    shown = faint.copy()
    shown[1:] |= faint[:-1] & (np.diff(t_s) < GAP_S)
    shown[:-1] |= faint[1:] & (np.diff(t_s) < GAP_S)
    return thin_curve(t_s[shown], tps[shown])
