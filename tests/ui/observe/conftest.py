import pytest

from app.observe.observe_page import ObservePage
from app.settings import Settings
from tests.ui.stages import shown


@pytest.fixture
def page(theme, background, runner, qtbot):
    made = ObservePage(theme, Settings(), runner, background)
    with shown(made, qtbot):
        made.ask.set_mode(follows=True)
        yield made
    made.observer.close()
