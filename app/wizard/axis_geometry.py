"""Where everything of the split axis stands, for one width and one set of splits; no painting here."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetrics

from app.wizard.split_scale import chip_rows, scale_end, sort_by_position, split_position

_PAD_PX = 12
_CHIP_EXTRA_PX = 8  # room above and below a chip's words
_LANE_GAP_PX = 6
_STEM_PX = 14
_CROSS_PX = 16


class AxisGeometry:
    """Positions in device-independent pixels.

    Args:
        labels: The splits, in any order.
        width: Width of the axis.
        metrics: The font's.
    """

    def __init__(self, labels: Sequence[str], width: int, metrics: QFontMetrics) -> None:
        self.labels = sort_by_position(labels)
        self.width = width
        self._line = metrics.height()
        self._end = scale_end(labels)
        self._chip_width = max(metrics.horizontalAdvance(text) for text in ("10:10", *labels)) + 22
        places = [self.x_of(split_position(text)) for text in self.labels]
        self._lanes = chip_rows(places, self._chip_width + 4)
        self.lane_count = max([0, *self._lanes]) + 1

    @property
    def chip_height(self) -> float:
        """Height of a chip."""
        return self._line + _CHIP_EXTRA_PX + 8

    @property
    def axis_y(self) -> float:
        """Where the line is."""
        return _PAD_PX / 2 + self.lane_count * (self.chip_height + _LANE_GAP_PX) + _STEM_PX

    @property
    def height(self) -> int:
        """Height of everything: chips, line, ticks, and the words under them."""
        return round(self.axis_y + 14 + 2 * self._line + _PAD_PX)

    def x_of(self, at: float) -> float:
        """Return where a position (ln of the ratio) is."""
        margin = self._chip_width / 2 + _PAD_PX
        return margin + (at + self._end) / (2 * self._end) * max(1.0, self.width - 2 * margin)

    def at(self, x: float) -> float:
        """Return the position at a place."""
        margin = self._chip_width / 2 + _PAD_PX
        return (x - margin) / max(1.0, self.width - 2 * margin) * 2 * self._end - self._end

    def chip(self, label: str) -> QRectF:
        """Return a chip's area; raises ValueError for a split that is not there."""
        lane = self._lanes[self.labels.index(label)]
        bottom = self.axis_y - _STEM_PX - lane * (self.chip_height + _LANE_GAP_PX)
        x = self.x_of(split_position(label))
        return QRectF(x - self._chip_width / 2, bottom - self.chip_height, self._chip_width, self.chip_height)

    def cross(self, label: str) -> QRectF:
        """Return the area of the small cross that removes a chip."""
        corner = self.chip(label).topRight()
        return QRectF(corner.x() - _CROSS_PX / 2 - 3, corner.y() - _CROSS_PX / 2 + 3, _CROSS_PX, _CROSS_PX)

    def on_scale(self, place: QPointF) -> bool:
        """Return whether a place is on the scale, below the chips: there, and only there, a click adds a split."""
        return place.y() >= self.axis_y - _STEM_PX

    def under(self, place: QPointF) -> str | None:
        """Return the split whose chip is at a place; None when there is none."""
        return next((text for text in reversed(self.labels) if self.chip(text).contains(place)), None)
