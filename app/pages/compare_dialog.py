"""Dialog that compares two sweeps in one plot and one table."""

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.background import BackgroundWorker
from app.load_texts import marker_words, unit_of_all
from app.pages import comparison
from app.pages.comparison import ComparedSweep
from app.plots.plot_axes import RateAxis
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_S, SPACE_XS, Palette
from app.widgets.dialog_layout import add_dialog_buttons, add_dialog_column, close_row
from app.widgets.labels import make_label, make_selectable
from app.widgets.plot_frame import PlotFrame
from app.widgets.series_style import load_style
from app.widgets.side_by_side import SideBySide
from app.widgets.simulated_ribbon import SimulatedRibbon
from app.widgets.split_bar import SplitTag
from app.widgets.table import TableData
from app.widgets.themed_plot import ThemedPlot
from scheduler.model.results import MeasuredPoint

_WIDTH_PX = 960
_BESIDE_PX = 620  # minimum width for both heads side by side
_PLOT_PX = 260
_MOST_WHISKER = 1.1  # of the highest mean; an arrow head marks an interval that continues above


class ComparePlot(ThemedPlot):
    """Throughput of two sweeps over ln(I/O domain : guest).

    The first sweep is solid and filled, the second is dashed and hollow.
    """

    def __init__(self, theme: Theme, rows: tuple[ComparedSweep, ComparedSweep]) -> None:
        super().__init__(theme, "", {"left": RateAxis()})
        self.setMinimumHeight(_PLOT_PX)
        self.setAccessibleName(self.tr("Throughput per split of both sweeps"))
        self._curves: list[tuple[pg.PlotDataItem, pg.ErrorBarItem, pg.ScatterPlotItem, str, bool]] = []
        positions: dict[float, str] = {}
        self._one_tps = _units_of_axis(rows)
        top = max((self._axis_height(point, point.mean_tps) for row in rows for point in row.points), default=1.0)
        self._most = _MOST_WHISKER * top
        for second, row in enumerate(rows):
            for kind in dict.fromkeys(load.name for load in row.spec.loads):
                points = _curve_points(row, kind)
                positions |= {_position_of(point): point.label for point in points}
                x = [_position_of(point) for point in points]
                item = self.item.plot(x, [self._axis_height(point, point.mean_tps) for point in points])
                self._curves.append((item, *self._draw_whiskers(points), kind, bool(second)))
        unit = unit_of_all(point for row in rows for point in row.points)
        words = self.tr("Throughput ({unit})").format(unit=unit)
        self.item.setLabel("left", self.tr("% of each load's best") if self._one_tps else words)
        self.item.setLabel("bottom", self.tr("Split, I/O domain : guest"))
        self.item.getAxis("bottom").setTicks([sorted(positions.items())])
        view = self.item.getViewBox()
        view.setMouseEnabled(x=False, y=False)
        view.setYRange(0, self._most * 1.02, padding=0)
        self.restyle(theme.palette)

    def _axis_height(self, point: MeasuredPoint, tps: float | None) -> float:
        """Return the height of a rate on the axis: the rate, or % of the load's best."""
        return (tps or 0.0) / self._one_tps.get(_load_and_unit(point), 1.0)

    def _draw_whiskers(self, points: Sequence[MeasuredPoint]) -> tuple[pg.ErrorBarItem, pg.ScatterPlotItem]:
        """Draw the 95 % intervals, with an arrow head for each one that leaves the plot."""
        known = [(point, *point.ci95_tps) for point in points if point.ci95_tps is not None and point.mean_tps]
        cut = [point for point, _, high in known if self._axis_height(point, high) > self._most]
        places = [_position_of(point) for point in cut]
        heads = pg.ScatterPlotItem(places, [self._most] * len(cut), symbol="t1", size=9)
        self.item.addItem(heads, ignoreBounds=True)
        item = pg.ErrorBarItem(
            x=np.array([_position_of(point) for point, _, _ in known]),
            y=np.array([self._axis_height(point, point.mean_tps) for point, _, _ in known]),
            top=np.array(
                [
                    min(self._axis_height(point, high), self._most) - self._axis_height(point, point.mean_tps)
                    for point, _, high in known
                ]
            ),
            bottom=np.array(
                [self._axis_height(point, (point.mean_tps or 0.0) - max(0.0, low)) for point, low, _ in known]
            ),
            beam=0.03,
        )
        self.item.addItem(item, ignoreBounds=True)
        return item, heads

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        super().restyle(palette)
        for item, whiskers, heads, kind, second in getattr(self, "_curves", ()):
            style = load_style(kind, palette)
            line = Qt.PenStyle.DashLine if second else Qt.PenStyle.SolidLine
            item.setPen(pg.mkPen(style.colour, width=2, style=line))
            whiskers.setData(pen=pg.mkPen(style.colour, width=1))
            heads.setBrush(pg.mkBrush(style.colour))
            heads.setPen(pg.mkPen(style.colour))
            item.setSymbol(style.symbol)
            item.setSymbolSize(9)
            item.setSymbolPen(pg.mkPen(style.colour, width=2))
            item.setSymbolBrush(QColor(palette.raised) if second else QColor(style.colour))


class CompareDialog(QDialog):
    """Dialog with the plot, the differences and the figures of two sweeps."""

    def __init__(
        self,
        theme: Theme,
        background: BackgroundWorker,
        one: ComparedSweep,
        other: ComparedSweep,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._rows = (one, other)
        self.setWindowTitle(self.tr("Compare two sweeps"))
        box = add_dialog_column(self, SPACE_M, wide_px=_WIDTH_PX)
        heads = SideBySide(_BESIDE_PX)
        titles = self.tr("First (solid)"), self.tr("Second (dashed)")
        for row, title, facts in zip(self._rows, titles, comparison.list_differences(one, other), strict=True):
            heads.add(self._make_head(theme, row, title, facts), top=True)
        box.addWidget(heads)
        for sentence in comparison.comparison_sentences(one, other):
            box.addWidget(make_selectable(make_label(sentence, "large", wrap=True)))
        self.frame = PlotFrame(
            background,
            self.tr("Throughput per split"),
            ComparePlot(theme, self._rows),
            self._compared_table,
            self._legend_text(),
        )
        simulated = one.row.simulated or other.row.simulated
        self.frame.set_simulated(simulated)
        ribbon = SimulatedRibbon(theme)
        box.addWidget(ribbon)
        ribbon.setVisible(simulated)
        box.addWidget(self.frame, 1)
        add_dialog_buttons(self, close_row(self))

    def _make_head(self, theme: Theme, row: ComparedSweep, title: str, facts: Sequence[str]) -> QWidget:
        head = QWidget()
        lines = QVBoxLayout(head)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(SPACE_XS)
        lines.addWidget(make_label(title, "dim"))
        lines.addWidget(make_label(row.row.name, "lead", wrap=True))
        lines.addWidget(make_label(f"{row.row.host} \N{MIDDLE DOT} {row.row.when}", "dim", wrap=True))
        for fact in facts:
            lines.addWidget(make_label(fact, "strong", wrap=True))
        answer = QHBoxLayout()
        answer.setSpacing(SPACE_S)
        answer.addWidget(SplitTag(theme, row.row.split))
        decision = ", ".join(part for part in (row.row.verdict, row.row.remark) if part)
        answer.addWidget(make_label(decision, "", wrap=True), 1)
        lines.addLayout(answer)
        lines.addStretch(1)
        return head

    def _legend_text(self) -> str:
        loads = dict.fromkeys(load.name for row in self._rows for load in row.spec.loads)
        marks = ", ".join(marker_words(kind) for kind in loads)
        words = self.tr("{marks}; {unit}, means over trials with 95 % intervals")
        return words.format(marks=marks, unit=unit_of_all(point for row in self._rows for point in row.points))

    def _compared_table(self) -> TableData:
        return comparison.comparison_table(*self._rows)


def _load_and_unit(point: MeasuredPoint) -> tuple[str, str]:
    """Return load and unit; two sweeps of the same command may count different things."""
    return point.load, unit_of_all([point])


def _units_of_axis(rows: Sequence[ComparedSweep]) -> dict[tuple[str, str], float]:
    """Return the throughput that is 1 % of the axis, by load and unit.

    100 % is the best mean of both sweeps. Empty if all points have the same unit.
    """
    best: dict[tuple[str, str], float] = {}
    for point in (point for row in rows for point in row.points):
        best[_load_and_unit(point)] = max(best.get(_load_and_unit(point), 1e-9), point.mean_tps or 0.0)
    return {rated: tps / 100 for rated, tps in best.items()} if len({unit for _, unit in best}) > 1 else {}


def _curve_points(row: ComparedSweep, kind: str) -> list[MeasuredPoint]:
    points = [p for p in row.points if p.load == kind and p.setting is not None and p.mean_tps is not None]
    return sorted(points, key=_position_of)


def _position_of(point: MeasuredPoint) -> float:
    return point.setting.position if point.setting is not None else 0.0
