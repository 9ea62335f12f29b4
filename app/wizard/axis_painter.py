"""Drawing the split axis: scale, stems, chips, the cross that removes one."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.theme.tokens import CORNER, Palette
from app.widgets.split_bar import paint_split
from app.wizard.axis_geometry import AxisGeometry
from app.wizard.split_scale import TICK_SPLITS, axis_setting, split_position

_EDGE_PX = 8  # the line ends this far from both sides
_TICK_PX = 5


class AxisPainter:
    """One painting of the axis.

    Args:
        painter: Where to.
        where: Where everything stands.
        colours: The palette.
    """

    def __init__(self, painter: QPainter, where: AxisGeometry, colours: Palette) -> None:
        self._painter = painter
        self.where = where
        self._colours = colours

    def scale(self, left: str, right: str) -> None:
        """Draw line, ticks, and the words at both ends."""
        painter, y = self._painter, self.where.axis_y
        line = painter.fontMetrics().height()
        self._set_pen(self._colours.edge, 1)
        painter.drawLine(QPointF(_EDGE_PX, y), QPointF(self.where.width - _EDGE_PX, y))
        for text in TICK_SPLITS:
            x = self.where.x_of(split_position(text))
            self._set_pen(self._colours.edge, 1)
            painter.drawLine(QPointF(x, y), QPointF(x, y + _TICK_PX))
            self._set_pen(self._colours.dim, 1)
            painter.drawText(QRectF(x - 40, y + 8, 80, line), Qt.AlignmentFlag.AlignCenter, text)
        words = QRectF(_EDGE_PX, y + 12 + line, self.where.width - 2 * _EDGE_PX, line)
        self._set_pen(self._colours.guest_text, 1)
        painter.drawText(words, Qt.AlignmentFlag.AlignLeft, f"\N{LEFTWARDS ARROW} {left}")
        self._set_pen(self._colours.io_text, 1)
        painter.drawText(words, Qt.AlignmentFlag.AlignRight, f"{right} \N{RIGHTWARDS ARROW}")

    def stem(self, text: str) -> None:
        """Draw from a chip down to its place."""
        x = self.where.x_of(split_position(text))
        self._set_pen(self._colours.line, 1.5)
        self._painter.drawLine(QPointF(x, self.where.chip(text).bottom()), QPointF(x, self.where.axis_y))
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(self._colours.text))
        self._painter.drawEllipse(QPointF(x, self.where.axis_y), 3, 3)

    def chip(self, text: str, *, keyed: bool, hovered: bool, wrong: bool) -> None:
        """Draw one chip; keys act upon the `keyed` one, the host cannot be set to a `wrong` one."""
        colours, area = self._colours, self.where.chip(text)
        ring = colours.danger if wrong else colours.accent if keyed or hovered else colours.edge
        self._set_pen(ring, 2 if keyed or wrong else 1)
        self._painter.setBrush(QColor(colours.accent_soft if keyed else colours.raised))
        self._painter.drawRoundedRect(area, CORNER, CORNER)
        bar = QRectF(area.left() + 8, area.bottom() - 9, area.width() - 16, 5)
        paint_split(self._painter, bar, axis_setting(text).split, colours)
        self._set_pen(colours.danger_text if wrong else colours.text, 1)
        self._painter.drawText(area.adjusted(0, 1, 0, -9), Qt.AlignmentFlag.AlignCenter, text)

    def cross(self, text: str) -> None:
        """Draw the cross that removes a chip."""
        area = self.where.cross(text)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(self._colours.text))
        self._painter.drawEllipse(area)
        self._set_pen(self._colours.raised, 1.5)
        inner = area.adjusted(5, 5, -5, -5)
        self._painter.drawLine(inner.topLeft(), inner.bottomRight())
        self._painter.drawLine(inner.topRight(), inner.bottomLeft())

    def _set_pen(self, colour: str, width: float) -> None:
        self._painter.setPen(QPen(QColor(colour), width))
