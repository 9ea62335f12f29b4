"""Order of the Tab key for widgets that are created late."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def set_tab_order_after(before: QWidget, part: QWidget) -> QWidget:
    """Insert the fields of a widget into the Tab order; return its last field.

    Args:
        before: Widget that precedes the fields.
        part: Widget whose fields follow, from top to bottom.
    """
    for each in part.findChildren(QWidget):
        if each.focusPolicy() & Qt.FocusPolicy.TabFocus and each.window() is part.window():  # skip popup windows
            QWidget.setTabOrder(before, each)
            before = each
    return before
