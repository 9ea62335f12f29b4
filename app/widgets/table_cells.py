"""How a table's cells are drawn: each asks its model once, for Qt would ask nine times and through two models."""

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
"""The cell itself: a number in full, None where there is nothing."""

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def show_cell(cell: Cell) -> str:
    """Return a cell as people read it."""
    if cell is None:
        return "\N{EM DASH}"
    if isinstance(cell, bool):
        return "\N{CHECK MARK}" if cell else "\N{EM DASH}"
    if isinstance(cell, float):
        return format_full(cell)
    return str(cell)


def cell_alignment(cell: Cell) -> Qt.AlignmentFlag:
    """Return where a cell's words stand: numbers on the right."""
    return RIGHT if isinstance(cell, float | int) else LEFT


class CellDelegate(QStyledItemDelegate):
    """Draws one cell of a `TableModel`; the model has no fonts, colours, icons or check marks of its own."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Say what stands in the cell, and where."""
        cell: Cell = index.data(CELL_ROLE)
        option.index = cast("QModelIndex", index)  # all that views ever draw
        option.text = self.words(cell)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
        option.displayAlignment = cell_alignment(cell)

    def words(self, cell: Cell) -> str:
        """Return a cell as it is shown; subclasses may say it shorter than the table does."""
        return typeset_cell(cell, show_cell(cell))


def typeset_cell(cell: Cell, text: str) -> str:
    """Return a cell's text with a number's minus sign; what is copied keeps the hyphen, which spreadsheets read."""
    return text.replace("-", MINUS) if isinstance(cell, float | int) else text
