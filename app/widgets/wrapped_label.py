"""A label whose long names break: a host's address or a path would else make whatever holds it as wide as itself."""

import re
from typing import Any

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QClipboard, QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QLabel, QMenu, QWidget

_MAY_BREAK, _MUST_NOT = "\N{ZERO WIDTH SPACE}", "\N{WORD JOINER}"
_LONG = re.compile(r"\S{20,}")
_AFTER = re.compile(r"(?<=[/.:@_?=&,;-])(?=\w)")
_ENDLESS = re.compile(r"[^\u200b]{24}(?=[^\u200b]{4})")
_MOST_WIDTHS = 30
_TOGETHER = re.compile(r"\b(\w)/(\w)\b")  # I/O


def insert_break_marks(text: str) -> str:
    """Return a text that may break after the signs in long names, and nowhere in `I/O`."""
    text = _TOGETHER.sub(rf"\1/{_MUST_NOT}\2", text)
    return _LONG.sub(lambda found: _break_long_word(found[0]), text)


def remove_break_marks(text: str) -> str:
    """Return a text without what `breakable` put in."""
    return text.replace(_MAY_BREAK, "").replace(_MUST_NOT, "")


def _break_long_word(word: str) -> str:
    return _ENDLESS.sub(rf"\g<0>{_MAY_BREAK}", _AFTER.sub(_MAY_BREAK, word))


class WrappedLabel(QLabel):
    """Wraps its text; what is read from it, copied or told by a screen reader is the text as it was set.

    It remembers how high it is at a width: layouts in each other ask ten times for the same, and Qt lays the text out
    each time, which took half of what filling a page took.

    Args:
        text: What it shows.
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
        """Show another text."""
        shown = insert_break_marks(text)
        self._heights_px.clear()
        super().setText(shown)
        if self.accessibleName() == self._told:  # or a name of its own was given
            self._told = text if shown != text else ""
            self.setAccessibleName(self._told)

    def clear(self) -> None:
        """Show nothing."""
        self.setText("")

    def heightForWidth(self, width: int) -> int:
        """Return the height at a width, pixels."""
        if width not in self._heights_px:
            if len(self._heights_px) > _MOST_WIDTHS:  # an edge of the window is being dragged
                self._heights_px.clear()
            self._heights_px[width] = super().heightForWidth(width)
        return self._heights_px[width]

    def changeEvent(self, event: QEvent) -> None:
        """Forget the heights with the font, or whatever else has changed."""
        self._heights_px.clear()
        super().changeEvent(event)

    def setWordWrap(self, on: bool) -> None:  # noqa: FBT001 - Qt's
        """Wrap, or not."""
        self._heights_px.clear()
        super().setWordWrap(on)

    def setIndent(self, indent: int) -> None:
        """Begin each line so many pixels further in."""
        self._heights_px.clear()
        super().setIndent(indent)

    def setContentsMargins(self, *margins: Any) -> None:  # noqa: ANN401 - four numbers, or one QMargins
        """Keep so much room around the text."""
        self._heights_px.clear()
        super().setContentsMargins(*margins)

    def setTextFormat(self, text_format: Qt.TextFormat) -> None:
        """Take the text for plain or for rich."""
        self._heights_px.clear()
        super().setTextFormat(text_format)

    def setTextInteractionFlags(self, flags: Qt.TextInteractionFlag) -> None:
        """Let the text be selected, which Qt lays it out in another way for."""
        self._heights_px.clear()
        super().setTextInteractionFlags(flags)

    def text(self) -> str:
        """Return the text as it was set."""
        return remove_break_marks(super().text())

    def selectedText(self) -> str:
        """Return what is selected of it."""
        return remove_break_marks(super().selectedText())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy what was set, not what helps to break it."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy_selection(QClipboard.Mode.Clipboard)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Likewise for what the middle button pastes."""
        super().mouseReleaseEvent(event)
        if QGuiApplication.clipboard().supportsSelection():
            self._copy_selection(QClipboard.Mode.Selection)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to copy where something can be selected."""
        if not self.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse:
            event.ignore()
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy, everything = QAction(self.tr("&Copy"), menu), QAction(self.tr("Select &all"), menu)
        copy.setEnabled(self.hasSelectedText())
        copy.triggered.connect(lambda: self._copy_selection(QClipboard.Mode.Clipboard))
        everything.triggered.connect(lambda: self.setSelection(0, len(super(WrappedLabel, self).text())))
        menu.addActions([copy, everything])
        menu.popup(event.globalPos())

    def _copy_selection(self, mode: QClipboard.Mode) -> None:
        if self.hasSelectedText():
            QGuiApplication.clipboard().setText(self.selectedText(), mode)
