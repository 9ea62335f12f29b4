"""Table columns for splits with their split bar and for percentages."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QWidget

from app.display_texts import format_full
from app.theme.theme import Theme
from app.widgets.split_bar import BAR_SIZE, paint_split
from app.widgets.table_cells import CELL_ROLE, Cell, CellDelegate, SettingCell

_PAD_PX = 8


class SplitDelegate(CellDelegate):
    """Delegate that draws a split bar before the label of a setting with a split."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one cell."""
        cell = QStyleOptionViewItem(option)
        self.initStyleOption(cell, index)
        area, words = option.rect, cell.text
        style, draw = cell.widget.style(), QStyle.ControlElement.CE_ItemViewItem
        cell.text = ""
        style.drawControl(draw, cell, painter, cell.widget)
        found: Cell = index.data(CELL_ROLE)
        split = found.split if isinstance(found, SettingCell) else None
        if split is not None:
            top = area.top() + (area.height() - BAR_SIZE.height()) / 2
            box = QRectF(area.left() + _PAD_PX, top, BAR_SIZE.width(), BAR_SIZE.height())
            paint_split(painter, box, split, self._theme.palette)
        cell.text = words
        cell.rect = area.adjusted(BAR_SIZE.width() + _PAD_PX, 0, 0, 0)
        style.drawControl(draw, cell, painter, cell.widget)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the size of the cell with its bar."""
        return super().sizeHint(option, index) + QSize(BAR_SIZE.width() + _PAD_PX, 0)


class PercentDelegate(CellDelegate):
    """Delegate that shows numbers with one decimal; the table keeps full precision."""

    def words(self, cell: Cell) -> str:
        """Return a number with one decimal."""
        return format_full(cell, 1) if isinstance(cell, float) else super().words(cell)
