"""The ring that marks where the sweep is right now; it swells once per new figure, at most 150 ms."""

import pyqtgraph as pg
from PySide6.QtCore import QObject, QVariantAnimation
from PySide6.QtGui import QColor

from app.theme.theme import Theme

_REST_PX = 19.0
_SWELL_PX = 28.0


class Pulse(QObject):
    """One ring in a plot.

    Args:
        plot: The plot it goes into.
        theme: Says how long an animation may be; 0 keeps the ring still.
        parent: Qt's parent.
    """

    def __init__(self, plot: pg.PlotItem, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self.ring = pg.ScatterPlotItem(symbol="o", size=_REST_PX, brush=None, pxMode=True)
        self.ring.setZValue(20)
        plot.addItem(self.ring, ignoreBounds=True)
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(_SWELL_PX)
        self._animation.setEndValue(_REST_PX)
        self._animation.valueChanged.connect(self.ring.setSize)

    def show_at(self, x: float, y: float, colour: str, *, settling: bool) -> None:
        """Move the ring; faint while the figure does not count yet."""
        tint = QColor(colour)
        tint.setAlphaF(0.4 if settling else 0.9)
        self.ring.setData([x], [y], pen=pg.mkPen(tint, width=2))
        length_ms = self._theme.animation_ms
        if length_ms > 0:
            self._animation.stop()
            self._animation.setDuration(length_ms)
            self._animation.start()

    def hide(self) -> None:
        """Take the ring away."""
        self._animation.stop()
        self.ring.setData([], [])
