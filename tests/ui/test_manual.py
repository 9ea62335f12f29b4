"""The manual is the documentation as it stands: every page is there, and its links lead where they say."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl

from app.pages.about_dialog import _PARTS
from app.pages.manual import licence_sections, manual_sections, page_for
from app.widgets.document_reader import DocumentReader, anchor_of

pytestmark = pytest.mark.ui
_LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


@pytest.fixture
def reader(theme, qtbot) -> DocumentReader:
    made = DocumentReader("Manual", manual_sections())
    qtbot.addWidget(made)
    return made


def _pages() -> set[Path]:
    return {path.resolve() for section in manual_sections() for _, path in section.pages}


def _headings(path: Path) -> set[str]:
    return {anchor_of(line.lstrip("# ")) for line in path.read_text(encoding="utf-8").splitlines() if line[:1] == "#"}


def test_manual_has_every_page_of_the_documentation_that_is_for_users():
    root = Path(__file__).parents[2] / "docs"
    written = {
        path.resolve()
        for name in ("tutorial", "how-to", "explanation", "reference")
        for path in (root / name).glob("*.md")
    }
    assert _pages() == written


def test_links_from_page_to_page_lead_to_a_heading_that_is_there():
    pages, broken = _pages(), []
    for page in pages:
        for target, anchor in _LINK.findall(page.read_text(encoding="utf-8")):
            if "://" in target:
                continue
            found = (page.parent / target).resolve() if target else page
            if not found.exists() or (found in pages and anchor and anchor not in _headings(found)):
                broken.append(f"{page.name}: {target}#{anchor}")
    assert broken == []


def test_link_opens_the_page_and_what_is_not_here_is_reported(reader: DocumentReader):
    reader.open_page(page_for("home"))
    reader._follow_link(QUrl("../explanation/how-domtune-decides.md#the-race"))
    assert Path(reader.list.currentItem().data(Qt.ItemDataRole.UserRole)) == page_for("protocol").resolve()
    assert reader.text.textCursor().block().text() == "The race"
    assert reader.missing.isHidden()
    reader._follow_link(QUrl("../decisions/0018-blocked-racing.md"))
    assert not reader.missing.isHidden()
    assert "0018-blocked-racing.md" in reader.missing.text()


def test_licence_of_every_part_can_be_read(reader: DocumentReader):
    found = {section.title: section.pages for section in licence_sections(_PARTS)}
    assert set(found) == {"domtune", *_PARTS}
    text = found["PySide6_Essentials"][0][1].read_text(encoding="utf-8")
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in text


def test_search_keeps_the_pages_with_all_words_and_marks_them(reader: DocumentReader, qtbot):
    with qtbot.waitSignal(reader._texts.loaded):
        reader.show()
    reader.search.setText("change ticket")
    kept = {Path(item.data(Qt.ItemDataRole.UserRole)).name for item in reader._items() if not item.isHidden()}
    assert "safety.md" in kept
    assert len(kept) < len(_pages()) / 2
    assert Path(reader.list.currentItem().data(Qt.ItemDataRole.UserRole)).name in kept
    assert reader.text.extraSelections()
    assert reader.text.textCursor().selectedText().lower() == "change ticket"
    before = reader.list.currentRow()
    for _ in range(60):
        qtbot.keyClick(reader.search, Qt.Key.Key_Return)
    assert reader.list.currentRow() != before
    assert reader.isVisible()
    reader.search.setText("no page has thisword")
    assert reader.missing.isVisible()
    reader.search.clear()
    assert not any(item.isHidden() for item in reader._items())
    assert not reader.text.extraSelections()
