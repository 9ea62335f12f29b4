"""The order of the Tab key, for parts that are made after what stands behind them."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def set_tab_order_after(before: QWidget, part: QWidget) -> QWidget:
    """Have the Tab key go from a widget through all of a part, from top to bottom; return the part's last."""
    for each in part.findChildren(QWidget):
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.window() is part.window():  # a list's own is another
            QWidget.setTabOrder(before, each)
            before = each
    return before
