"""The helper that looks at widgets sees what it should."""

from pathlib import Path

from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from app.pages.settings_dialog import SettingsDialog
from app.settings import Settings
from app.theme.theme import Theme
from tests.ui.looks import clipped, not_reached_by_tab, outside


def _page(qtbot, *widgets: QWidget) -> QWidget:
    page = QWidget()
    box = QVBoxLayout(page)
    for widget in widgets:
        box.addWidget(widget)
    qtbot.addWidget(page)
    page.show()
    return page


def test_label_cut_off_is_seen(qtbot):
    fine, narrow, low = QLabel("fine"), QLabel("much too long for this"), QLabel("a line that wraps, and again")
    narrow.setFixedWidth(20)
    low.setWordWrap(True)
    low.setFixedSize(40, 16)
    found = clipped(_page(qtbot, fine, narrow, low))
    assert len(found) == 2
    assert "much too long" in found[0]
    assert "wraps" in found[1]


def test_button_over_the_edge_is_seen(qtbot):
    page = _page(qtbot, QLabel("fine"))
    button = QPushButton("gone", page)
    button.move(page.width() - 5, 0)
    button.show()
    assert outside(page) == ["gone"]


def test_button_that_tab_never_reaches_is_seen(qtbot):
    fine, skipped = QPushButton("fine"), QPushButton("skipped")
    page = _page(qtbot, fine, skipped)
    assert not_reached_by_tab(page) == []
    skipped.setFocusPolicy(skipped.focusPolicy().ClickFocus)
    assert not_reached_by_tab(page) == ["skipped"]


def test_dialog_takes_the_height_that_its_words_need(theme: Theme, home: Path, qtbot):
    """Qt squeezes a dialog into two thirds of the screen; at 200 % scale that cuts words off."""
    dialog = SettingsDialog(theme, Settings())
    qtbot.addWidget(dialog)
    dialog.resize(520, 200)
    dialog.show()
    qtbot.waitUntil(lambda: dialog.height() >= dialog.layout().totalHeightForWidth(dialog.width()))
    assert clipped(dialog) == []
