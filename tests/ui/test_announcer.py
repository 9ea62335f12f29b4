"""What a screen reader is told though the keyboard is elsewhere."""

import pytest

from app.pages.restore_banner import RestoreBanner
from app.theme.theme import Theme
from app.widgets.announcer import Announcer
from scheduler.model.command_answers import RestoreItem

pytestmark = pytest.mark.ui
_ITEM = RestoreItem(host="local:", host_id="this", armed_unix_s=1_795_000_000.0, state="armed")


def test_banner_is_announced_when_it_comes_and_again_when_it_comes_again(theme: Theme, runner, qtbot):
    banner = RestoreBanner(theme, runner)
    qtbot.addWidget(banner)
    heard: list[str] = []
    banner.announcer.announced.connect(heard.append)
    for due in ((_ITEM,), (_ITEM,), (), (_ITEM,)):
        banner.show_items(due)
    assert heard == [banner.text.text()] * 2
    assert heard[0].startswith("This computer still has settings")


def test_nothing_is_reported_twice_in_a_row(theme: Theme, runner, qtbot):
    banner = RestoreBanner(theme, runner)
    qtbot.addWidget(banner)
    announcer, heard = Announcer(banner), []
    announcer.announced.connect(heard.append)
    for words in ("one", "one", "", "two", "one"):
        announcer.say(words)
    assert heard == ["one", "two", "one"]
