"""Labels in the roles of the style sheet."""

import html

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.widgets.wrapped_label import WrappedLabel


def make_label(text: str = "", role: str = "", *, wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """Return a label; roles: display, title, lead, large, strong, dim, warn, danger, good, io, guest, a load's."""
    made = WrappedLabel(text, parent) if wrap else QLabel(text, parent)
    made.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        made.setProperty("role", role)
    return made


def tooltip_text(text: str) -> str:
    """Return a tooltip that shows just this text: Qt takes what looks like HTML for HTML, and names are others'."""
    if "<" not in text:
        return text
    return f'<span style="white-space: pre-wrap">{html.escape(text)}</span>'


def set_role(widget: QWidget, role: str, name: str = "role") -> None:
    """Change the role of a widget that is already shown."""
    if (widget.property(name) or "") == role:
        return
    widget.setProperty(name, role)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def make_hairline(parent: QWidget | None = None) -> QFrame:
    """Return a horizontal line of one pixel."""
    line = QFrame(parent)
    line.setProperty("look", "line")
    line.setFixedHeight(1)
    return line


def make_selectable(made: QLabel) -> QLabel:
    """Let the label's text be selected and copied by mouse and keyboard."""
    made.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return made
