"""Labels, tooltips and lines in the roles of the style sheet."""

import html

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from app.widgets.wrapped_label import WrappedLabel


def make_label(text: str = "", role: str = "", *, wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """Return a plain-text label.

    Args:
        text: Text to show.
        role: Role in the style sheet: title, lead, dim, warn, a load's and so on; empty for none.
        wrap: Wrap the text into lines.
        parent: Qt's parent.
    """
    made = WrappedLabel(text, parent) if wrap else QLabel(text, parent)
    made.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        made.setProperty("role", role)
    return made


def tooltip_text(text: str) -> str:
    """Return a tooltip that shows a text literally.

    Qt renders text that looks like HTML as HTML. Names of hosts and files can look like HTML.
    """
    if "<" not in text:
        return text
    return f'<span style="white-space: pre-wrap">{html.escape(text)}</span>'


def set_role(widget: QWidget, role: str, name: str = "role") -> None:
    """Change the role of a widget that is already visible.

    Args:
        widget: Widget to restyle.
        role: New value.
        name: Style-sheet property to set: `role`, `kind` or `look`.
    """
    if (widget.property(name) or "") == role:
        return
    widget.setProperty(name, role)
    widget.style().unpolish(widget)
    widget.style().polish(widget)


def make_hairline(parent: QWidget | None = None) -> QFrame:
    """Return a horizontal line, 1 pixel high."""
    line = QFrame(parent)
    line.setProperty("look", "line")
    line.setFixedHeight(1)
    return line


def make_selectable(made: QLabel) -> QLabel:
    """Allow selection of a label's text by mouse and keyboard; return the label."""
    made.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return made
