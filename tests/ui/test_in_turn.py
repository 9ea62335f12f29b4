"""Work a piece per tick: in order, in pieces of its own, forgotten or begun anew on the way."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QAbstractEventDispatcher

from app.widgets.in_turn import InTurn, Making

pytestmark = pytest.mark.ui


def _pieces(log: list[str], name: str, count: int = 2) -> Iterator[None]:
    for piece in range(count):
        log.append(f"{name}{piece}")
        yield


def test_that_what_comes_in_pieces_is_done_before_what_was_wanted_after_it(qtbot):
    log: list[str] = []
    turns = InTurn()
    turns.want("a", lambda: _pieces(log, "a", 3))
    turns.want("b", lambda: log.append("b"))
    assert not log
    qtbot.waitUntil(lambda: not turns.busy)
    assert log == ["a0", "a1", "a2", "b"]


def test_that_no_two_pieces_share_a_turn_of_the_event_loop(qtbot):
    log: list[str] = []
    turns = InTurn()
    dispatcher = QAbstractEventDispatcher.instance()
    assert dispatcher is not None
    dispatcher.aboutToBlock.connect(lambda: log.append("sleep") if log and log[-1] != "sleep" else None)
    turns.want("a", lambda: _pieces(log, "a", 4))
    qtbot.waitUntil(lambda: not turns.busy)
    done = [entry for entry in log if entry != "sleep"]
    assert done == ["a0", "a1", "a2", "a3"]
    assert log[: 2 * len(done) - 1 : 2] == done


def test_that_work_wanted_anew_begins_anew(qtbot):
    log: list[str] = []
    turns = InTurn()
    turns.want("a", lambda: _pieces(log, "old", 3))
    qtbot.waitUntil(lambda: bool(log))
    turns.want("a", lambda: _pieces(log, "new"))
    qtbot.waitUntil(lambda: not turns.busy)
    assert log == ["old0", "new0", "new1"]


def test_that_what_is_forgotten_on_the_way_does_not_go_on(qtbot):
    log: list[str] = []
    turns = InTurn()

    def forgetful() -> Iterator[None]:
        log.append("first")
        turns.clear()
        yield
        log.append("second")

    turns.want("a", forgetful)
    turns.want("b", lambda: log.append("b"))
    qtbot.waitUntil(lambda: not turns.busy)
    qtbot.wait(50)
    assert log == ["first"]


@pytest.mark.parametrize("now", [True, False])
def test_that_what_waits_for_a_page_comes_after_it_and_all_of_it(now: bool, qtbot):
    log: list[str] = []
    making = Making(_pieces(log, "page"), now=now)
    making.after("run", lambda: _pieces(log, "run"))
    making.after("whole", lambda: log.append("whole"))
    assert (log == ["page0", "page1", "run0", "run1", "whole"]) == now
    qtbot.waitUntil(lambda: not making.busy)
    assert making.made
    assert log == ["page0", "page1", "run0", "run1", "whole"]
    making.after("run", lambda: _pieces(log, "again"))
    assert making.busy != now
    qtbot.waitUntil(lambda: not making.busy)
    assert log[-2:] == ["again0", "again1"]
