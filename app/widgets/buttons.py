"""Buttons of every kind: primary, secondary, danger, link, banner and tool.

A page has one primary button. A danger button changes a host or deletes data.
"""

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
    """Return the button for the main action of a page.

    Args:
        theme: Colours of the icon.
        text: Label that starts with a verb.
        icon: Icon name; empty for none.
        parent: Qt's parent.
    """
    button = _push_button(theme, text, icon, "primary", parent)
    button.setDefault(True)
    return button


def secondary_button(theme: Theme, text: str, icon: str = "", parent: QWidget | None = None) -> QPushButton:
    """Return a button for an ordinary action.

    Args:
        theme: Colours of the icon.
        text: Label.
        icon: Icon name; empty for none.
        parent: Qt's parent.
    """
    return _push_button(theme, text, icon, "", parent)


def set_button_rank(theme: Theme, button: QPushButton, icon: str, *, strong: bool) -> None:
    """Style a button as the main action of a page or as an ordinary action.

    Args:
        theme: Colours of the icon.
        button: Button to style.
        icon: Icon name.
        strong: True for the main action.
    """
    set_role(button, "primary" if strong else "secondary", "kind")
    button.setDefault(strong)
    set_icon(button, icon, theme, "on_accent" if strong else "text")


def danger_button(theme: Theme, text: str, icon: str = "", parent: QWidget | None = None) -> QPushButton:
    """Return a button for an action that changes a host or deletes data.

    Args:
        theme: Colours of the icon.
        text: Label.
        icon: Icon name; empty for none.
        parent: Qt's parent.
    """
    return _push_button(theme, text, icon, "danger", parent)


def link_button(theme: Theme, text: str, icon: str = "", parent: QWidget | None = None) -> QPushButton:
    """Return a button that looks like a link.

    Args:
        theme: Colours of the icon.
        text: Label.
        icon: Icon name; empty for none.
        parent: Qt's parent.
    """
    return _push_button(theme, text, icon, "link", parent)


def preset_button(theme: Theme, text: str, parent: QWidget | None = None) -> QPushButton:
    """Return a small checkable button for one of several presets.

    Args:
        theme: Colours.
        text: Name of the preset.
        parent: Qt's parent.
    """
    made = _push_button(theme, text, "", "preset", parent)
    made.setCheckable(True)
    return made


def warning_button(theme: Theme, parent: QWidget | None = None) -> QPushButton:
    """Return a hidden button that shows the number of warnings and opens them.

    The caller sets the text and shows the button.

    Args:
        theme: Colours of the icon.
        parent: Qt's parent.
    """
    made = _push_button(theme, "", "warning", "warning", parent)
    made.hide()
    return made


def banner_button(
    theme: Theme, text: str, icon: str = "", *, strong: bool = False, parent: QWidget | None = None
) -> QPushButton:
    """Return a button for the red banner.

    Args:
        theme: Colours of the icon.
        text: Label.
        icon: Icon name; empty for none.
        strong: True for the recommended action.
        parent: Qt's parent.
    """
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
    """Return a small icon button with a tooltip.

    Args:
        theme: Colours of the icon.
        text: Tooltip and accessible name.
        icon: Icon name.
        show_text: Show `text` next to the icon.
        checkable: Make the button a toggle.
        parent: Qt's parent.
    """
    button = QToolButton(parent)
    button.setText(text if show_text else escape_mnemonics(text))
    button.setAccessibleName(text)
    button.setToolTip(tooltip_text(text))
    button.setCheckable(checkable)
    button.setIconSize(QSize(18, 18))
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if show_text else Qt.ToolButtonStyle.ToolButtonIconOnly
    button.setToolButtonStyle(style)
    button.setProperty("words", show_text)  # frames hide these texts where space is short
    set_icon(button, icon, theme, "dim")
    return button


def set_busy(button: QAbstractButton, *, on: bool) -> None:
    """Disable a button while its work runs, and enable the button afterwards.

    Args:
        button: Button to change.
        on: True while the work runs.
    """
    button.setEnabled(not on)
