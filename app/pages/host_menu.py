"""Menu of a host's card: rename, probe at the start, remove from the list."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QLineEdit, QMenu, QToolButton, QWidget

from app.theme.icons import set_icon
from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import primary_button, secondary_button
from app.widgets.dialog_layout import add_dialog_buttons, add_dialog_column, buttons_row, show_dialog
from app.widgets.labels import make_label, tooltip_text
from scheduler.translation import _

_WIDTH_PX = 420


class HostMenu(QToolButton):
    """Button with the menu of a host's card.

    Args:
        theme: Colours.
        title: Displayed name of the host.
        keeps: True for a host that cannot be removed.
        looks: True if the window probes the host at the start.
        parent: Qt's parent.

    Signals:
        renamed: New displayed name; empty for the host's own name.
        looked: True if the window may probe the host at the start.
        removed: The user wants to remove the host from the list.
    """

    renamed = Signal(str)
    looked = Signal(bool)
    removed = Signal()

    def __init__(self, theme: Theme, title: str, *, keeps: bool, looks: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.rename(title)
        set_icon(self, "more", theme, "dim")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setProperty("kind", "menu")
        menu = QMenu(self)
        self.rename_action = self._add_action(menu, _("&Rename\N{HORIZONTAL ELLIPSIS}"))
        self.look_action = self._add_action(menu, _("&Check at start"))
        self.look_action.setCheckable(True)
        self.look_action.setChecked(looks)
        self.remove_action = self._add_action(menu, _("Remove from the &list"))
        self.remove_action.setEnabled(not keeps)
        self.setMenu(menu)
        self.rename_action.triggered.connect(self._ask_name)
        self.look_action.toggled.connect(self.looked)
        self.remove_action.triggered.connect(self.removed)

    def rename(self, title: str) -> None:
        """Set the host's displayed name in tooltip and accessible name."""
        self._title = title
        name = _("More actions for {title}").format(title=title)
        self.setAccessibleName(name)
        self.setToolTip(tooltip_text(name))

    def _add_action(self, menu: QMenu, text: str) -> QAction:
        action = QAction(text, self)
        menu.addAction(action)
        return action

    def _ask_name(self) -> None:
        asking = HostNameDialog(self._theme, self._title, self.window())
        asking.accepted.connect(lambda: self.renamed.emit(asking.name.text().strip()))
        show_dialog(asking)


class HostNameDialog(QDialog):
    """Dialog for a host's displayed name.

    Args:
        theme: Colours.
        title: Current displayed name.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Rename this host"))
        box = add_dialog_column(self, SPACE_S, wide_px=_WIDTH_PX)
        box.addWidget(make_label(self.windowTitle(), "title"))
        self.name = QLineEdit(title)
        self.name.setAccessibleName(_("Name"))
        self.name.setPlaceholderText(_("Default: the name of the host"))
        self.name.selectAll()
        box.addWidget(self.name)
        words = _("The name is shown in this window only. The host is not renamed.")
        box.addWidget(make_label(words, "dim", wrap=True))
        self.save = primary_button(theme, _("Save"))
        self.cancel = secondary_button(theme, _("Cancel"))
        add_dialog_buttons(self, buttons_row(self.cancel, self.save))
        self.save.clicked.connect(self.accept)
        self.cancel.clicked.connect(self.reject)
