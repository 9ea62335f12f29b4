"""Hatched ribbon that marks simulated results."""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.glossary import glossary_term
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, Palette
from scheduler.translation import _

_HEIGHT_PX = 26


def paint_ribbon(painter: QPainter, area: QRect, palette: Palette, words: str) -> None:
    """Draw the hatching with a text on a clear background; also for exported pictures.

    Args:
        painter: Painter of the widget or picture.
        area: Rectangle of the ribbon, pixels.
        palette: Current colours.
        words: Text of the ribbon.
    """
    painter.save()
    painter.fillRect(area, QColor(palette.warn_soft))
    painter.fillRect(area, QBrush(QColor(palette.warn), Qt.BrushStyle.BDiagPattern))
    patch = painter.fontMetrics().boundingRect(words)
    patch.moveCenter(area.center())
    painter.fillRect(patch.adjusted(-SPACE_M, -2, SPACE_M, 2), QColor(palette.warn_soft))
    painter.setPen(QColor(palette.warn_text))
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, words)
    painter.restore()


class SimulatedRibbon(QWidget):
    """Ribbon on the page of a host with `facts.simulated`; hidden at first."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        word, meaning = glossary_term("simulated")
        self._words = _("{word}: {meaning}").format(word=word, meaning=meaning)
        self.setAccessibleName(self._words)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Return the height of one line."""
        return QSize(200, max(_HEIGHT_PX, self.fontMetrics().height() + 8))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ribbon."""
        del event
        paint_ribbon(QPainter(self), self.rect(), self._theme.palette, self._words)
