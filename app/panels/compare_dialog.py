"""Compare two: both sweeps' throughput per split in one plot, the second one dashed, and the figures side by side."""

from collections.abc import Iterable

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.background import Background
from app.live.axes import RateAxis
from app.load_words import marks_words, unit_of
from app.panels.sweep_rows import SweepRow
from app.theme.theme import Theme
from app.theme.tokens import SPACE_S, SPACE_XL, Palette
from app.widgets.dialog import close_row, column
from app.widgets.plot_frame import PlotFrame
from app.widgets.series_style import load_style
from app.widgets.simulated_ribbon import SimulatedRibbon
from app.widgets.split_bar import SplitTag
from app.widgets.table import Table
from app.widgets.text import label
from app.widgets.themed_plot import ThemedPlot
from scheduler.model.results import Point
from scheduler.model.setting import BASELINE, split_setting


class ComparePlot(ThemedPlot):
    """Throughput over ln(I/O domain : guest); solid and filled for the first sweep, dashed and hollow for the other."""

    def __init__(self, theme: Theme, rows: tuple[SweepRow, SweepRow]) -> None:
        super().__init__(theme, "", {"left": RateAxis()})
        self.setAccessibleName(self.tr("Throughput per split of both sweeps"))
        self._curves: list[tuple[pg.PlotDataItem, str, bool]] = []
        positions: dict[float, str] = {}
        for second, row in enumerate(rows):
            for kind in dict.fromkeys(load.kind for load in row.spec.loads):
                points = _curve(row, kind)
                positions |= {split_setting(point.split).position: point.split for point in points}
                x = [split_setting(point.split).position for point in points]
                item = self.item.plot(x, [point.mean_tps for point in points])
                self._curves.append((item, kind, bool(second)))
        self.item.setLabel(
            "left", self.tr("Throughput ({unit})").format(unit=unit_of(kind for _, kind, _ in self._curves))
        )
        self.item.setLabel("bottom", self.tr("Split, I/O domain : guest"))
        self.item.getAxis("bottom").setTicks([sorted(positions.items())])
        view = self.item.getViewBox()
        view.setMouseEnabled(x=False, y=False)
        top_tps = max((point.mean_tps or 0 for row in rows for point in _points(row)), default=1.0)
        view.setYRange(0, top_tps * 1.08, padding=0)
        self.restyle(theme.palette)

    def restyle(self, palette: Palette) -> None:
        """Put on the colours of a palette."""
        super().restyle(palette)
        for item, kind, second in getattr(self, "_curves", ()):
            style = load_style(kind, palette)
            line = Qt.PenStyle.DashLine if second else Qt.PenStyle.SolidLine
            item.setPen(pg.mkPen(style.colour, width=2, style=line))
            item.setSymbol(style.symbol)
            item.setSymbolSize(9)
            item.setSymbolPen(pg.mkPen(style.colour, width=2))
            item.setSymbolBrush(QColor(palette.raised) if second else QColor(style.colour))


class CompareDialog(QDialog):
    """Two sweeps laid over each other."""

    def __init__(
        self, theme: Theme, background: Background, one: SweepRow, other: SweepRow, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._rows = (one, other)
        self.setWindowTitle(self.tr("Compare two sweeps"))
        self.resize(960, 640)
        box = column(self)
        heads = QHBoxLayout()
        heads.setSpacing(SPACE_XL)
        for row, mark in ((one, self.tr("solid")), (other, self.tr("dashed"))):
            heads.addLayout(self._head(theme, row, mark), 1)
        box.addLayout(heads)
        self.frame = PlotFrame(
            background,
            self.tr("Throughput per split"),
            ComparePlot(theme, self._rows),
            self._table,
            self._legend(),
        )
        simulated = one.simulated or other.simulated
        self.frame.set_simulated(simulated)
        ribbon = SimulatedRibbon(theme)
        box.addWidget(ribbon)
        ribbon.setVisible(simulated)
        box.addWidget(self.frame, 1)
        if one.facts.host_id != other.facts.host_id:
            words = self.tr("These are different hosts: compare the shapes, not the heights.")
            box.addWidget(label(words, "warn", wrap=True))
        box.addWidget(close_row(self))

    def _head(self, theme: Theme, row: SweepRow, mark: str) -> QVBoxLayout:
        lines = QVBoxLayout()
        lines.setSpacing(SPACE_S)
        lines.addWidget(label(f"{row.name} ({mark})", "lead"))
        lines.addWidget(label(f"{row.host} \N{MIDDLE DOT} {row.when}", "dim", wrap=True))
        answer = QHBoxLayout()
        answer.setSpacing(SPACE_S)
        answer.addWidget(SplitTag(theme, row.split))
        answer.addWidget(label(row.verdict, ""), 1)
        lines.addLayout(answer)
        return lines

    def _legend(self) -> str:
        loads = dict.fromkeys(load.kind for row in self._rows for load in row.spec.loads)
        marks = ", ".join(marks_words(kind) for kind in loads)
        words = self.tr("{marks}; {unit}, means over visits")
        return words.format(marks=marks, unit=unit_of(loads))

    def _table(self) -> Table:
        unit = unit_of(load.kind for row in self._rows for load in row.spec.loads)
        headers = (
            self.tr("Split"),
            self.tr("Load"),
            self.tr("First ({unit})").format(unit=unit),
            self.tr("Second ({unit})").format(unit=unit),
        )
        first, second = ({(point.split, point.load): point.mean_tps for point in _points(row)} for row in self._rows)
        keys = dict.fromkeys((*first, *second))
        return Table(headers, [(*key, first.get(key), second.get(key)) for key in keys])


def _points(row: SweepRow) -> Iterable[Point]:
    return row.results.points if row.results else ()


def _curve(row: SweepRow, kind: str) -> list[Point]:
    points = [p for p in _points(row) if p.load == kind and p.split != BASELINE and p.mean_tps is not None]
    return sorted(points, key=lambda point: split_setting(point.split).position)
