"""Legend above a plot.

The legend is part of the plot, so that exported pictures include it.
"""

from dataclasses import dataclass, replace

import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.theme.tokens import Palette

_KEY_PX = 16
_GAP_PX = 6
_BETWEEN_PX = 16
_INSETS_PX = {"block": (2, 3), "small": (5, 5)}
_LINES = {"dash": Qt.PenStyle.DashLine, "dots": Qt.PenStyle.DotLine}


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """Entry of a legend.

    Attributes:
        mark: Symbol of pyqtgraph (`o`, `s`, `t1`, `d`), or `line`, `dash`, `dots`, `beads` (larger dots), `block`,
            `small` (a smaller block), `empty` (a framed block), `upright` (a vertical line), `whisker`; empty for text
            that continues the entry above.
        colour: Colour of the symbol, `#RRGGBB`.
        words: Explanation.
        filled: False for an open symbol.
    """

    mark: str
    colour: str
    words: str
    filled: bool = True


class PlotLegend(pg.GraphicsWidget):
    """Legend that wraps its entries, and the text of a long entry, into lines."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: tuple[LegendEntry, ...] = ()
        self._text = QColor()
        self._font = QFont()
        self.setMinimumWidth(0)
        self.setPreferredWidth(0)

    def show_entries(self, entries: tuple[LegendEntry, ...], palette: Palette, font: QFont) -> None:
        """Set the entries.

        Args:
            entries: Entries in their order.
            palette: Current colours.
            font: Font of the text.
        """
        self._entries, self._text, self._font = entries, QColor(palette.text), font
        self._fit_height()

    def places(self) -> list[tuple[LegendEntry, QPointF]]:
        """Return each entry, or each line of a long entry, with its upper left corner."""
        metrics, x, y = QFontMetricsF(self._font), 0.0, 0.0
        out: list[tuple[LegendEntry, QPointF]] = []
        for entry in (part for whole in self._entries for part in self._split_entry(whole, metrics)):
            wide = _KEY_PX + _GAP_PX + metrics.horizontalAdvance(entry.words)
            if x > 0 and x + wide > self.size().width():
                x, y = 0.0, y + metrics.height() + 2
            out.append((entry, QPointF(x, y)))
            x += wide + _BETWEEN_PX
        return out

    def _split_entry(self, entry: LegendEntry, metrics: QFontMetricsF) -> list[LegendEntry]:
        """Return an entry as one entry per line."""
        room_px = max(self.size().width() - _KEY_PX - _GAP_PX, 10 * metrics.averageCharWidth())
        if metrics.horizontalAdvance(entry.words) <= room_px:
            return [entry]
        lines = [""]
        for word in entry.words.split(" "):
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and metrics.horizontalAdvance(longer) > room_px:
                lines.append(word)
            else:
                lines[-1] = longer
        return [replace(entry, words=line, mark=entry.mark if at == 0 else "") for at, line in enumerate(lines)]

    def resizeEvent(self, ev: object) -> None:
        """Wrap the entries again."""
        del ev
        self._fit_height()

    def paint(self, p: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw symbols and text."""
        del option, widget
        metrics = QFontMetricsF(self._font)
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        p.setFont(self._font)
        for entry, at in self.places():
            _draw_key(p, entry, QRectF(at, QSizeF(_KEY_PX, metrics.height())))
            p.setPen(self._text)
            p.drawText(QPointF(at.x() + _KEY_PX + _GAP_PX, at.y() + metrics.ascent()), entry.words)

    def _fit_height(self) -> None:
        height = QFontMetricsF(self._font).height()
        lowest = max((at.y() for _, at in self.places()), default=0.0)
        self.setFixedHeight(lowest + height + 6 if self._entries else 0)
        self.update()


def _draw_key(p: QPainter, entry: LegendEntry, box: QRectF) -> None:
    colour, middle = QColor(entry.colour), box.center()
    p.save()
    pen = QPen(colour, 1.5, _LINES.get(entry.mark, Qt.PenStyle.SolidLine))
    p.setPen(pen)
    match entry.mark:
        case "":
            pass
        case "line" | "dash" | "dots":
            p.drawLine(QPointF(box.left(), middle.y()), QPointF(box.right(), middle.y()))
        case "beads":
            _draw_beads(p, colour, box)
        case "block" | "small":
            x, y = _INSETS_PX[entry.mark]
            p.fillRect(box.adjusted(x, y, -x, -y), colour)
        case "empty":
            p.drawRect(box.adjusted(2, 3, -2, -3))
        case "upright":
            p.drawLine(QPointF(middle.x(), box.top() + 1), QPointF(middle.x(), box.bottom() - 1))
        case "whisker":
            _draw_whisker(p, box)
        case _:
            p.translate(middle)
            p.scale(9.0, 9.0)
            pen.setWidthF(1.5 / 9.0)
            p.setPen(pen)
            p.setBrush(colour if entry.filled else Qt.BrushStyle.NoBrush)
            p.drawPath(Symbols[entry.mark])
    p.restore()


def _draw_whisker(p: QPainter, box: QRectF) -> None:
    x = box.center().x()
    p.drawLine(QPointF(x, box.top() + 2), QPointF(x, box.bottom() - 2))
    for y in (box.top() + 2, box.bottom() - 2):
        p.drawLine(QPointF(x - 3, y), QPointF(x + 3, y))


def _draw_beads(p: QPainter, colour: QColor, box: QRectF) -> None:
    p.setPen(Qt.PenStyle.NoPen)
    p.setBrush(colour)
    for x in (box.left() + 2.5, box.center().x(), box.right() - 2.5):
        p.drawEllipse(QPointF(x, box.center().y()), 2.5, 2.5)
