"""Two tiny pictures: what becomes of the CPU time that one domain leaves, with weights and with quotas."""

from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from app.theme.tokens import Palette

_BARS = 4
_TIME_PX = 18  # of the line below them
_IO_NEEDS = (0.34, 0.34, 0.10, 0.34)  # in the third moment the I/O domain has little to do
_IO_GETS = 1 / 3


def draw_weights(painter: QPainter, area: QRectF, colours: Palette) -> None:
    """Draw moments of one CPU in which the guest takes what the I/O domain leaves."""
    for bar, io in zip(_bar_areas(area), _IO_NEEDS, strict=True):
        _draw_bar(painter, bar, io, 1 - io, colours)
    _name_time(painter, area, colours)


def draw_caps(painter: QPainter, area: QRectF, colours: Palette) -> None:
    """Draw moments of one CPU in which what the I/O domain leaves stays idle."""
    for bar, io in zip(_bar_areas(area), _IO_NEEDS, strict=True):
        _draw_bar(painter, bar, io, 1 - _IO_GETS, colours)
    _name_time(painter, area, colours)


def _bar_areas(area: QRectF) -> list[QRectF]:
    area, gap = area.adjusted(0, 0, 0, -_TIME_PX), 10
    width = min(64.0, (area.width() - (_BARS - 1) * gap) / _BARS)
    return [QRectF(area.left() + i * (width + gap), area.top(), width, area.height()) for i in range(_BARS)]


def _name_time(painter: QPainter, area: QRectF, colours: Palette) -> None:
    """Say under the bars that they are moments after each other."""
    bars = _bar_areas(area)
    below = QRectF(bars[0].left(), area.bottom() - _TIME_PX + 2, bars[-1].right() - bars[0].left(), _TIME_PX)
    words = QCoreApplication.translate("wizard", "time \N{RIGHTWARDS ARROW}")
    painter.setPen(QColor(colours.dim))
    painter.drawText(below, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom, words)


def _draw_bar(painter: QPainter, bar: QRectF, io: float, guest: float, colours: Palette) -> None:
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colours.idle))
    painter.drawRect(bar)
    top = QRectF(bar.left(), bar.top(), bar.width(), bar.height() * guest)
    bottom = QRectF(bar.left(), bar.bottom() - bar.height() * io, bar.width(), bar.height() * io)
    painter.fillRect(top, QColor(colours.guest))
    painter.fillRect(bottom, QColor(colours.io))
    idle = QRectF(bar.left(), top.bottom(), bar.width(), bottom.top() - top.bottom())
    if idle.height() > 1:
        painter.fillRect(idle, QBrush(QColor(colours.edge), Qt.BrushStyle.BDiagPattern))
    painter.setPen(QPen(QColor(colours.edge), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar)
    painter.restore()
