"""The window and the screen that it starts on."""

import pytest

from app.main_window import MainWindow
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.dialog_layout import TITLE_PX

pytestmark = pytest.mark.ui


def test_window_is_no_larger_than_its_screen_and_no_larger_than_it_was(theme: Theme, qtbot):
    window = MainWindow(theme, Settings())
    qtbot.addWidget(window)
    room = window.screen().availableGeometry()
    for size in ((5000, 4000), (500, 400)):
        window.resize(*size)
        window.fit_screen()
        assert window.size().toTuple() == (min(size[0], room.width()), min(size[1], room.height() - TITLE_PX))
