import pytest

from app.background import BackgroundWorker
from app.pages.live_page import LivePage
from app.theme.theme import Theme
from tests.data_maker import make_documents
from tests.ui.recorded import RecordedSession
from tests.ui.stages import shown


@pytest.fixture
def page(theme: Theme, background: BackgroundWorker, qtbot):
    made = LivePage(theme, background)
    with shown(made, qtbot):
        yield made


@pytest.fixture
def session():
    return RecordedSession(make_documents(failing=[("5:2", "osdb-ir")]))
