import contextlib

import pytest
from PySide6.QtWidgets import QMainWindow

from app.background import BackgroundWorker
from app.pages.live_page import LivePage
from app.theme.theme import Theme
from tests.data_maker import make_documents
from tests.ui.recorded import RecordedSession
from tests.ui.stages import shown


@pytest.fixture
def new_page(theme: Theme, background: BackgroundWorker, qtbot):
    """A page that has shown no run."""
    made = LivePage(theme, background)
    with shown(made, qtbot):
        yield made


@pytest.fixture(scope="module")
def _window(_theme: Theme):
    """The window and page that the tests of a module share, as the runs of the program share one page."""
    with contextlib.closing(BackgroundWorker()) as background:
        window = QMainWindow()
        window.setCentralWidget(LivePage(_theme, background))
        window.resize(1280, 800)
        yield window
        window.close()
        window.deleteLater()


@pytest.fixture
def page(theme: Theme, _window: QMainWindow, qtbot):
    made = _window.centralWidget()
    made.attach(RecordedSession(()))
    made.plots.whole.setChecked(False)
    made.strip.log.setChecked(False)
    made.plots.side.setCurrentIndex(0)
    made.redraw()
    _window.resize(1280, 800)
    _window.show()
    made.show()
    return made


@pytest.fixture
def session():
    return RecordedSession(make_documents(failing=[("5:2", "osdb-ir")]))
