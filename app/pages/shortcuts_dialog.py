"""Dialog with all shortcuts of the window."""

from collections.abc import Iterable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QHeaderView, QWidget

from app.widgets.dialog_layout import add_dialog_buttons, add_dialog_column, close_row
from app.widgets.labels import make_label
from app.widgets.shortcuts import list_shortcuts
from app.widgets.table import TableView
from scheduler.translation import _


class ShortcutsDialog(QDialog):
    """Sheet of shortcuts."""

    def __init__(self, actions: Iterable[QAction], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Keyboard shortcuts"))
        self.resize(560, 520)
        box = add_dialog_column(self)
        box.addWidget(make_label(_("Keyboard shortcuts"), "title"))
        self.table = TableView(_("Keyboard shortcuts"), list_shortcuts(actions))
        self.table.horizontalHeader().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        box.addWidget(self.table, 1)
        add_dialog_buttons(self, close_row(self))
