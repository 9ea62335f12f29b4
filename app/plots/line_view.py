"""View of growing lines with a filter and a copy button, for log and command log."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from PySide6.QtGui import QColor, QFont, QGuiApplication, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import tool_button
from scheduler.model.host_properties import Severity
from scheduler.translation import _

Item = TypeVar("Item")


class LineView(QWidget, Generic[Item]):
    """View with one line per item.

    Args:
        theme: Colours and fonts.
        name: Name for screen readers.
        words: Returns the level and the text of an item.
        font: Font of the lines.
        parent: Qt's parent.
    """

    def __init__(
        self,
        theme: Theme,
        name: str,
        words: Callable[[Item], tuple[Severity, str]],
        font: QFont,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._words = words
        self._items: Sequence[Item] = ()
        self._shown = 0
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setFont(font)
        self.text.setAccessibleName(name)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(_("Filter"))
        self.filter.setAccessibleName(_("{name}: filter").format(name=name))
        self.filter.setClearButtonEnabled(True)
        self.copy = tool_button(theme, _("Copy"), "copy")
        self.copy.setAccessibleName(_("{name}: copy the shown rows").format(name=name))
        top = QHBoxLayout()
        top.addWidget(self.filter, 1)
        top.addWidget(self.copy)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, SPACE_S, 0, 0)
        box.setSpacing(SPACE_S)
        box.addLayout(top)
        box.addWidget(self.text, 1)
        self.filter.textChanged.connect(self._refilter_items)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()))
        theme.changed.connect(self._refilter_items)

    def show_items(self, items: Sequence[Item]) -> None:
        """Show a sequence of items.

        The same sequence may only grow, because the view does not read shown items again.
        """
        if items is not self._items:
            self._items = items
            self._refilter_items()
        elif self._shown < len(items):
            self._append_new()

    def _refilter_items(self) -> None:
        self._shown = 0
        self.text.clear()
        self._append_new()

    def _append_new(self) -> None:
        """Append new lines in one step; scroll to the end if the end was visible."""
        bar = self.text.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 4
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        wanted = self.filter.text().casefold()
        for item in self._items[self._shown :]:
            level, line = self._words(item)
            if wanted in line.casefold():
                break_before = "" if cursor.atStart() else "\n"
                cursor.insertText(break_before + line, self._level_format(level))
        cursor.endEditBlock()
        self._shown = len(self._items)
        if at_end:
            bar.setValue(bar.maximum())

    def _level_format(self, level: Severity) -> QTextCharFormat:
        palette = self._theme.palette
        colours = {
            Severity.INFO: palette.text,
            Severity.WARNING: palette.warn_text,
            Severity.ERROR: palette.danger_text,
        }
        made = QTextCharFormat()
        made.setForeground(QColor(colours[level]))
        return made
