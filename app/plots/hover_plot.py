"""Plot that shows exact values under the pointer and does not zoom or scroll."""

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QToolTip

from app.plots.plot_legend import LegendEntry, PlotLegend
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.themed_plot import ThemedPlot


class HoverPlot(ThemedPlot):
    """Base of plots with a tooltip and a legend.

    Subclasses return the tooltip in `words_at` and the legend in `legend`. They style their own items in `restyle`.

    Args:
        theme: Colours and fonts.
        name: Name of the plot for screen readers.
        axes: `AxisItem`s by side.
    """

    def __init__(self, theme: Theme, name: str, axes: dict[str, pg.AxisItem] | None = None) -> None:
        super().__init__(theme, name, axes)
        # pyqtgraph's stubs lack the methods that PlotItem takes from its ViewBox.
        self.canvas: Any = self.item
        self.view: Any = self.canvas.getViewBox()
        self.canvas.setMouseEnabled(x=False, y=False)
        self.canvas.disableAutoRange()
        self.view.setDefaultPadding(0.0)
        self._key = PlotLegend()
        self.canvas.layout.removeItem(self.canvas.titleLabel)
        self.canvas.titleLabel.hide()
        self.canvas.layout.addItem(self._key, 0, 1)
        self.setMinimumSize(160, 110)

    def words_at(self, x: float, y: float) -> str:
        """Return the tooltip at a position as rich text; empty for none.

        Args:
            x: Position on the lower axis.
            y: Position on the left axis.
        """
        raise NotImplementedError

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return the legend entries."""
        raise NotImplementedError

    def restyle(self, palette: Palette) -> None:
        """Apply the colours of a palette."""
        super().restyle(palette)
        self.show_legend(palette)

    def show_legend(self, palette: Palette) -> None:
        """Update the legend above the plot."""
        self._key.show_entries(tuple(self.legend(palette)), palette, self.theme.font())

    def settle(self) -> None:
        """Apply a changed scale now.

        Otherwise pyqtgraph applies the scale while it paints, and paints twice.
        """
        self.view.updateMatrix()

    def resizeEvent(self, ev: QResizeEvent | None) -> None:
        """Fit the plot item to the view.

        In a narrow plot, a legend of many lines can keep the plot item higher than the view.
        """
        super().resizeEvent(ev)
        if self.getPlotItem() is not None and self.item.size() != self.range.size():
            self.canvas.layout.activate()
            self.item.setGeometry(self.range)

    def mouseMoveEvent(self, ev: QMouseEvent) -> None:
        """Show the values under the pointer."""
        super().mouseMoveEvent(ev)
        at = self.mapToScene(ev.position().toPoint())
        inside = self.view.sceneBoundingRect().contains(at)
        place: QPointF = self.view.mapSceneToView(at)
        words = self.words_at(place.x(), place.y()) if inside else ""
        if words:
            QToolTip.showText(ev.globalPosition().toPoint(), words, self)
        else:
            QToolTip.hideText()

    def leaveEvent(self, ev: QEvent) -> None:
        """Hide the tooltip."""
        super().leaveEvent(ev)
        QToolTip.hideText()
