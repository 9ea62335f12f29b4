"""The page that follows, looked at: no word is cut, nothing is out of the keyboard's reach."""

import pytest

from app.observe.observe_page import ObservePage
from scheduler.model.observation_documents import FollowDone, FollowEnd
from scheduler.model.split import parse_split
from tests.ui.looks import clipped, not_reached_by_tab, outside
from tests.ui.observe.lines import began, move, window

pytestmark = pytest.mark.ui


def test_no_word_is_cut_and_tab_reaches_everything_in_each_state(page: ObservePage, qtbot):
    page.ask.fold.setChecked(True)
    _fine(page, qtbot)
    page.observer.terms = began(
        warnings=("5:1 would leave the I/O domain 8 % of a CPU, which slows down the host itself.",)
    )
    page.observer.asking.emit(page.observer.terms)
    page.agree.check.setChecked(True)
    _fine(page, qtbot)
    page.pictures.begin(page.observer.terms)
    page.running.begin(page.observer.terms)
    page._show_only(page.running, page.seen)
    for reported in (window(10), move(10, "1:2", "1:1.2"), window(20, "1:1.2", wish=parse_split("1:1.3"))):
        page.observer.line_received.emit(reported)
    page.pictures.draw()
    page.running.refresh()
    _fine(page, qtbot)
    page.observer.ended.emit(FollowDone(t_s=20, end=FollowEnd.HOST, reason="io reads 7", restored=False, moves=1))
    _fine(page, qtbot)


def _fine(page: ObservePage, qtbot) -> None:
    qtbot.waitUntil(lambda: not clipped(page))
    assert outside(page) == []
    assert not_reached_by_tab(page) == []
