"""Plot of pyqtgraph in the colours of the theme.

Pyqtgraph does not follow changes of the palette by itself.
"""

from typing import cast

import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainterPath, QPolygonF, QWheelEvent

from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.series_style import plot_symbol
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.load_looks import LoadMarker

pg.setConfigOptions(antialias=True)


def add_symbol(marker: LoadMarker) -> None:
    """Add the marker of a load to the symbols of pyqtgraph, unless pyqtgraph has it."""
    if (name := plot_symbol(marker)) not in Symbols:
        Symbols[name] = path = QPainterPath()
        path.addPolygon(QPolygonF([QPointF(x / 2.2, y / 2.2) for x, y in marker.corners]))
        path.closeSubpath()


for _kind in LOAD_KINDS.values():
    add_symbol(_kind.marker)

_ASKED_PX = (320, 160)
_UNDER_VIEW = -200  # below pyqtgraph's views (-100); by default, axes and grid lie above them


class ThemedPlot(pg.PlotWidget):
    """Plot with the theme's background, axes and fonts, and a light grid.

    Subclasses with pens of their own override `restyle` and call `super().restyle(palette)` first. `restyle` runs at
    each change of the palette. The subclass calls `self.restyle(self.theme.palette)` once after it has created its
    items.

    Args:
        theme: Colours and fonts.
        name: Name of the plot for screen readers.
        axes: `AxisItem`s by side, as pyqtgraph's `axisItems`.
    """

    def __init__(self, theme: Theme, name: str, axes: dict[str, pg.AxisItem] | None = None) -> None:
        super().__init__(plotItem=pg.PlotItem(axisItems=axes, enableMenu=False))  # an unused menu takes 2 ms
        self.theme = theme
        self.setAccessibleName(name)
        self.setFrameShape(self.Shape.NoFrame)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)  # a plot is one Tab stop
        self.viewport().setAccessibleName(name)
        item = self.item
        item.hideButtons()
        item.showGrid(x=False, y=True, alpha=0.8)
        for side in ("left", "bottom"):
            axis = item.getAxis(side)
            axis.setStyle(tickLength=-4, tickTextOffset=6)
            axis.enableAutoSIPrefix(False)
            axis.setZValue(_UNDER_VIEW)
        ThemedPlot.restyle(self, theme.palette)
        theme.changed.connect(self._restyle_now)

    @property
    def item(self) -> pg.PlotItem:
        """The plot item, which a plot widget always has."""
        return cast("pg.PlotItem", self.getPlotItem())

    def sizeHint(self) -> QSize:
        """Return a small size, so that a plot does not make its page scroll."""
        return QSize(_ASKED_PX[0], max(_ASKED_PX[1], self.minimumHeight()))

    def wheelEvent(self, ev: QWheelEvent) -> None:
        """Pass the wheel to the page; pyqtgraph's axes would accept the event."""
        ev.ignore()

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        self.setBackground(QColor(palette.raised))
        small: QFont = self.theme.font()
        for side in ("left", "bottom", "right", "top"):
            axis = self.item.getAxis(side)
            if not axis.isVisible() and side in {"right", "top"}:
                continue  # each of these calls lays out even an invisible axis
            axis.setPen(pg.mkPen(palette.line, width=1))
            axis.setTextPen(pg.mkPen(palette.dim))
            axis.setTickFont(small)
            if axis.labelText:
                axis.setLabel(axis.labelText, units=axis.labelUnits or None, color=palette.dim)

    def _restyle_now(self) -> None:
        if self.getPlotItem() is not None:  # pyqtgraph drops it when the plot is closed
            self.restyle(self.theme.palette)
