"""Following in the window: from what watching said, and a window that closes gives the host back."""

import pytest
from PySide6.QtWidgets import QApplication, QMessageBox

from app.main_window import MainWindow
from app.observe.observation_request import FOLLOW_EXAMPLE_URL, ObservationRequest
from app.settings import Settings
from scheduler.model.observation_documents import WatchOutlook, WatchResult
from scheduler.model.split import parse_split

pytestmark = pytest.mark.ui


def _answer(**more) -> WatchResult:
    return WatchResult(
        **{
            "host": FOLLOW_EXAMPLE_URL,
            "title": "This",
            "split": parse_split("1:1.9"),
            "headline": "A static split does.",
            **more,
        }
    )


@pytest.fixture
def window(theme, qtbot):
    made = MainWindow(theme, Settings())
    with qtbot.waitSignal(made.home.loaded):
        made.show()
    yield made
    if made.observe.page is not None:
        made.observe.page.observer.close()
    made.close()
    qtbot.waitUntil(lambda: made.runner.idle)
    made.deleteLater()


def test_watching_leads_there_where_it_would_gain_something(window: MainWindow):
    window.observe.watch(FOLLOW_EXAMPLE_URL)
    page = window.observe.page
    page.observer.asked = ObservationRequest(FOLLOW_EXAMPLE_URL, "5m", guest="db1")
    button = page.card.follow_button
    for outlook, gain, why in (
        (WatchOutlook.STATIC, 0.004, "Following would gain 0.4"),
        (WatchOutlook.STATIC, None, "With weights"),
        (WatchOutlook.NOTHING, None, "never took effect"),
        (WatchOutlook.BLIND, None, "cannot be estimated"),
    ):
        page.observer.answered.emit(_answer(outlook=outlook, following_gain_frac=gain))
        assert button.isVisible()
        assert not button.isEnabled()
        assert why in button.toolTip()
    page.observer.answered.emit(_answer(outlook=WatchOutlook.TRIAL, following_gain_frac=0.2))
    button.click()
    assert window.page is window.observe.page
    assert page.ask.follows
    assert page.ask.button.text() == "Check host\N{HORIZONTAL ELLIPSIS}"
    asked = window.observe.page.ask.asked
    assert (asked.url, asked.static, asked.guest) == (FOLLOW_EXAMPLE_URL, "1:1.9", "db1")


def _follow_for_long(window: MainWindow, qtbot):
    window.observe.follow()
    page = window.observe.page
    page.ask.refresh(FOLLOW_EXAMPLE_URL)
    page.ask.span.set_value("7d")
    page.ask.button.click()
    qtbot.waitUntil(page.agree.isVisible)
    page.agree.check.click()
    page.agree.button.click()
    qtbot.waitUntil(lambda: len(page.pictures.split.windows) > 0)
    return page


def test_following_continues_in_the_background_and_the_next_window_shows_it(window: MainWindow, theme, qtbot):
    pid = _follow_for_long(window, qtbot).observer.run.pid
    assert not window.close()
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), QMessageBox))
    question = QApplication.activeModalWidget()
    next(button for button in question.buttons() if "background" in button.text()).click()
    qtbot.waitUntil(lambda: not window.isVisible())
    later = MainWindow(theme, Settings())
    later.show()
    qtbot.waitUntil(lambda: later.observe.page is not None and later.observe.page.observer.terms is not None)
    page = later.observe.page
    assert (later.page, page.observer.run.pid, page.observer.following) == (page, pid, True)
    assert page.observer.asked.url
    qtbot.waitUntil(lambda: len(page.pictures.split.windows) > 0)
    with qtbot.waitSignal(page.observer.ended):
        page.stop()
    assert page.done.restored
    assert later.close()
    qtbot.waitUntil(lambda: later.runner.idle)
    later.deleteLater()


def test_window_which_closes_asks_and_gives_the_host_back_first(window: MainWindow, qtbot):
    page = _follow_for_long(window, qtbot)
    child = page.observer.run._child
    assert not window.close()
    qtbot.waitUntil(lambda: isinstance(QApplication.activeModalWidget(), QMessageBox))
    question = QApplication.activeModalWidget()
    assert "restores the host" in question.informativeText()
    next(button for button in question.buttons() if "Stop" in button.text()).click()
    qtbot.waitUntil(lambda: not window.isVisible())
    assert not child.running
    assert page.done.restored
