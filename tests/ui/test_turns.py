"""The window's law: no turn of the event loop does more than a frame's work."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QTimer

from app.follow.follow_request import EXAMPLE_URL as WATCHED
from app.follow.follow_request import FollowRequest
from app.main_window import MainWindow
from app.panels.importing import imported
from app.panels.share_rows import ShareBars
from app.settings import Settings
from app.theme.theme import Theme
from app.wizard.page_names import PAGES
from scheduler import places
from scheduler.model.documents import Document
from scheduler.store.run_store import RunStore
from tests.bench.startup import starts
from tests.data_maker import make_documents
from tests.quiet import TRIES, until_fine
from tests.studies_maker import capacity_documents, overhead_documents
from tests.ui.test_session import spec_for
from tests.ui.turns import FIRST_PEERS, OwnWork, Turns
from tests.volume import times


@pytest.mark.alone
def test_that_the_ruler_sees_work_and_gaps(qtbot):
    turns = Turns()
    turns.start()
    qtbot.wait(200)
    assert turns.work_ms(50) < 5

    def busy() -> None:
        until_s = time.thread_time() + 0.03
        while time.thread_time() < until_s:
            pass

    QTimer.singleShot(10, busy)
    qtbot.wait(200)
    turns.stop()
    assert turns.work_ms(100) >= 30
    assert turns.gap_ms(100) >= 20


@pytest.mark.alone
def test_that_a_running_sweep_leaves_the_window_light(theme: Theme, home: Path, qtbot):
    window = MainWindow(theme, Settings())
    with qtbot.waitSignal(window.home.loaded, timeout=10_000):
        window.show()
    turns = until_fine(lambda: _turns_of_a_sweep(window, home, qtbot), lambda turns: turns.light(99.9))
    print(turns)
    assert len(turns.work_s) > 300
    assert turns.light(99.9), turns
    qtbot.waitUntil(lambda: window.runner.idle, timeout=30_000)
    window.close()
    window.deleteLater()


def _turns_of_a_sweep(window: MainWindow, home: Path, qtbot) -> Turns:
    window.begin(spec_for(home, measure_s=times(1, 2)), {})
    qtbot.waitUntil(lambda: bool(window.session.run_id), timeout=20_000)
    qtbot.wait(1500)  # the page is drawn for the first time
    turns = Turns()
    turns.start()
    with qtbot.waitSignal(window.session.ended, timeout=60_000):
        pass
    turns.stop()
    return turns


@pytest.mark.alone
def test_that_opening_a_result_takes_no_frame_of_the_windows_time(theme: Theme, home: Path, qtbot):
    """Reading, filling and painting, from the list and from the rail. The first of four makes the page."""
    run_id = _stored()
    window = MainWindow(theme, Settings())
    window.resize(1280, 800)
    with qtbot.waitSignal(window.home.loaded, timeout=10_000):
        window.show()
    window.show_result(run_id)
    qtbot.waitUntil(lambda: window.result.complete, timeout=20_000)
    work = until_fine(lambda: _opened(window, run_id, qtbot), lambda work: work.light(100), tries=TRIES + 1)
    print(f"opening a result: {work}")
    assert len(window.result.why.findChildren(ShareBars)) == len(window.result.finding.results.points)
    assert work.light(100), work
    window.close()
    window.deleteLater()


@pytest.mark.alone
def test_that_the_first_pages_of_a_session_are_made_frame_by_frame(theme: Theme, home: Path, qtbot):
    """The first result, and the first live page, of a study that has pictures of its own; a new window each time."""
    runs = [_stored(documents) for documents in (capacity_documents(), overhead_documents())]
    for run_id in runs:
        work = until_fine(lambda run_id=run_id: _first_opened(theme, run_id, qtbot), lambda work: work.light(100))
        print(f"opening the first pages: {work}")
        assert work.light(100), work


@contextlib.contextmanager
def _first_window(theme: Theme, qtbot) -> Iterator[tuple[MainWindow, OwnWork]]:
    """Yield a new window whose pages' modules are imported, and what its thread does from now on."""
    window = MainWindow(theme, Settings())
    window.resize(1280, 800)
    with qtbot.waitSignal(window.home.loaded, timeout=10_000):
        window.show()
    qtbot.wait(1000)
    qtbot.waitUntil(imported, timeout=20_000)
    work = OwnWork(FIRST_PEERS)
    work.start()
    yield window, work
    qtbot.wait(300)
    work.stop()
    window.close()
    window.deleteLater()


def _first_opened(theme: Theme, run_id: str, qtbot) -> OwnWork:
    with _first_window(theme, qtbot) as (window, work):
        window.show_replay(run_id)
        qtbot.waitUntil(lambda: window.replay.board.stopped is not None, timeout=20_000)
        qtbot.waitUntil(lambda: bool(window.replay.plots.split.shown), timeout=20_000)
        qtbot.wait(500)
        window.show_result(run_id)
        qtbot.waitUntil(lambda: window.result.complete, timeout=20_000)
    return work


@pytest.mark.alone
def test_that_the_pages_of_a_hosts_own_load_are_made_frame_by_frame(theme: Theme, home: Path, qtbot):
    """Each opened for the first time, with a host to be asked for; in a new window each time."""
    for name in ("watch", "follow"):
        work = until_fine(lambda name=name: _first_host_page(theme, name, qtbot), lambda work: work.light(100))
        print(f"opening {name}: {work}")
        assert work.light(100), work


def _first_host_page(theme: Theme, name: str, qtbot) -> OwnWork:
    with _first_window(theme, qtbot) as (window, work):
        place = getattr(window, name)
        place.open(WATCHED if name == "watch" else FollowRequest(WATCHED, "8h"))
        assert window.page is place.page
        assert place.page.ask.asked.url == WATCHED
    return work


@pytest.mark.alone
def test_that_the_wizard_is_made_and_filled_in_frame_by_frame(theme: Theme, home: Path, qtbot):
    """Opened for the first time in a session, every page shown once, a load switched on, a letter typed; and left."""
    work = until_fine(lambda: _first_wizard(theme, qtbot), lambda work: work.light(100))
    print(f"opening the wizard: {work}")
    assert work.light(100), work


def _first_wizard(theme: Theme, qtbot) -> OwnWork:
    with _first_window(theme, qtbot) as (window, work):
        window.new_sweep("local:")
        wizard = window.wizard
        assert wizard is not None
        qtbot.waitUntil(lambda: wizard.complete, timeout=20_000)
        for page in (*PAGES[1:], "loads"):
            wizard.go(PAGES.index(page))
            qtbot.wait(150)
        cards = wizard.page.cards
        cards["tpcb"].on.click()
        qtbot.wait(100)
        assert cards["tpcb"].inputs.isVisible()
        users = cards["osdb-ir"].inputs.users.edit
        qtbot.keyClicks(users, "1")
        qtbot.wait(100)
        assert wizard.state.form.loads["osdb-ir"].users == "51"
        qtbot.keyClick(users, Qt.Key.Key_Backspace)
        cards["tpcb"].on.click()
        assert not wizard.has_unsaved_input  # or it would be a draft, and the next window would ask about it
        with qtbot.waitSignal(wizard.destroyed, timeout=5_000):
            wizard.cancel()
        assert window.wizard is None
    return work


def _opened(window: MainWindow, run_id: str, qtbot) -> OwnWork:
    window.go("home")
    qtbot.wait(300)
    work = OwnWork()
    work.start()
    window.show_result(run_id)
    qtbot.waitUntil(lambda: window.result.complete, timeout=20_000)
    window.go("home")
    qtbot.wait(100)
    window.go("result")
    qtbot.wait(300)
    work.stop()
    return work


def test_that_other_pages_are_imported_while_nobody_waits(theme: Theme, home: Path):
    """In a fresh interpreter: soon after the window can be used, opening a page needs no import."""
    code = (
        "import sys; from PySide6.QtCore import QTimer; from PySide6.QtWidgets import QApplication;"
        "from app.main_window import MainWindow; from app.settings import Settings; from app.theme.theme import Theme;"
        "app = QApplication([]); window = MainWindow(Theme(app), Settings()); window.show();"
        "assert 'pyqtgraph' not in sys.modules; look = QTimer(); look.setInterval(50);"
        "look.timeout.connect(lambda: 'app.wizard.wizard' in sys.modules and app.quit()); look.start();"
        "QTimer.singleShot(30_000, lambda: app.exit(1)); code = app.exec(); window.close(); sys.exit(code)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def _stored(documents: list[Document] | None = None) -> str:
    documents = documents or make_documents()
    with RunStore(places.store_path()) as store:
        for document in documents:
            store.append(documents[0].run_id, document)
    return documents[0].run_id


@pytest.mark.alone
def test_that_the_window_starts_as_quickly_as_its_libraries_allow(home: Path):
    imports_s, window_s = (min(start.cpu_s for start in column) for column in zip(*starts(2), strict=True))
    assert window_s / imports_s <= 1.5, f"window {window_s:.2f} s, libraries {imports_s:.2f} s of CPU"
