"""Cells of tables: text, alignment and drawing.

The delegate reads a cell once. Qt's own delegate reads a cell nine times through two models.
"""

from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from app.display_texts import MINUS, format_full
from scheduler.model.split import Split


@dataclass(frozen=True, slots=True)
class SettingCell:
    """A setting in a table.

    Attributes:
        text: Its name.
        split: The split that a bar shows; None for a setting without one.
    """

    text: str
    split: Split | None

    def __str__(self) -> str:
        """Return the name, as a table copies and exports it."""
        return self.text


Cell = str | float | int | bool | SettingCell | None

CELL_ROLE = int(Qt.ItemDataRole.UserRole) + 1
"""Role of the raw cell: a number in full precision, None for an empty cell."""

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def show_cell(cell: Cell) -> str:
    """Return the text of a cell."""
    if cell is None:
        return "\N{EM DASH}"
    if isinstance(cell, bool):
        return "\N{CHECK MARK}" if cell else "\N{EM DASH}"
    if isinstance(cell, float):
        return format_full(cell)
    return str(cell)


def cell_alignment(cell: Cell) -> Qt.AlignmentFlag:
    """Return the alignment of a cell: right for numbers, left for text."""
    return RIGHT if isinstance(cell, float | int) else LEFT


class CellDelegate(QStyledItemDelegate):
    """Delegate that draws the cells of a `TableModel`.

    The model has no fonts, colours, icons or check marks of its own.
    """

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Set the text and the alignment of a cell."""
        cell: Cell = index.data(CELL_ROLE)
        option.index = cast("QModelIndex", index)  # views draw with a plain index only
        option.text = self.words(cell)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
        option.displayAlignment = cell_alignment(cell)

    def words(self, cell: Cell) -> str:
        """Return the text of a cell; subclasses may shorten it."""
        return typeset_cell(cell, show_cell(cell))


def typeset_cell(cell: Cell, text: str) -> str:
    """Return a cell's text with a typographic minus sign.

    Copied text keeps the hyphen, which spreadsheets can read.

    Args:
        cell: The raw cell.
        text: Text of the cell.
    """
    return text.replace("-", MINUS) if isinstance(cell, float | int) else text
