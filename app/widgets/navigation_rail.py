"""Navigation rail: the narrow column of places at the left edge."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QToolButton, QVBoxLayout, QWidget

from app.theme.icons import set_icon
from app.theme.theme import Theme
from app.theme.tokens import SPACE_S, SPACE_XS
from app.widgets.labels import set_role
from scheduler.translation import _

_WIDTH_PX = 104
_COMPACT_PX = 56
_UNLIMITED_PX = 16_777_215  # QWIDGETSIZE_MAX, which PySide6 does not export
_AROUND_PX = 2 * SPACE_S + 1  # margins and the line at the right


class NavigationRail(QFrame):
    """Column of buttons, of which one place is selected.

    Signals:
        chosen: Key of the pressed button.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._compact = False
        self.setProperty("look", "rail")
        self.setFixedWidth(_WIDTH_PX)
        self.setAccessibleName(_("Places"))
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QToolButton] = {}
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(SPACE_S, SPACE_S, SPACE_S, SPACE_S)
        self._box.setSpacing(SPACE_XS)
        theme.changed.connect(self._fit_width)

    def add_place(self, key: str, text: str, icon: str, *, place: bool = True) -> QToolButton:
        """Append a button and return it.

        Args:
            key: Key that `chosen` emits.
            text: Label and accessible name.
            icon: Icon name.
            place: False for a button that is never selected, such as Help.
        """
        button = QToolButton()
        button.setText(text)
        button.setAccessibleName(text)
        button.setProperty("kind", "rail")
        button.setCheckable(place)
        button.setIconSize(QSize(22, 22))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_icon(button, icon, self._theme, "text")
        if place:
            self._group.addButton(button)
        button.clicked.connect(lambda: self.chosen.emit(key))
        self._buttons[key] = button
        self._box.addWidget(button)
        self._fit_width()
        return button

    def name(self, key: str, text: str) -> None:
        """Rename a place.

        Args:
            key: Key of the place.
            text: New label and accessible name.
        """
        button = self._buttons[key]
        button.setText(text)
        button.setAccessibleName(text)
        button.setToolTip(text if self._compact else "")
        self._fit_width()

    def add_stretch(self) -> None:
        """Move all buttons that follow to the bottom."""
        self._box.addStretch(1)

    def set_compact(self, *, compact: bool) -> None:
        """Show icons only, for small windows; move the names into tooltips."""
        if compact == self._compact:
            return
        self._compact = compact
        style = Qt.ToolButtonStyle.ToolButtonIconOnly if compact else Qt.ToolButtonStyle.ToolButtonTextUnderIcon
        self._box.setSpacing(0 if compact else SPACE_XS)
        for button in self._buttons.values():
            button.setToolButtonStyle(style)
            button.setToolTip(button.text() if compact else "")
            set_role(button, "rail-compact" if compact else "rail", "kind")
        self._fit_width()

    def _fit_width(self) -> None:
        """Set the width that the longest name needs."""
        buttons = self._buttons.values()
        for button in buttons:
            button.ensurePolished()
        least_px = _COMPACT_PX if self._compact else _WIDTH_PX
        for button in buttons:
            button.setMinimumWidth(0)
            button.setMaximumWidth(_UNLIMITED_PX)
        width_px = max(least_px, *(button.sizeHint().width() + _AROUND_PX for button in buttons))
        self.setFixedWidth(width_px)
        for button in buttons:
            button.setFixedWidth(width_px - _AROUND_PX)

    def choose(self, key: str) -> None:
        """Select a place; ignore an unknown key."""
        if key in self._buttons:
            self._buttons[key].setChecked(True)

    def enable(self, key: str, *, on: bool) -> None:
        """Enable or disable a place.

        Args:
            key: Key of the place.
            on: True to enable.
        """
        self._buttons[key].setEnabled(on)

    def button(self, key: str) -> QToolButton:
        """Return the button of a place.

        Raises:
            KeyError: The key is unknown.
        """
        return self._buttons[key]
