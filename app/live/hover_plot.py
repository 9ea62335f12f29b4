"""A plot that tells the exact numbers under the pointer and does not zoom or scroll by itself."""

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QToolTip

from app.live.plot_legend import LegendEntry, PlotLegend
from app.theme.theme import Theme
from app.theme.tokens import Palette
from app.widgets.themed_plot import ThemedPlot


class HoverPlot(ThemedPlot):
    """Subclasses say in `words_at` what stands under a point and draw in `restyle` what they own.

    Args:
        theme: Colours and fonts.
        name: What the plot shows, for screen readers.
        axes: `AxisItem`s by side.
    """

    def __init__(self, theme: Theme, name: str, axes: dict[str, pg.AxisItem] | None = None) -> None:
        super().__init__(theme, name, axes)
        # pyqtgraph's stubs do not know what PlotItem takes over from its ViewBox.
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
        """Return what stands at a place of the plot, as rich text; empty for nothing."""
        raise NotImplementedError

    def legend(self, palette: Palette) -> list[LegendEntry]:
        """Return what the line above the plot explains."""
        raise NotImplementedError

    def restyle(self, palette: Palette) -> None:
        """Put on the colours of a palette."""
        super().restyle(palette)
        self.show_legend(palette)

    def show_legend(self, palette: Palette) -> None:
        """Say above the plot what is what now."""
        self._key.show_entries(tuple(self.legend(palette)), palette, self.theme.font())

    def settle(self) -> None:
        """Put a new scale into effect now: left to itself, pyqtgraph does it while it paints, and paints again."""
        self.view.updateMatrix()

    def resizeEvent(self, ev: QResizeEvent | None) -> None:
        """Fill the view; a legend of many lines, which a narrow plot needs, kept a plot that grew higher than that."""
        super().resizeEvent(ev)
        if self.getPlotItem() is not None and self.item.size() != self.range.size():
            self.canvas.layout.activate()
            self.item.setGeometry(self.range)

    def mouseMoveEvent(self, ev: QMouseEvent) -> None:
        """Show the numbers under the pointer."""
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
        """Hide the numbers."""
        super().leaveEvent(ev)
        QToolTip.hideText()
