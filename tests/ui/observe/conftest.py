import pytest

from app.observe.follow_page import FollowPage
from app.settings import Settings
from tests.ui.stages import shown


@pytest.fixture
def page(theme, background, runner, qtbot):
    made = FollowPage(theme, Settings(), runner, background)
    with shown(made, qtbot):
        yield made
    made.follower.close()
