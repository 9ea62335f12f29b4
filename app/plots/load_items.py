"""Plot items of one load: line, whiskers, marks and baseline."""

from collections.abc import Mapping, Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.plots.axis_positions import AxisColumn, OnAxis
from app.plots.pens import make_pen
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.series_style import load_style
from scheduler.model.load_name import LoadName
from scheduler.model.results import MeasuredPoint
from scheduler.model.setting import BASELINE, curve_label

_MARK_PX = 11
_CUT_PX = 9
_MOST_WHISKER = 1.3  # longest whisker, times the highest mean
_DASHES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)


class LoadItems:
    """Plot items of one curve.

    Args:
        plot: Plot that gets the items.
        theme: Colours and fonts.
        kind: Load kind.
        shift: Offset on the lower axis, so that the whiskers of two loads do not overlap.
        held: Number and label of the curve among those of the load: a split in a study of users, a side in a study of
            vCPUs; None for a single curve.
    """

    def __init__(
        self, plot: pg.PlotItem, theme: Theme, kind: str, shift: float, held: tuple[int, str] | None = None
    ) -> None:
        self.kind = kind
        self.held = held
        self._theme = theme
        self.shift = shift
        self.line = pg.PlotCurveItem()
        self.whiskers = pg.ErrorBarItem(beam=0.035)
        self.cut = pg.ScatterPlotItem(symbol="t1", size=_CUT_PX)
        self.marks = pg.ScatterPlotItem(size=_MARK_PX)
        self.predicted = pg.ScatterPlotItem(size=_MARK_PX)
        self.failed = pg.ScatterPlotItem(symbol="x", size=_MARK_PX)
        self.base = pg.InfiniteLine(angle=0)
        self.base_words = pg.TextItem(anchor=(1, 1))
        self.base_words.setZValue(1)  # above the other loads' lines
        self._all = (
            self.base,
            self.line,
            self.whiskers,
            self.cut,
            self.marks,
            self.predicted,
            self.failed,
            self.base_words,
        )
        for item in self._all:
            plot.addItem(item, ignoreBounds=True)
        self.base.hide()
        self.base_words.hide()
        self._failed_x: list[float] = []
        self.shown: list[tuple[float, MeasuredPoint]] = []
        self.predictions: list[tuple[float, MeasuredPoint]] = []
        self.baseline: MeasuredPoint | None = None
        self._one_tps = 1.0

    @property
    def filled(self) -> bool:
        """False for hollow marks, which distinguish a curve from the previous curve."""
        return not LoadName.of(self.kind).mix and (self.held is None or self.held[0] % 2 == 0)

    def has(self, setting: OnAxis | None) -> bool:
        """Return True when a setting belongs to this curve."""
        return self.held is None or (not isinstance(setting, AxisColumn) and self.held[1] == curve_label(setting))

    def at(self, tps: float) -> float:
        """Return the axis position of a rate: the rate, or percent of the load's best."""
        return tps / self._one_tps if self._one_tps else 100.0  # the best rate is not known yet

    def remove_from(self, plot: pg.PlotItem) -> None:
        """Remove all items from the plot."""
        for item in self._all:
            plot.removeItem(item)

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        style = load_style(self.kind, palette)
        faint = QColor(style.colour)
        faint.setAlphaF(0.45)
        dash = self.held[0] % len(_DASHES) if self.held else int(bool(LoadName.of(self.kind).mix))
        self.line.setPen(make_pen(faint, style=_DASHES[dash]))
        self.whiskers.setData(pen=make_pen(style.colour))
        self.cut.setBrush(pg.mkBrush(style.colour))
        self.cut.setPen(make_pen(style.colour, 1))
        self.marks.setSymbol(style.symbol)
        self.marks.setSize(style.mark_px)
        self.marks.setBrush(pg.mkBrush(style.colour if self.filled else palette.raised))
        self.marks.setPen(pg.mkPen(palette.raised, width=1) if self.filled else make_pen(style.colour))
        self.predicted.setSymbol(style.symbol)
        self.predicted.setSize(style.mark_px)
        self.predicted.setBrush(pg.mkBrush(palette.raised))
        self.predicted.setPen(make_pen(style.colour))
        self.failed.setPen(pg.mkPen(palette.danger, width=1.5))
        self.base.setPen(make_pen(style.colour, style=Qt.PenStyle.DashLine))
        self.base_words.setColor(QColor(style.text_colour))
        self.base_words.fill = pg.mkBrush(palette.raised)
        self.base_words.setFont(self._theme.font())

    def set_points(
        self, settings: Sequence[OnAxis], points: Mapping[tuple[str, str], MeasuredPoint], *, relative: bool = False
    ) -> None:
        """Show the points of this load, and its baseline as a line.

        Args:
            settings: Settings of the axis.
            points: Measured points by (label, load kind).
            relative: Show percent of the load's best split instead of rates.
        """
        placed = [
            (setting.position + self.shift, points[setting.label, self.kind])
            for setting in sorted(settings, key=lambda setting: setting.position)
            if (setting.label, self.kind) in points and self.has(setting)
        ]
        self.shown = placed
        good = [(x, point) for x, point in placed if point.mean_tps is not None]
        found = points.get((BASELINE, self.kind))
        self._one_tps = _best_tps([point for _, point in good], found) / 100 if relative else 1.0
        x = np.array([x for x, _ in good])
        y = np.array([self.at(point.mean_tps or 0.0) for _, point in good])
        joined = not any(isinstance(setting, AxisColumn) for setting in settings)
        self.line.setData(x if joined else x[:0], y if joined else y[:0])
        self.marks.setData(x, y)
        self._failed_x = [x for x, point in placed if point.mean_tps is None]
        known = [
            (x, self.at(point.mean_tps or 0.0), tuple(map(self.at, point.ci95_tps)))
            for x, point in good
            if point.ci95_tps is not None
        ]
        if known:
            middle = np.array([mean for _, mean, _ in known])
            low, high = np.array([ci for _, _, ci in known]).T
            low, whole, places = np.maximum(low, 0.0), high, np.array([x for x, _, _ in known])
            high = np.minimum(whole, _MOST_WHISKER * self._highest_mean(found))
            self.whiskers.setData(x=places, y=middle, top=high - middle, bottom=middle - low)
            self.cut.setData(places[whole > high], high[whole > high])
        self.whiskers.setVisible(bool(known))
        self.cut.setVisible(bool(known))
        self._set_baseline(found)

    def set_prediction(self, points: Sequence[MeasuredPoint]) -> None:
        """Show the predicted points of this load as hollow marks."""
        self.predictions = [
            (point.setting.position + self.shift, point)
            for point in points
            if point.load == self.kind and point.setting is not None
        ]
        self.predicted.setData(
            [x for x, _ in self.predictions], [self.at(p.mean_tps or 0.0) for _, p in self.predictions]
        )

    def place_words(self, x: float, top: float, *, above: bool) -> None:
        """Place the baseline's name, and the crosses of failed settings above the axis.

        Args:
            x: Right end of the name, on the lower axis.
            top: Upper edge of the plot, on its y axis.
            above: Place the name above the line instead of below.
        """
        self.failed.setData(self._failed_x, [0.03 * top] * len(self._failed_x))
        self.base_words.setAnchor((1, 1 if above else 0))
        if self.baseline is not None and self.baseline.mean_tps is not None:
            self.base_words.setPos(x, self.at(self.baseline.mean_tps))

    def top(self) -> float:
        """Return the highest position that the axis must include; 0 for none.

        With few trials, a whisker may be many times the mean. Such a whisker ends at the edge of the axis.
        """
        whiskers = [self.at(point.ci95_tps[1]) for point in self._known_points(self.baseline) if point.ci95_tps]
        highest = self._highest_mean(self.baseline)
        return max(highest, min(max(whiskers, default=0.0), _MOST_WHISKER * highest))

    @property
    def has_cut_whiskers(self) -> bool:
        """True when an interval extends beyond the axis."""
        return self.cut.isVisible() and len(self.cut.getData()[0]) > 0

    def _known_points(self, baseline: MeasuredPoint | None) -> list[MeasuredPoint]:
        return [point for _, point in self.shown] + ([baseline] if baseline else [])

    def _highest_mean(self, baseline: MeasuredPoint | None) -> float:
        """Return the highest mean as an axis position; 0 for none."""
        means = [self.at(point.mean_tps) for point in self._known_points(baseline) if point.mean_tps]
        return max(means, default=0.0)

    def _set_baseline(self, point: MeasuredPoint | None) -> None:
        self.baseline = point
        known = point is not None and point.mean_tps is not None
        self.base.setVisible(known)
        self.base_words.setVisible(known)
        if point is not None and point.mean_tps is not None:
            self.base.setPos(self.at(point.mean_tps))
            self.base_words.setText(load_style(self.kind, self._theme.palette).name)


def _best_tps(good: Sequence[MeasuredPoint], baseline: MeasuredPoint | None) -> float:
    """Return the best split's rate, otherwise the original settings' rate, or 0."""
    found = baseline.mean_tps if baseline is not None else None
    return max((point.mean_tps or 0.0 for point in good), default=found or 0.0)
