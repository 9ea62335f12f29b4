"""Label that can break long names.

Without break marks, a host address or a path would make its container as wide as itself.
"""

import re
from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QClipboard, QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QLabel, QMenu, QWidget

from scheduler.translation import _

_MAY_BREAK, _MUST_NOT = "\N{ZERO WIDTH SPACE}", "\N{WORD JOINER}"
_LONG_CHARS = 20
_LONG = re.compile(rf"\S{{{_LONG_CHARS},}}")
_AFTER = re.compile(r"(?<=[/.:@_?=&,;-])(?=\w)")
_ENDLESS = re.compile(r"[^\u200b]{24}(?=[^\u200b]{4})")
_MOST_WIDTHS = 30
_TOGETHER = re.compile(r"\b(\w)/(\w)\b")  # I/O


def insert_break_marks(text: str) -> str:
    """Return a text with break marks inside long names and none inside `I/O`."""
    if "/" in text:
        text = _TOGETHER.sub(rf"\1/{_MUST_NOT}\2", text)
    if any(len(word) >= _LONG_CHARS for word in text.split()):  # most texts need no search by pattern
        text = _LONG.sub(lambda found: _break_long_word(found[0]), text)
    return text


def remove_break_marks(text: str) -> str:
    """Return a text without the marks of `insert_break_marks`."""
    return text.replace(_MAY_BREAK, "").replace(_MUST_NOT, "")


def _break_long_word(word: str) -> str:
    return _ENDLESS.sub(rf"\g<0>{_MAY_BREAK}", _AFTER.sub(_MAY_BREAK, word))


class WrappedLabel(QLabel):
    """Label that wraps its text and hides the break marks from all readers.

    `text()`, copies and screen readers get the original text. The label caches its height per width: nested layouts ask
    ten times for the same height, and Qt repeats the layout each time. That took half of the time to fill a page.

    Args:
        text: Text to show.
        parent: Qt's parent.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._told = ""
        self._heights_px: dict[int, int] = {}
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setText(text)

    def setText(self, text: str) -> None:
        """Set the text."""
        shown = insert_break_marks(text)
        self._heights_px.clear()
        super().setText(shown)
        if self.accessibleName() == self._told:  # keep a name that the owner has set
            self._told = text if shown != text else ""
            self.setAccessibleName(self._told)

    def clear(self) -> None:
        """Clear the text."""
        self.setText("")

    def heightForWidth(self, width: int) -> int:
        """Return the height at a width, pixels."""
        if width not in self._heights_px:
            if len(self._heights_px) > _MOST_WIDTHS:  # the user is resizing the window
                self._heights_px.clear()
            self._heights_px[width] = super().heightForWidth(width)
        return self._heights_px[width]

    def changeEvent(self, event: QEvent) -> None:
        """Clear the cached heights when the font or another property changes."""
        self._heights_px.clear()
        super().changeEvent(event)

    def setWordWrap(self, on: bool) -> None:  # noqa: FBT001 - Qt's
        """Turn wrapping on or off."""
        self._heights_px.clear()
        super().setWordWrap(on)

    def setIndent(self, indent: int) -> None:
        """Set the indent of each line, pixels."""
        self._heights_px.clear()
        super().setIndent(indent)

    def setContentsMargins(self, *margins: Any) -> None:  # noqa: ANN401 - four numbers, or one QMargins
        """Set the margins around the text, pixels."""
        self._heights_px.clear()
        super().setContentsMargins(*margins)

    def setTextFormat(self, text_format: Qt.TextFormat) -> None:
        """Set the text format: plain or rich."""
        self._heights_px.clear()
        super().setTextFormat(text_format)

    def setTextInteractionFlags(self, flags: Qt.TextInteractionFlag) -> None:
        """Set the interaction flags; selectable text has another layout."""
        self._heights_px.clear()
        super().setTextInteractionFlags(flags)

    def text(self) -> str:
        """Return the original text."""
        return remove_break_marks(super().text())

    def selectedText(self) -> str:
        """Return the selected part of the original text."""
        return remove_break_marks(super().selectedText())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the original text without break marks."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy_selection(QClipboard.Mode.Clipboard)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Provide the selection without break marks for the middle button."""
        super().mouseReleaseEvent(event)
        if QGuiApplication.clipboard().supportsSelection():
            self._copy_selection(QClipboard.Mode.Selection)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the copy menu for selectable text."""
        if not self.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse:
            event.ignore()
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy, everything = QAction(_("&Copy"), menu), QAction(_("Select &all"), menu)
        copy.setEnabled(self.hasSelectedText())
        copy.triggered.connect(lambda: self._copy_selection(QClipboard.Mode.Clipboard))
        everything.triggered.connect(lambda: self.setSelection(0, len(super(WrappedLabel, self).text())))
        menu.addActions([copy, everything])
        menu.popup(event.globalPos())

    def _copy_selection(self, mode: QClipboard.Mode) -> None:
        if self.hasSelectedText():
            QGuiApplication.clipboard().setText(self.selectedText(), mode)
