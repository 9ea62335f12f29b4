"""Dialogs show all of their words where the screen has room, whatever was there for a moment."""

import pytest
from PySide6.QtWidgets import QMainWindow, QScrollArea

from app.pages.settings_dialog import SettingsDialog
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.dialog_layout import show_dialog
from app.widgets.wrapped_label import WrappedLabel

pytestmark = pytest.mark.ui
_AIR_PX = 8  # less than a bar is wide


def test_words_that_just_fit_into_a_line_leave_no_bar_that_keeps_itself(theme: Theme, home, qtbot):
    window = QMainWindow()
    qtbot.addWidget(window)
    window.resize(1280, 800)
    with qtbot.waitExposed(window):
        window.show()
    dialog = SettingsDialog(theme, Settings(), window)
    show_dialog(dialog)
    area, words = dialog.findChild(QScrollArea), dialog.findChildren(WrappedLabel)[-1]
    bar = area.verticalScrollBar()
    qtbot.waitUntil(lambda: dialog.isVisible() and words.width() > 0 and not bar.isVisible())
    text = "i"
    while words.fontMetrics().horizontalAdvance(f"{text} i") < words.width() - _AIR_PX // 2:
        text += " i"
    words.setText(text)
    assert words.heightForWidth(words.width()) < words.heightForWidth(words.width() - _AIR_PX)
    qtbot.wait(50)
    whole_px = dialog.height()
    dialog.resize(dialog.width(), whole_px // 2)
    qtbot.waitUntil(bar.isVisible)
    words.updateGeometry()
    qtbot.waitUntil(lambda: dialog.height() == whole_px)
    qtbot.wait(50)
    assert not bar.isVisible()
    dialog.close()
