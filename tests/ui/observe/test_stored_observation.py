"""A stored observation is opened from Home: plots, result, and its exports."""

import pytest
from PySide6.QtWidgets import QFileDialog

from app.main_window import MainWindow
from app.observe.observation_request import WATCH_EXAMPLE_URL
from app.pages.sweep_rows import SweepRow
from app.settings import Settings
from scheduler import places
from scheduler.commands.observation_recorder import ObservationRecorder
from scheduler.commands.orphaned_runs import close_orphaned_runs
from scheduler.model.observation_documents import FollowDone, FollowEnd
from scheduler.store.run_store import RunStore
from tests.ui.observe.lines import began, gain, move, window

pytestmark = pytest.mark.ui


@pytest.fixture
def main_window(theme, home, qtbot):
    made = MainWindow(theme, Settings())
    yield made
    if made.observe.page is not None:
        made.observe.page.observer.close()
    made.close()
    qtbot.waitUntil(lambda: made.runner.idle)
    made.deleteLater()


def record(done: FollowDone | None) -> str:
    with ObservationRecorder() as recorder:
        recorder.emit(began())
        for place in range(450):
            recorder.emit(window(10.0 * (place + 1)))
        recorder.emit(move(4500.0, "1:2", "1:1.2"))
        if done is not None:
            recorder.finish(done)
    return recorder.run_id


def test_followed_run_is_opened_from_home_with_its_end_and_a_report(main_window, tmp_path, qtbot):
    run_id = record(FollowDone(t_s=4500.0, end=FollowEnd.TIME, moves=1, gains=(gain(planned=True),)))
    with qtbot.waitSignal(main_window.home.loaded):
        main_window.show()
    expected = ("Followed", "1 change by the tuner in 1 h 15 min", False)

    def is_summarised() -> bool:
        row = main_window.home.row_of(run_id)
        return row is not None and (row.name, row.verdict, row.unfinished) == expected

    main_window.home.refresh()
    qtbot.waitUntil(is_summarised)
    main_window.show_result(run_id)
    page = main_window.observe.page
    qtbot.waitUntil(page.save.isVisible)
    assert main_window.page is page
    assert len(page.pictures.split.windows) == 450
    assert len(page.pictures.history) == 1
    assert page.end.headline.text().startswith("Following gained 1.9")
    page.save.buttons["html"].click()
    asking = page.findChild(QFileDialog)
    asking.fileSelected.emit(str(tmp_path / "followed.html"))
    asking.reject()
    qtbot.waitUntil(page.message.isVisible)
    assert "Changes and holds" in (tmp_path / "followed.html").read_text()
    page.end.again_button.click()
    assert not page.save.isVisible()
    assert page.ask.follows


def test_completed_run_without_a_summary_is_finished():
    run_id = record(FollowDone(t_s=4500.0, end=FollowEnd.TIME))
    with RunStore(places.store_path()) as store:
        store.keep_answer(run_id, None)
        (entry,) = store.runs()
    assert SweepRow([entry]).verdict == "finished"


def test_interrupted_run_shows_its_plots_and_why_it_ended(main_window, qtbot):
    run_id = record(None)
    assert close_orphaned_runs({}) == (run_id,)
    with qtbot.waitSignal(main_window.home.loaded):
        main_window.show()
    main_window.home.refresh()
    qtbot.waitUntil(lambda: main_window.home.row_of(run_id) is not None)
    main_window.show_result(run_id)
    page = main_window.observe.page
    qtbot.waitUntil(page.save.isVisible)
    assert page.message.text.text() == "Interrupted after 1 h 15 min."
    assert page.message.hint.text() == "The original settings of the host are restored."
    assert len(page.pictures.use.windows) == 450


def test_watch_in_the_window_appears_on_home(main_window, qtbot):
    with qtbot.waitSignal(main_window.home.loaded):
        main_window.show()
    main_window.observe.watch(WATCH_EXAMPLE_URL)
    page = main_window.observe.page
    page.ask.span.set_value("5m")
    page.ask.button.click()
    qtbot.waitUntil(page.card.isVisible)
    qtbot.waitUntil(lambda: [row.name for row in main_window.home.list.source.rows] == ["Watched"])
