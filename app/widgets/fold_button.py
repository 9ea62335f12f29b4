"""Button that opens and closes a part of a page."""

from PySide6.QtWidgets import QPushButton, QWidget

from app.theme.icons import set_icon
from app.theme.theme import Theme


class FoldButton(QPushButton):
    """Toggle with a chevron and a link-coloured text; closed at first.

    Args:
        theme: Colours.
        words: Text with a mnemonic. The accessible name omits the mnemonic.
        part: Widget to show and hide; None if the owner handles `toggled`.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, words: str, part: QWidget | None = None, parent: QWidget | None = None) -> None:
        super().__init__(words, parent)
        self._theme = theme
        self._part = part
        self.setProperty("kind", "link")
        self.setAutoDefault(False)
        self.setCheckable(True)
        self.setAccessibleName(words.replace("&", ""))
        set_icon(self, "chevron-right", theme, "accent_text")
        if part is not None:
            part.hide()
        self.toggled.connect(self._show_opened)

    def _show_opened(self, opened: bool) -> None:  # noqa: FBT001 - Qt's slot
        set_icon(self, "chevron-down" if opened else "chevron-right", self._theme, "accent_text")
        if self._part is not None:
            self._part.setVisible(opened)
