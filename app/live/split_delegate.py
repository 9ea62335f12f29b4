"""Table columns that show splits with their two-colour bar, and percents with one decimal."""

import math

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.theme.theme import Theme
from app.widgets.split_bar import BAR_SIZE, as_split, paint_split

_PAD_PX = 10


class SplitDelegate(QStyledItemDelegate):
    """Draws the bar before the label; a label that is not a split gets none."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one cell."""
        shifted = QStyleOptionViewItem(option)
        area = option.rect
        shifted.rect = area.adjusted(BAR_SIZE.width() + _PAD_PX, 0, 0, 0)
        whole = QStyleOptionViewItem(option)
        self.initStyleOption(whole, index)
        whole.text = ""
        widget = whole.widget
        widget.style().drawControl(widget.style().ControlElement.CE_ItemViewItem, whole, painter, widget)
        split = as_split(str(index.data()))
        if split is not None:
            top = area.top() + (area.height() - BAR_SIZE.height()) / 2
            box = QRectF(area.left() + _PAD_PX, top, BAR_SIZE.width(), BAR_SIZE.height())
            paint_split(painter, box, split, self._theme.palette)
        super().paint(painter, shifted, index)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Make room for the bar."""
        return super().sizeHint(option, index) + QSize(BAR_SIZE.width() + _PAD_PX, 0)


class PercentDelegate(QStyledItemDelegate):
    """Shows a number with one decimal, so that a column of them lines up; the table keeps it in full."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Put the number's words in."""
        super().initStyleOption(option, index)
        value = index.data(Qt.ItemDataRole.UserRole)
        if isinstance(value, float) and math.isfinite(value):
            option.text = f"{value:.1f}"
