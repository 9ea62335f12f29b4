"""A pyqtgraph plot in our colours; pyqtgraph does not follow palette changes by itself."""

from typing import cast

import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainterPath, QPolygonF, QWheelEvent

from app.theme.theme import Theme
from app.theme.tokens import Palette
from scheduler.model.marker_shapes import MARKER_SHAPES

pg.setConfigOptions(antialias=True)
for _name in ("hourglass", "chevron", "bar", "tee"):  # marks that pyqtgraph has none of
    Symbols[_name] = QPainterPath()
    Symbols[_name].addPolygon(QPolygonF([QPointF(x / 2.2, y / 2.2) for x, y in MARKER_SHAPES[_name]]))
    Symbols[_name].closeSubpath()

_ASKED_PX = (320, 160)
_UNDER_VIEW = -200  # pyqtgraph's views lie at -100, its axes, and with them the grid, above


class ThemedPlot(pg.PlotWidget):
    """A plot with our background, axes, fonts and a quiet grid.

    Subclasses that hold pens of their own override `restyle` (called at every change of the palette, and once
    by whoever made the items: `self.restyle(self.theme.palette)`), calling `super().restyle(palette)` first.

    Args:
        theme: Colours and fonts.
        name: What the plot shows, for screen readers.
        axes: `AxisItem`s by side, as pyqtgraph's `axisItems`.
    """

    def __init__(self, theme: Theme, name: str, axes: dict[str, pg.AxisItem] | None = None) -> None:
        super().__init__(plotItem=pg.PlotItem(axisItems=axes, enableMenu=False))  # an unused menu takes 2 ms
        self.theme = theme
        self.setAccessibleName(name)
        self.setFrameShape(self.Shape.NoFrame)
        self.viewport().setFocusPolicy(Qt.FocusPolicy.NoFocus)  # one plot is one stop of the keyboard
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
        """The plot item; a plot widget always has one, whatever pyqtgraph's types say."""
        return cast("pg.PlotItem", self.getPlotItem())

    def sizeHint(self) -> QSize:
        """Ask for little: a plot takes what there is, and must not make its page scroll where others need no more."""
        return QSize(_ASKED_PX[0], max(_ASKED_PX[1], self.minimumHeight()))

    def wheelEvent(self, ev: QWheelEvent) -> None:
        """Pass the wheel to the page: no plot zooms, and pyqtgraph's axes accept the wheel even so."""
        ev.ignore()

    def restyle(self, palette: Palette) -> None:
        """Put on the colours of a palette."""
        self.setBackground(QColor(palette.raised))
        small: QFont = self.theme.font()
        for side in ("left", "bottom", "right", "top"):
            axis = self.item.getAxis(side)
            if not axis.isVisible() and side in {"right", "top"}:
                continue  # one that is never shown is laid out anew by each of these all the same
            axis.setPen(pg.mkPen(palette.line, width=1))
            axis.setTextPen(pg.mkPen(palette.dim))
            axis.setTickFont(small)
            if axis.labelText:
                axis.setLabel(axis.labelText, units=axis.labelUnits or None, color=palette.dim)

    def _restyle_now(self) -> None:
        if self.getPlotItem() is not None:  # pyqtgraph drops it when the plot is closed
            self.restyle(self.theme.palette)
