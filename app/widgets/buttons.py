"""Buttons: one primary action per page, secondary ones beside it, danger for what changes a host, tool for icons."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QAbstractButton, QPushButton, QToolButton, QWidget

from app.display_texts import escape_mnemonics
from app.theme.icons import set_icon
from app.theme.theme import Theme
from app.widgets.labels import set_role, tooltip_text

_ICON_COLOURS = {
    "primary": "on_accent",
    "danger": "danger_text",
    "on-banner": "on_banner",
    "on-banner-strong": "banner",
    "link": "accent_text",
    "warning": "warn_text",
}


def _push_button(theme: Theme, text: str, icon: str, kind: str, parent: QWidget | None) -> QPushButton:
    button = QPushButton(text, parent)
    if kind:
        button.setProperty("kind", kind)
    button.setAutoDefault(False)
    if icon:
        set_icon(button, icon, theme, _ICON_COLOURS.get(kind, "text"))
    return button


def primary_button(theme: Theme, text: str, icon: str = "", parent: QWidget | None = None) -> QPushButton:
    """Return the page's one main action, named with a verb."""
    button = _push_button(theme, text, icon, "primary", parent)
    button.setDefault(True)
    return button


def secondary_button(theme: Theme, text: str, icon: str = "", parent: QWidget | None = None) -> QPushButton:
    """Return an ordinary action."""
    return _push_button(theme, text, icon, "", parent)


def set_button_rank(theme: Theme, button: QPushButton, icon: str, *, strong: bool) -> None:
    """Make a button the page's main action, or an ordinary one."""
    set_role(button, "primary" if strong else "secondary", "kind")
    button.setDefault(strong)
    set_icon(button, icon, theme, "on_accent" if strong else "text")


def danger_button(theme: Theme, text: str, icon: str = "", parent: QWidget | None = None) -> QPushButton:
    """Return an action that changes a host or throws something away."""
    return _push_button(theme, text, icon, "danger", parent)


def link_button(theme: Theme, text: str, icon: str = "", parent: QWidget | None = None) -> QPushButton:
    """Return an action that looks like a link."""
    return _push_button(theme, text, icon, "link", parent)


def warning_button(theme: Theme, parent: QWidget | None = None) -> QPushButton:
    """Return a button that counts warnings and leads to them; hidden until it has a text."""
    made = _push_button(theme, "", "warning", "warning", parent)
    made.hide()
    return made


def banner_button(
    theme: Theme, text: str, icon: str = "", *, strong: bool = False, parent: QWidget | None = None
) -> QPushButton:
    """Return an action that lies on the red banner; the strong one is what to do."""
    return _push_button(theme, text, icon, "on-banner-strong" if strong else "on-banner", parent)


def tool_button(
    theme: Theme,
    text: str,
    icon: str,
    *,
    show_text: bool = False,
    checkable: bool = False,
    parent: QWidget | None = None,
) -> QToolButton:
    """Return a small icon button; `text` is its name for screen readers and its tooltip, shown beside it if asked."""
    button = QToolButton(parent)
    button.setText(text if show_text else escape_mnemonics(text))
    button.setAccessibleName(text)
    button.setToolTip(tooltip_text(text))
    button.setCheckable(checkable)
    button.setIconSize(QSize(18, 18))
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if show_text else Qt.ToolButtonStyle.ToolButtonIconOnly
    button.setToolButtonStyle(style)
    button.setProperty("words", show_text)  # for frames that leave them out where there is little room
    set_icon(button, icon, theme, "dim")
    return button


def set_busy(button: QAbstractButton, *, on: bool) -> None:
    """Disable a button while its work runs; enable it again after."""
    button.setEnabled(not on)
