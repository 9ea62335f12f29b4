"""Glossary in the window: tooltips of terms and the dialog with all terms."""

from html import escape

from PySide6.QtWidgets import QDialog, QLineEdit, QVBoxLayout, QWidget

from app.glossary import GLOSSARY, glossary_term
from app.theme.tokens import SPACE_L
from app.widgets.dialog_layout import add_dialog_buttons, add_dialog_column, close_row
from app.widgets.labels import make_label
from app.widgets.scroll_areas import make_scroll_area
from scheduler.translation import _

_LEAST_PX = 120


def set_glossary_tip(widget: QWidget, key: str) -> QWidget:
    """Set the glossary entry of a term as tooltip; return the widget.

    Args:
        widget: Widget that gets the tooltip.
        key: Key of the glossary entry.

    Raises:
        KeyError: The glossary has no such entry.
    """
    return set_term_tip(widget, *glossary_term(key))


def set_term_tip(widget: QWidget, word: str, meaning: str) -> QWidget:
    """Set a term and its meaning as tooltip; return the widget.

    Args:
        widget: Widget that gets the tooltip.
        word: Term, shown in bold.
        meaning: Explanation; also the accessible description.
    """
    # Rich text wraps in tooltips; plain text does not.
    widget.setToolTip(f"<p><b>{escape(word, quote=False)}</b><br>{escape(meaning, quote=False)}</p>")
    widget.setAccessibleDescription(meaning)
    return widget


class GlossaryDialog(QDialog):
    """Dialog with all glossary entries and a search field."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Glossary"))
        self.resize(560, 560)
        box = add_dialog_column(self)
        box.addWidget(make_label(self.windowTitle(), "title"))
        self.search = QLineEdit()
        self.search.setPlaceholderText(_("Find a term"))
        self.search.setAccessibleName(_("Find a term"))
        self.search.setClearButtonEnabled(True)
        box.addWidget(self.search)
        inner = QWidget()
        inner.setProperty("scrolled", "true")
        self._list = QVBoxLayout(inner)
        self._list.setSpacing(SPACE_L)
        self._entries = [
            self._add_entry(*glossary_term(key)) for key in sorted(GLOSSARY, key=lambda key: glossary_term(key)[0])
        ]
        self._list.addStretch(1)
        box.addWidget(make_scroll_area(inner, _LEAST_PX), 1)
        add_dialog_buttons(self, close_row(self))
        self.search.textChanged.connect(self._filter_entries)

    def _add_entry(self, word: str, meaning: str) -> tuple[str, QWidget]:
        row = QWidget()
        lines = QVBoxLayout(row)
        lines.setContentsMargins(0, 0, SPACE_L, 0)
        lines.setSpacing(2)
        lines.addWidget(make_label(word, "strong"))
        lines.addWidget(make_label(meaning, "dim", wrap=True))
        self._list.addWidget(row)
        return f"{word} {meaning}".casefold(), row

    def _filter_entries(self, text: str) -> None:
        for words, row in self._entries:
            row.setVisible(text.casefold() in words)
