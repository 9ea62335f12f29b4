"""Label for short texts in Markdown: headings, paragraphs, lists and code."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget


class MarkdownLabel(QLabel):
    """Selectable text in Markdown that wraps; it loads nothing and follows no links."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.MarkdownText)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )

    def show_text(self, text: str) -> None:
        """Show a text without its first heading of level 1; the page shows the title."""
        first, _, rest = text.partition("\n")
        self.setText(rest.lstrip("\n") if first.startswith("# ") else text)
        self.setVisible(bool(text))
