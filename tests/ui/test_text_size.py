"""The size of all texts changes by keys, is kept for the next start, and reaches every kind of text."""

import pytest
from PySide6.QtGui import QAction, QFontMetrics, QKeySequence

from app.main_window import MainWindow
from app.settings import TEXT_PERCENTS, Settings

pytestmark = pytest.mark.ui


@pytest.fixture
def window(theme, qtbot):
    made = MainWindow(theme, Settings())
    qtbot.addWidget(made)
    yield made
    theme.set_text_percent(100)


def _action(window: MainWindow, keys: str):
    wanted = QKeySequence(keys)
    return next(action for action in window.findChildren(QAction) if wanted in action.shortcuts())


def test_keys_change_the_size_of_all_texts_and_keep_it(window, theme):
    body_px = QFontMetrics(theme.font()).height()
    for _ in range(len(TEXT_PERCENTS)):
        _action(window, "Ctrl++").trigger()
    assert theme.text_percent == Settings().text_percent == 200
    assert QFontMetrics(theme.font()).height() > 1.8 * body_px
    assert QFontMetrics(window.home.font()).height() > 1.8 * body_px
    for _ in range(len(TEXT_PERCENTS)):
        _action(window, "Ctrl+-").trigger()
    assert theme.text_percent == Settings().text_percent == 80
    assert QFontMetrics(window.home.font()).height() < body_px
    _action(window, "Ctrl+0").trigger()
    assert theme.text_percent == Settings().text_percent == 100


def test_size_of_a_damaged_settings_file_is_the_normal_one():
    settings = Settings()
    for damaged in ("12", "9999", "large"):
        settings._file.setValue("text_percent", damaged)
        assert settings.text_percent == 100
