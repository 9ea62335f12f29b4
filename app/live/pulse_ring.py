"""The ring that marks where the sweep is right now; it swells once per new figure, at most 150 ms."""

import pyqtgraph as pg
from PySide6.QtCore import QObject, QPointF, QRectF, QVariantAnimation
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QGraphicsEllipseItem, QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from app.theme.theme import Theme

_REST_PX = 19.0
_SWELL_PX = 28.0


class PulseRing(QObject):
    """One ring in a plot.

    The ring is Qt's own: each size of a symbol of pyqtgraph's is kept in a picture that grows, and is copied, with it.

    Args:
        plot: The plot it goes into.
        theme: Says how long an animation may be; 0 keeps the ring still.
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
        """Where the ring is, in the plot's units; None when it is hidden."""
        return self.ring.pos() if self.ring.isVisible() else None

    def show_at(self, x: float, y: float, colour: str, *, settling: bool) -> None:
        """Move the ring; faint while the figure does not count yet."""
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
        """Take the ring away."""
        self._animation.stop()
        self.ring.hide()

    def _set_size(self, size_px: float) -> None:
        self.ring.setRect(QRectF(-size_px / 2, -size_px / 2, size_px, size_px))


class _Ring(QGraphicsEllipseItem):
    """A smooth circle, also where the painter's last item was not."""

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        super().paint(painter, option, widget)
