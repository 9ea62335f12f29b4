"""Text above the marked split."""

import pyqtgraph as pg
from PySide6.QtGui import QColor, QFont

from app.theme.tokens import Palette

_ABOVE_LINES = 10  # above lines and marks
_BELOW_PX = 9.0  # from the text to the centre of the highest mark: half a mark and a gap
_MOST_FRAC = 0.4  # of the plot's height, for the text


class SplitLabel(pg.TextItem):
    """Text above a split, moved inwards at an edge so that the text stays whole.

    Args:
        plot: Plot that gets the text.
    """

    def __init__(self, plot: pg.PlotItem) -> None:
        super().__init__(anchor=(0.5, 0))
        self.setZValue(_ABOVE_LINES)
        plot.addItem(self, ignoreBounds=True)
        self.hide()

    def height_px(self, room_px: float) -> float:
        """Return the height to reserve above the highest mark, pixels; 0 without a mark.

        Args:
            room_px: Height of the plot, pixels.
        """
        if not self.isVisible():
            return 0.0
        return min(self.textItem.boundingRect().height() + _BELOW_PX, _MOST_FRAC * room_px)

    def keep_whole(self, ends: tuple[float, float], room_px: float) -> None:
        """Move the text inwards until the text fits.

        Args:
            ends: Range of the lower axis.
            room_px: Width of the axis, pixels.
        """
        (low, high), room_px = ends, max(1.0, room_px)
        words_px = max(1.0, self.textItem.boundingRect().width())
        left_px = room_px * (self.x() - low) / (high - low)
        inside = max(1 - (room_px - left_px) / words_px, min(0.5, left_px / words_px))
        self.setAnchor((inside, 0))

    def restyle(self, palette: Palette, font: QFont) -> None:
        """Apply the colours of a palette.

        Args:
            palette: Current colours.
            font: Font of the text.
        """
        self.setColor(QColor(palette.accent_text))
        self.fill = pg.mkBrush(palette.raised)  # no grid line crosses the text
        self.setFont(font)
