"""Search in the pages of a document reader."""

from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPalette, QShortcut, QTextCursor, QTextDocument
from PySide6.QtWidgets import QLineEdit, QTextBrowser, QTextEdit, QWidget

from scheduler.translation import _

_MOST_MARKS = 500


class PageTexts(QObject):
    """Texts of all pages in lower-case letters, one file per turn of the event loop.

    Signals:
        loaded: All pages are read.

    Args:
        paths: Files of the pages.
        parent: Qt's parent.
    """

    loaded = Signal()

    def __init__(self, paths: list[Path], parent: QObject) -> None:
        super().__init__(parent)
        self.texts: dict[Path, str] = {}
        self._left = list(paths)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._read_next)
        self._timer.start()

    def matching(self, words: str) -> set[Path]:
        """Return the pages that contain every word."""
        parts = words.lower().split()
        return {path for path, text in self.texts.items() if all(part in text for part in parts)}

    def _read_next(self) -> None:
        if not self._left:
            self._timer.stop()
            self.loaded.emit()
            return
        path = self._left.pop()
        try:
            self.texts[path] = path.read_text(encoding="utf-8", errors="replace").lower()
        except OSError:
            self.texts[path] = ""


class PageSearch(QLineEdit):
    """Field that filters the pages by words and marks them in the shown page.

    Enter goes to the next place, Ctrl+F to the field.

    Args:
        text: Shown page.
        parent: Qt's parent.

    Signals:
        searched: The typed words changed.
        next_wanted: The shown page has no further place.
    """

    searched = Signal(str)
    next_wanted = Signal()

    def __init__(self, text: QTextBrowser, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = text
        self.setPlaceholderText(_("Search all pages"))
        self.setAccessibleName(_("Search all pages"))
        self.setClearButtonEnabled(True)
        self.textChanged.connect(lambda: self.searched.emit(self.words))
        keys = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), parent)
        keys.activated.connect(lambda: self.setFocus(Qt.FocusReason.ShortcutFocusReason))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the next place with Enter, without pressing the default button."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.go_to_next()
            event.accept()
        else:
            super().keyPressEvent(event)

    @property
    def words(self) -> str:
        """Typed words."""
        return self.text().strip()

    def mark_words(self) -> None:
        """Mark the words in the shown page, and go to the first place."""
        marks = [mark for word in self._terms() for mark in self._marks_of(word)]
        self._text.setExtraSelections(marks)
        if marks:
            self._text.moveCursor(QTextCursor.MoveOperation.Start)
            self._find_next()

    def go_to_next(self) -> None:
        """Go to the next place in the page, or ask for the next page."""
        if self.words and not self._find_next():
            self.next_wanted.emit()

    def _find_next(self) -> bool:
        return self._text.find(self._terms()[0])

    def _terms(self) -> list[str]:
        """Return the typed words, as one term where the page has them in this order."""
        if self.words and not self._text.document().find(self.words).isNull():
            return [self.words]
        return self.words.split()

    def _marks_of(self, word: str) -> list[QTextEdit.ExtraSelection]:
        marks: list[QTextEdit.ExtraSelection] = []
        document: QTextDocument = self._text.document()
        cursor = document.find(word)
        while not cursor.isNull() and len(marks) < _MOST_MARKS:
            mark = QTextEdit.ExtraSelection()
            mark.cursor = cursor
            mark.format.setBackground(self.palette().brush(QPalette.ColorRole.Highlight))
            mark.format.setForeground(self.palette().brush(QPalette.ColorRole.HighlightedText))
            marks.append(mark)
            cursor = document.find(word, cursor)
        return marks
