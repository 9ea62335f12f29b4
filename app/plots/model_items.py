"""Queueing model in the throughput plot: a dotted curve per load under the points.

An outline on the curve marks the bottleneck of each split in the model. The outline is open and larger than a measured
mark, so that it is visible where both agree.
"""

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from app.plots.axis_positions import OnAxis
from app.plots.load_items import LoadItems
from app.plots.pens import make_pen
from app.plots.plot_legend import LegendEntry
from app.theme.tokens import Palette
from app.widgets.series_style import limit_style, load_style
from scheduler.model.bottleneck import Bottleneck
from scheduler.model.queueing import ModelPoint, QueueModel
from scheduler.translation import _

_MARK_PX = 19
_UNDER = -10  # below the measured points


class ModelItems:
    """Plot items of the models of all loads.

    Args:
        plot: Plot that gets the items.
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
        """Highest position on the left axis; 0 for none."""
        return max((y for _, y, _ in self._placed), default=0.0)

    def set_models(
        self, models: Sequence[QueueModel], settings: Sequence[OnAxis], loads: Sequence[LoadItems], palette: Palette
    ) -> None:
        """Show models at the positions of their loads.

        Args:
            models: Models, one per load.
            settings: Settings of the axis.
            loads: Plot items of the curves.
            palette: Current colours.
        """
        for curve in self.lines.values():
            self._plot.removeItem(curve)
        self.lines, self._placed = {}, []
        self.points = {(modelled.label, model.load): modelled for model in models for modelled in model.points}
        known = {load.kind: load for load in loads}
        for model in models:
            load = known.get(model.load)
            if load is None:
                continue
            modelled = [
                (setting.position + load.shift, self.points[setting.label, model.load])
                for setting in sorted(settings, key=lambda setting: setting.position)
                if (setting.label, model.load) in self.points
            ]
            placed = [(x, load.at(point.predicted_tps), point) for x, point in modelled]
            curve = pg.PlotCurveItem(np.array([x for x, _, _ in placed]), np.array([y for _, y, _ in placed]))
            curve.setZValue(_UNDER)
            self._plot.addItem(curve, ignoreBounds=True)
            self.lines[model.load] = curve
            self._placed += placed
        self.restyle(palette)

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        for kind, curve in self.lines.items():
            curve.setPen(make_pen(load_style(kind, palette).colour, 1.2, Qt.PenStyle.DotLine))
        styles = {limit: limit_style(limit, palette) for limit in Bottleneck}
        self.marks.setData(
            [
                {
                    "pos": (x, y),
                    "symbol": styles[modelled.bottleneck].symbol,
                    "pen": make_pen(styles[modelled.bottleneck].colour, 1.2),
                    "brush": QColor(Qt.GlobalColor.transparent),
                }
                for x, y, modelled in self._placed
            ]
        )

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return entries for the dotted curve and each bottleneck; none without a model."""
        if not self._placed:
            return []
        entries = [LegendEntry("dots", palette.dim, _("Model, limited by:"))]
        seen = {modelled.bottleneck for _, _, modelled in self._placed}
        styles = [limit_style(limit, palette) for limit in Bottleneck if limit in seen]
        return entries + [LegendEntry(style.symbol, style.colour, style.name, filled=False) for style in styles]
