"""Rows of what is changed on a host: those that change stand out, those that stay as they are step back."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QStyleOptionViewItem, QWidget

from app.theme.theme import Theme
from app.widgets.table_cells import CELL_ROLE, CellDelegate

NOW, NEW = 2, 3
"""Columns of a parameter's value before and after."""


class ChangeDelegate(CellDelegate):
    """Bold where the new value is another one, dim where it is not.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Set font and colour by whether the row's value changes."""
        super().initStyleOption(option, index)
        now, new = (index.sibling(index.row(), column).data(CELL_ROLE) for column in (NOW, NEW))
        if now != new:
            option.font.setWeight(QFont.Weight.DemiBold)
        else:
            dim = QColor(self._theme.palette.dim)
            option.palette.setColor(QPalette.ColorRole.Text, dim)
            option.palette.setColor(QPalette.ColorRole.HighlightedText, dim)
