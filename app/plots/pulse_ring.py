"""Ring around the current trial, animated for at most 150 ms per new value."""

import pyqtgraph as pg
from PySide6.QtCore import QObject, QPointF, QRectF, QVariantAnimation
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QGraphicsEllipseItem, QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from app.theme.theme import Theme

_REST_PX = 19.0
_SWELL_PX = 28.0


class PulseRing(QObject):
    """Animated ring in a plot.

    The ring is a Qt item. Pyqtgraph would cache each size of a symbol in a growing picture and copy that picture each
    time.

    Args:
        plot: Plot that gets the ring.
        theme: Provides the length of animations; 0 disables the animation.
        parent: Qt's parent.
    """

    def __init__(self, plot: pg.PlotItem, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self.ring = _Ring()
        self.ring.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIgnoresTransformations)
        self.ring.setZValue(20)
        self.ring.hide()
        self._set_size(_REST_PX)
        plot.addItem(self.ring, ignoreBounds=True)
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(_SWELL_PX)
        self._animation.setEndValue(_REST_PX)
        self._animation.valueChanged.connect(self._set_size)

    @property
    def place(self) -> QPointF | None:
        """Position of the ring in the plot's units; None when hidden."""
        return self.ring.pos() if self.ring.isVisible() else None

    def show_at(self, x: float, y: float, colour: str, *, settling: bool) -> None:
        """Move the ring to a position.

        Args:
            x: Position on the lower axis.
            y: Position on the left axis.
            colour: Colour of the ring, `#RRGGBB`.
            settling: True during the warm-up; draws the ring faint.
        """
        tint = QColor(colour)
        tint.setAlphaF(0.4 if settling else 0.9)
        self.ring.setPen(pg.mkPen(tint, width=2))
        self.ring.setPos(x, y)
        self.ring.show()
        length_ms = self._theme.animation_ms
        if length_ms > 0:
            self._animation.stop()
            self._animation.setDuration(length_ms)
            self._animation.start()

    def hide(self) -> None:
        """Hide the ring."""
        self._animation.stop()
        self.ring.hide()

    def _set_size(self, size_px: float) -> None:
        self.ring.setRect(QRectF(-size_px / 2, -size_px / 2, size_px, size_px))


class _Ring(QGraphicsEllipseItem):
    """Circle that always uses antialiasing."""

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        super().paint(painter, option, widget)
