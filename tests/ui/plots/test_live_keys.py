"""The live page by keyboard alone."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.pages.live_page import LivePage
from scheduler.model.documents import RunState, StateChanged, TrialStarted
from tests.data_maker import make_documents
from tests.ui.plots.helpers import redrawn
from tests.ui.recorded import RecordedSession


class SlowSession(RecordedSession):
    """A core that takes its time: it says that it paused when told to."""

    def pause(self) -> None:
        pass

    def answer(self) -> None:
        super().pause()


@pytest.fixture
def page(new_page: LivePage) -> LivePage:
    """A window gets the keyboard when it is shown for the first time."""
    return new_page


@pytest.fixture
def slow(page: LivePage, qtbot):
    page.window().activateWindow()
    qtbot.waitUntil(page.window().isActiveWindow)
    made = SlowSession(make_documents())
    page.attach(made)
    page.strip.take_focus()
    return made


def _press(qtbot, page: LivePage, key: Qt.Key) -> None:
    qtbot.keyClick(QApplication.focusWidget(), key)
    redrawn(page)


def test_space_pauses_and_space_again_resumes(page: LivePage, slow: SlowSession, qtbot):
    slow.play_until(StateChanged)  # preparing: nothing to pause yet
    redrawn(page)
    assert QApplication.focusWidget() is page.strip
    slow.play_until(TrialStarted, 2)
    redrawn(page)
    assert QApplication.focusWidget() is page.strip.pause
    _press(qtbot, page, Qt.Key.Key_Space)
    assert page.strip.pause.text() == "Pausing\N{HORIZONTAL ELLIPSIS}"
    _press(qtbot, page, Qt.Key.Key_Space)  # too early
    slow.answer()
    redrawn(page)
    assert (page.strip.pause.text(), page.board.state) == ("Resume", RunState.PAUSED)
    _press(qtbot, page, Qt.Key.Key_Space)
    assert page.board.state is RunState.RUNNING
    assert QApplication.activeModalWidget() is None


def test_enter_shows_the_result_at_the_end(page: LivePage, slow: SlowSession, qtbot):
    slow.play_until(TrialStarted, 2)
    redrawn(page)
    slow.play(100_000)
    redrawn(page)
    assert QApplication.focusWidget() is page.strip.result
    with qtbot.waitSignal(page.result_wanted):
        qtbot.keyClick(page.strip.result, Qt.Key.Key_Return)


def test_who_is_about_to_stop_stays_there(page: LivePage, slow: SlowSession, qtbot):
    slow.play_until(TrialStarted, 2)
    redrawn(page)
    page.strip.stop.setFocus()
    slow.play_until(TrialStarted, 2)
    redrawn(page)
    assert QApplication.focusWidget() is page.strip.stop
    page.strip.ask_stop()
    slow.abort()
    redrawn(page)
    assert QApplication.focusWidget() is page.strip.result
