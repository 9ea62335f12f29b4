"""The window's law: no turn of the event loop does more than a frame's work."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer

from app.main_window import PAGE_MODULES, MainWindow
from app.observe.observation_request import FOLLOW_EXAMPLE_URL as WATCHED
from app.observe.observation_request import ObservationRequest
from app.pages.why_card import ShareBars
from app.settings import Settings
from app.theme.theme import Theme
from app.wizard.page_names import PAGES
from scheduler import places
from scheduler.model.documents import Document
from scheduler.store.run_store import RunStore
from tests.bench.startup import starts
from tests.data_maker import make_documents
from tests.quiet import until_fine, until_kept
from tests.studies_maker import overhead_documents
from tests.ui.test_session import spec_for
from tests.ui.turns import OPENING_MS, OwnWork, Turns
from tests.volume import times

_START_RATIO = 1.5  # CPU time of the window's start over that of importing its two libraries


@pytest.mark.alone
def test_ruler_sees_work_and_gaps(qtbot):
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
def test_running_sweep_leaves_the_window_light(theme: Theme, home: Path, qtbot):
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
def test_first_opening_of_a_page_takes_at_most_100_ms_per_turn(theme: Theme, home: Path, qtbot):
    """Each page of a new window is made, filled and painted; the wizard is left."""
    runs = [_stored(documents) for documents in (overhead_documents(), make_documents())]
    seen = until_fine(lambda: _open_all_pages(theme, runs, qtbot), _is_light)
    for name, work in seen.items():
        print(f"opening {name}: {work}")
    assert _is_light(seen), seen


def _is_light(seen: dict[str, OwnWork]) -> bool:
    return all(work.light(100) for work in seen.values())


def _open_all_pages(theme: Theme, runs: list[str], qtbot) -> dict[str, OwnWork]:
    window = MainWindow(theme, Settings())
    window.resize(1280, 800)
    with qtbot.waitSignal(window.home.loaded, timeout=10_000):
        window.show()
    qtbot.waitUntil(lambda: all(name in sys.modules for name in PAGE_MODULES), timeout=20_000)
    qtbot.wait(300)
    seen: dict[str, OwnWork] = {}

    @contextlib.contextmanager
    def measured(name: str) -> Iterator[None]:
        seen[name] = OwnWork(OPENING_MS)
        seen[name].start()
        yield
        qtbot.wait(50)
        seen[name].stop()

    for run_id in runs:
        with measured(f"result of {run_id}"):
            window.show_result(run_id)
            qtbot.waitUntil(lambda: window.result.complete, timeout=20_000)
        assert len(window.result.why.findChildren(ShareBars)) >= len(window.result.finding.results.points)
    with measured("replay"):
        window.show_replay(runs[-1])
        qtbot.waitUntil(lambda: window.replay.board.stopped is not None, timeout=20_000)
        qtbot.waitUntil(lambda: bool(window.replay.plots.split.shown), timeout=20_000)
    for name, follows in (("watch", False), ("follow", True)):
        with measured(name):
            window.observe.open(ObservationRequest(WATCHED, "8h", follows=follows))
        assert window.observe.page.ask.asked.follows is follows
    _open_wizard(window, measured, qtbot)
    window.close()
    window.deleteLater()
    return seen


def _open_wizard(window: MainWindow, measured: Callable[[str], AbstractContextManager[None]], qtbot) -> None:
    with measured("wizard"):
        window.new_sweep("local:")
    wizard = window.wizard
    assert wizard is not None
    for page in PAGES[1:]:
        with measured(page):
            wizard.go(PAGES.index(page))
    wizard.go(PAGES.index("loads"))
    with measured("fields of a load"):
        wizard.page.cards["tpcb"].on.click()
        qtbot.wait(50)
    assert wizard.page.cards["tpcb"].inputs.isVisible()
    wizard.page.cards["tpcb"].on.click()
    assert not wizard.has_unsaved_input  # or it would be a draft, and the next window would ask about it
    with measured("home after the wizard"), qtbot.waitSignal(wizard.destroyed, timeout=5_000):
        wizard.cancel()
    assert window.wizard is None


def _stored(documents: list[Document] | None = None) -> str:
    documents = documents or make_documents()
    with RunStore(places.store_path()) as store:
        for document in documents:
            store.append(documents[0].run_id, document)
    return documents[0].run_id


def test_window_starts_as_quickly_as_its_libraries_allow(home: Path):
    imports_s, window_s = until_kept(_least_starts_s, lambda least_s: least_s[1] <= _START_RATIO * least_s[0])
    assert window_s <= _START_RATIO * imports_s, f"window {window_s:.2f} s, libraries {imports_s:.2f} s of CPU"


def _least_starts_s() -> tuple[float, float]:
    """Return the CPU seconds of the libraries' import and of the window's start."""
    imports_s, window_s = (min(start.cpu_s for start in column) for column in zip(*starts(times(1, 2)), strict=True))
    return imports_s, window_s
