"""The words over the split that is marked."""

import pyqtgraph as pg
from PySide6.QtGui import QColor, QFont

from app.theme.tokens import Palette

_ABOVE_LINES = 10  # what lies over lines and marks
_BELOW_PX = 9.0  # between the words and the middle of the highest mark: half a mark and a gap
_MOST_FRAC = 0.4  # of the plot's height, for the words


class SplitLabel(pg.TextItem):
    """Stands over a split's place, inwards of it near an end: the words stay whole.

    Args:
        plot: The plot that it goes into.
    """

    def __init__(self, plot: pg.PlotItem) -> None:
        super().__init__(anchor=(0.5, 0))
        self.setZValue(_ABOVE_LINES)
        plot.addItem(self, ignoreBounds=True)
        self.hide()

    def height_px(self, room_px: float) -> float:
        """Return the height to reserve above the highest mark, in pixels; 0 while no split is marked.

        Args:
            room_px: Height of the plot.
        """
        if not self.isVisible():
            return 0.0
        return min(self.textItem.boundingRect().height() + _BELOW_PX, _MOST_FRAC * room_px)

    def keep_whole(self, ends: tuple[float, float], room_px: float) -> None:
        """Move the words inwards as far as they need, on an axis with these ends and so many pixels."""
        (low, high), room_px = ends, max(1.0, room_px)
        words_px = max(1.0, self.textItem.boundingRect().width())
        left_px = room_px * (self.x() - low) / (high - low)
        inside = max(1 - (room_px - left_px) / words_px, min(0.5, left_px / words_px))
        self.setAnchor((inside, 0))

    def restyle(self, palette: Palette, font: QFont) -> None:
        """Put on the colours of a palette."""
        self.setColor(QColor(palette.accent_text))
        self.fill = pg.mkBrush(palette.raised)  # no grid line through the words
        self.setFont(font)
