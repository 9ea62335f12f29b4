"""Reader for documents: a list of pages on the left, the chosen page on the right."""

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QUrl
from PySide6.QtGui import QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QSplitter,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from app.theme.tokens import SPACE_L, SPACE_M, SPACE_XL
from app.widgets.dialog_layout import add_dialog_buttons, close_row, size_on
from app.widgets.labels import make_label, tooltip_text
from app.widgets.open_path import open_url
from app.widgets.page_search import PageSearch, PageTexts
from scheduler.translation import _

_SIZE_PX = (980, 640)
_LIST_PX = 250
_SEARCH_PX = 280
_PATH = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """Pages under one heading.

    Each page is a title and the path of its Markdown or text file.
    """

    title: str
    pages: tuple[tuple[str, Path], ...]


class DocumentReader(QDialog):
    """Non-modal dialog that shows documents and follows the links between them.

    Args:
        title: Title of the dialog.
        sections: Sections with their pages.
        parent: Qt's parent.
    """

    def __init__(self, title: str, sections: tuple[DocumentSection, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(size_on(parent, QSize(*_SIZE_PX)))
        self.list = QListWidget()
        self.list.setAccessibleName(_("Pages"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # long titles are shortened
        self.list.setSpacing(1)
        self.text = QTextBrowser()
        self.text.setAccessibleName(_("Page"))
        self.text.setOpenLinks(False)
        self.text.anchorClicked.connect(self._follow_link)
        self.search = PageSearch(self.text, self)
        self.missing = make_label("", "dim", wrap=True)
        self.missing.hide()
        for section in sections:
            self._add_section(section)
        self.list.currentItemChanged.connect(self._show_page)
        self._lay_out()
        self._texts = PageTexts([Path(item.data(_PATH)) for item in self._items() if item.data(_PATH)], self)
        self._texts.loaded.connect(lambda: self._filter_pages(self.search.words))
        self.search.searched.connect(self._filter_pages)
        self.search.next_wanted.connect(self._show_next_page)
        first = next((item for item in self._items() if item.data(_PATH)), None)
        if first is not None:
            self.list.setCurrentItem(first)

    def open_page(self, path: Path, fragment: str = "") -> bool:
        """Show a page and scroll to a heading; return False for an unknown page.

        Args:
            path: File of the page.
            fragment: Anchor of a heading, as in a link; empty for the top.
        """
        found = next((item for item in self._items() if item.data(_PATH) == str(path.resolve())), None)
        if found is None:
            return False
        self.list.setCurrentItem(found)
        if fragment:
            self._scroll_to(fragment)
        return True

    def _filter_pages(self, words: str) -> None:
        """Hide the pages without the words; show the first page that has them."""
        found = self._texts.matching(words)
        pages = [item for item in self._items() if item.data(_PATH)]
        for item in self._items():
            item.setHidden(bool(words) and (item not in pages or Path(item.data(_PATH)) not in found))
        kept = [item for item in pages if not item.isHidden()]
        self.missing.setText(_("No page has all of these words."))
        self.missing.setVisible(not kept)
        if words and kept and self.list.currentItem() not in kept:
            self.list.setCurrentItem(kept[0])
        elif self.list.currentItem() is not None:
            self.search.mark_words()

    def _show_next_page(self) -> None:
        kept = [item for item in self._items() if item.data(_PATH) and not item.isHidden()]
        here = self.list.currentItem()
        if kept:
            self.list.setCurrentItem(kept[(kept.index(here) + 1) % len(kept)] if here in kept else kept[0])
            self.search.mark_words()

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _add_section(self, section: DocumentSection) -> None:
        head = QListWidgetItem(section.title)
        head.setFlags(Qt.ItemFlag.NoItemFlags)
        font = self.list.font()
        font.setBold(True)
        head.setFont(font)
        self.list.addItem(head)
        for title, path in section.pages:
            item = QListWidgetItem(f"   {title}")
            item.setData(Qt.ItemDataRole.AccessibleTextRole, title)
            item.setToolTip(tooltip_text(title))
            item.setData(_PATH, str(path.resolve()))
            self.list.addItem(item)

    def _show_page(self, item: QListWidgetItem | None) -> None:
        if item is None:
            return
        path = Path(item.data(_PATH))
        self.missing.hide()
        if path.suffix == ".md":
            self.text.setSource(QUrl.fromLocalFile(str(path)), QTextDocument.ResourceType.MarkdownResource)
        else:
            self.text.setPlainText(path.read_text(encoding="utf-8", errors="replace"))
        self.search.mark_words()

    def _follow_link(self, url: QUrl) -> None:
        """Open a listed page or a web page; report a page that is not installed."""
        if url.scheme() in {"http", "https"}:
            problem = open_url(url)
            self.missing.setText(problem)
            self.missing.setVisible(bool(problem))
            return
        here = self.list.currentItem()
        path = Path(here.data(_PATH)).parent / url.path() if url.path() else Path(here.data(_PATH))
        if not self.open_page(path, url.fragment()):
            words = _("The page {page} is not installed. You find it in DomTune's source.")
            self.missing.setText(words.format(page=Path(url.path()).name))
            self.missing.show()

    def _scroll_to(self, fragment: str) -> None:
        block = self.text.document().begin()
        while block.isValid():
            if block.blockFormat().headingLevel() and anchor_of(block.text()) == fragment:
                cursor = QTextCursor(block)
                self.text.moveCursor(QTextCursor.MoveOperation.End)  # then the heading ends up at the top
                self.text.setTextCursor(cursor)
                return
            block = block.next()

    def _lay_out(self) -> None:
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.addWidget(self.list)
        parts.addWidget(self.text)
        parts.setStretchFactor(1, 1)
        parts.setCollapsible(1, False)
        parts.setHandleWidth(SPACE_L)
        parts.setSizes([_LIST_PX, _SIZE_PX[0] - _LIST_PX])
        inner = QVBoxLayout()
        inner.setContentsMargins(SPACE_XL, SPACE_XL, SPACE_XL, 0)
        inner.setSpacing(SPACE_M)
        top = QHBoxLayout()
        top.addWidget(make_label(self.windowTitle(), "title"))
        top.addStretch(1)
        self.search.setMinimumWidth(_SEARCH_PX)
        top.addWidget(self.search)
        inner.addLayout(top)
        inner.addWidget(parts, 1)
        inner.addWidget(self.missing)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addLayout(inner, 1)
        add_dialog_buttons(self, close_row(self))


def anchor_of(heading: str) -> str:
    """Return the link anchor of a heading.

    The anchor is in lower case. It keeps letters, digits, hyphens and underscores, and replaces spaces by hyphens.
    """
    kept = "".join(letter for letter in heading.lower() if letter.isalnum() or letter in " -_")
    return kept.replace(" ", "-")
