"""Check that a result opens at its headline, with the keyboard on the page, and that words cover no point."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication

from app.main_window import MainWindow
from app.pages.result_page import ResultPage
from app.settings import Settings
from app.theme.theme import Theme
from scheduler import places
from scheduler.store.run_store import RunStore
from tests.data_maker import make_documents, make_spec
from tests.settings import setting_at, splits_at
from tests.ui.recorded import recorded_result

pytestmark = pytest.mark.ui

MARK_PX = 5.0


@pytest.fixture
def window(theme: Theme, home: Path, qtbot):
    made = MainWindow(theme, Settings())
    made.resize(1024, 600)
    with qtbot.waitSignal(made.home.loaded, timeout=10_000):
        made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    yield made
    qtbot.waitUntil(lambda: made.runner.idle)
    made.close()
    made.deleteLater()


def store_run() -> str:
    documents = make_documents(samples=False)
    with RunStore(places.store_path()) as store:
        for document in documents:
            store.append(documents[0].run_id, document)
    return documents[0].run_id


def scroll_down(window: MainWindow, qtbot) -> None:
    """Unfold the comparison with the paper and scroll to the end of the page."""
    window.result.papers.fold.setChecked(True)
    qtbot.waitUntil(window.result.papers.frame.isVisible)
    bar = window.result.area.verticalScrollBar()
    bar.setValue(bar.maximum())
    assert bar.value() > 200
    window.rail.setFocus()


def assert_at_headline(window: MainWindow, qtbot) -> None:
    qtbot.waitUntil(lambda: window.result.complete)
    qtbot.wait(100)
    assert window.result.area.verticalScrollBar().value() == 0
    assert window.result.isAncestorOf(QApplication.focusWidget())


def test_result_opened_after_scrolling_shows_its_headline(window: MainWindow, qtbot):
    run_id = store_run()
    window.show_result(run_id)
    assert_at_headline(window, qtbot)
    scroll_down(window, qtbot)
    window.go("home")
    window.home.open_run.emit(run_id)
    assert_at_headline(window, qtbot)


def test_result_chosen_in_the_rail_shows_its_headline(window: MainWindow, qtbot):
    window.show_result(store_run())
    assert_at_headline(window, qtbot)
    scroll_down(window, qtbot)
    window.go("home")
    window.rail.chosen.emit("result")
    assert_at_headline(window, qtbot)


def test_result_after_a_replay_shows_its_headline(window: MainWindow, qtbot):
    run_id = store_run()
    window.show_result(run_id)
    assert_at_headline(window, qtbot)
    scroll_down(window, qtbot)
    window.show_replay(run_id)
    qtbot.wait(100)
    window.replay.result_wanted.emit(run_id)
    assert_at_headline(window, qtbot)


def test_comparison_with_the_paper_scrolls_into_view_when_unfolded_by_hand(window: MainWindow, qtbot):
    window.show_result(store_run())
    assert_at_headline(window, qtbot)
    window.result.papers.fold.setFocus()
    qtbot.keyClick(window.result.papers.fold, Qt.Key.Key_Space)
    frame = window.result.papers.frame
    qtbot.waitUntil(lambda: not frame.visibleRegion().isEmpty())


def test_words_over_the_winner_cover_no_point(page: ResultPage, qtbot):
    spec = make_spec(splits=("10:11", "1:1", "11:10"), repeats=12)
    page.show_finding(recorded_result(spec=spec, noise=0.01))
    page.message.say("info", "Saved: a file", "")
    for size in ((1024, 600), (1280, 800)):
        page.window().resize(*size)
        qtbot.wait(50)
        for words in ("equally good", "best so far", "recommended"):
            page.plot.mark(setting_at("1:1"), splits_at("10:11", "11:10"), words)
            qtbot.wait(50)
            assert_words_apart(page)


@pytest.mark.parametrize("size", [(1024, 600), (1280, 800)])
def test_words_over_the_winner_cover_no_point_after_the_window_shrinks(page: ResultPage, size, qtbot):
    page.window().resize(1600, 1000)
    page.show_finding(recorded_result())
    qtbot.wait(50)
    page.window().resize(*size)
    qtbot.wait(50)
    assert page.plot.crown.isVisible()
    assert_words_apart(page)


def assert_words_apart(page: ResultPage) -> None:
    plot = page.plot
    words = plot.crown.mapRectToScene(plot.crown.boundingRect())
    assert words.top() >= plot.view.sceneBoundingRect().top() - 1
    places = [(x, load.at(point.mean_tps)) for load in plot._loads for x, point in load.shown if point.mean_tps]
    assert places
    tops = [plot.view.mapViewToScene(QPointF(x, y)).y() - MARK_PX for x, y in places]
    assert min(tops) >= words.bottom()
