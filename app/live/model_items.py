"""The queueing model in the plot of throughput per split: a dotted curve per load under the measured points.

What limits each split in the model is an outline on that curve: open, and larger than the measured marker, so that it
can be seen where both agree.
"""

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QColor

from app.live.axis_positions import OnAxis
from app.live.load_items import LoadItems
from app.live.pens import make_pen
from app.live.plot_legend import LegendEntry
from app.theme.tokens import Palette
from app.widgets.series_style import limit_style, load_style
from scheduler.model.bottleneck import Bottleneck
from scheduler.model.queueing import ModelPoint, QueueModel

_MARK_PX = 19
_UNDER = -10  # of the measured points


class ModelItems:
    """The plot items of the models of all loads.

    Args:
        plot: The plot they go into.
    """

    def __init__(self, plot: pg.PlotItem) -> None:
        self._plot = plot
        self.lines: dict[str, pg.PlotCurveItem] = {}
        self.marks = pg.ScatterPlotItem(size=_MARK_PX)
        self.marks.setZValue(_UNDER)
        plot.addItem(self.marks, ignoreBounds=True)
        self._placed: list[tuple[float, float, ModelPoint]] = []
        self.points: dict[tuple[str, str], ModelPoint] = {}

    @property
    def top(self) -> float:
        """The highest place on the axis; 0 for none."""
        return max((y for _, y, _ in self._placed), default=0.0)

    def set_models(
        self, models: Sequence[QueueModel], settings: Sequence[OnAxis], loads: Sequence[LoadItems], palette: Palette
    ) -> None:
        """Show these models, each placed like the measured points of its load."""
        for curve in self.lines.values():
            self._plot.removeItem(curve)
        self.lines, self._placed = {}, []
        self.points = {(told.label, model.load): told for model in models for told in model.points}
        known = {load.kind: load for load in loads}
        for model in models:
            load = known.get(model.load)
            if load is None:
                continue
            told = [
                (setting.position + load.shift, self.points[setting.label, model.load])
                for setting in sorted(settings, key=lambda setting: setting.position)
                if (setting.label, model.load) in self.points
            ]
            placed = [(x, load.at(point.predicted_tps), point) for x, point in told]
            curve = pg.PlotCurveItem(np.array([x for x, _, _ in placed]), np.array([y for _, y, _ in placed]))
            curve.setZValue(_UNDER)
            self._plot.addItem(curve, ignoreBounds=True)
            self.lines[model.load] = curve
            self._placed += placed
        self.restyle(palette)

    def restyle(self, palette: Palette) -> None:
        """Put on the colours of a palette."""
        for kind, curve in self.lines.items():
            curve.setPen(make_pen(load_style(kind, palette).colour, 1.2, Qt.PenStyle.DotLine))
        styles = {limit: limit_style(limit, palette) for limit in Bottleneck}
        self.marks.setData(
            [
                {
                    "pos": (x, y),
                    "symbol": styles[told.bottleneck].symbol,
                    "pen": make_pen(styles[told.bottleneck].colour, 1.2),
                    "brush": QColor(Qt.GlobalColor.transparent),
                }
                for x, y, told in self._placed
            ]
        )

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return the dotted curve and the outlines that occur; nothing without a model."""
        if not self._placed:
            return []
        entries = [LegendEntry("dots", palette.dim, QCoreApplication.translate("model", "Model, limited by:"))]
        seen = {told.bottleneck for _, _, told in self._placed}
        styles = [limit_style(limit, palette) for limit in Bottleneck if limit in seen]
        return entries + [LegendEntry(style.symbol, style.colour, style.name, filled=False) for style in styles]
