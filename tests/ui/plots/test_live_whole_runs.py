"""The live page with a real core, with stored runs, and with eight hours of history."""

from pathlib import Path

import pytest
from PySide6.QtCore import QTimer

from app.core_process import CommandRunner
from app.pages.live_page import LivePage
from app.run_session import RunSession
from scheduler import places
from scheduler.store.run_store import RunStore
from tests.data_maker import make_documents, make_spec
from tests.quiet import TRIES, until_fine
from tests.ui.plots.helpers import LIMIT_MS, redrawn
from tests.ui.test_session import spec_for
from tests.ui.turns import OwnWork

_TAIL = 48  # documents of a try: 2.4 s of turns


def test_real_core_is_shown_to_its_end_and_its_run_can_be_replayed(page: LivePage, home: Path, qtbot, theme):
    session = RunSession(CommandRunner())
    page.attach(session)
    with qtbot.waitSignal(session.ended, timeout=LIMIT_MS):
        session.begin(spec_for(home))
    assert redrawn(page).strip.state.text() == "Completed"
    live = page.board
    page.show_stored(session.run_id)
    qtbot.waitUntil(lambda: page.board.stopped is not None, timeout=LIMIT_MS)
    with RunStore(places.store_path(), read_only=True) as store:
        stored = len(list(store.documents(session.run_id)))
    # Notices about this computer, for example that it may fall asleep, are shown and not stored.
    assert stored == page.board.changes <= live.changes
    assert page.board.points == live.points
    assert not page.strip.stop.isVisible()


def test_run_that_is_not_there_is_reported_it(page: LivePage, home: Path, qtbot):
    page.show_stored("no-such-run")
    qtbot.waitUntil(page.message.isVisible, timeout=LIMIT_MS)


@pytest.mark.alone
def test_eight_hours_of_history_cost_at_most_16_ms_per_turn(page: LivePage, qtbot):
    """Taking, drawing and painting what comes in a second, ten times as fast."""
    documents = make_documents(spec=make_spec(repeats=110))[:-5]
    assert documents[-1].t_s > 8 * 3600
    tail = 2 * TRIES * _TAIL
    for document in documents[:-tail]:
        page.take(document)
    tails = batched(documents[-tail:], _TAIL)
    for whole in (False, True):
        page.plots.whole.setChecked(whole)
        page.redraw()
        qtbot.wait(300)
        work = until_fine(lambda: _turns(page, next(tails), qtbot), lambda work: work.light(99.9))
        assert work.light(99.9), (whole, work)


def batched(documents, count):
    return (documents[start : start + count] for start in range(0, len(documents), count))


def _turns(page: LivePage, documents, qtbot) -> OwnWork:
    """Return the window's own work per turn while two documents come every 100 ms."""
    left = list(documents)
    feeder = QTimer()
    feeder.setInterval(100)

    def feed() -> None:
        for _ in range(2):
            if left:
                page.take(left.pop(0))

    feeder.timeout.connect(feed)
    work = OwnWork()
    work.start()
    feeder.start()
    qtbot.waitUntil(lambda: not left, timeout=60_000)
    feeder.stop()
    work.stop()
    return work
