"""Work a piece per tick: in order, in pieces of its own, forgotten or begun anew on the way."""

import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QAbstractEventDispatcher, QObject, QTimer

from app.widgets.in_turn import InTurn, Making

pytestmark = pytest.mark.ui


@pytest.fixture
def log() -> Iterator[list[str]]:
    """What is done, and after it "sleep" where the event loop went to sleep."""
    lines: list[str] = []

    def sleep() -> None:
        if lines and lines[-1] != "sleep":
            lines.append("sleep")

    dispatcher = QAbstractEventDispatcher.instance()
    assert dispatcher is not None
    dispatcher.aboutToBlock.connect(sleep)
    yield lines
    dispatcher.aboutToBlock.disconnect(sleep)


def _done(log: list[str]) -> list[str]:
    return [line for line in log if line != "sleep"]


def _pieces(log: list[str], name: str, count: int = 2) -> Iterator[None]:
    for piece in range(count):
        log.append(f"{name}{piece}")
        yield


def test_that_what_comes_in_pieces_is_done_before_what_was_wanted_after_it(log: list[str], qtbot):
    turns = InTurn()
    turns.want("a", lambda: _pieces(log, "a", 3))
    turns.want("b", lambda: log.append("b"))
    assert not log
    qtbot.waitUntil(lambda: not turns.busy)
    assert _done(log) == ["a0", "a1", "a2", "b"]


def test_that_no_two_pieces_share_a_turn_of_the_event_loop(log: list[str], qtbot):
    turns = InTurn()
    turns.want("a", lambda: _pieces(log, "a", 4))
    qtbot.waitUntil(lambda: not turns.busy)
    assert log[:7:2] == ["a0", "a1", "a2", "a3"]


def test_that_work_wanted_anew_begins_anew(log: list[str], qtbot):
    turns = InTurn()

    def overtaken() -> Iterator[None]:
        log.append("old0")
        turns.want("a", lambda: _pieces(log, "new"))
        yield
        log.append("old1")

    turns.want("a", overtaken)
    turns.want("b", lambda: log.append("b"))
    qtbot.waitUntil(lambda: not turns.busy)
    assert _done(log) == ["old0", "b", "new0", "new1"]


def test_that_what_is_forgotten_on_the_way_does_not_go_on(log: list[str], qtbot):
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
    assert _done(log) == ["first"]


@pytest.mark.parametrize("now", [True, False])
def test_that_what_waits_for_a_page_comes_after_it_and_all_of_it(now: bool, log: list[str], qtbot):
    making = Making(_pieces(log, "page"), now=now)
    making.after("run", lambda: _pieces(log, "run"))
    making.after("whole", lambda: log.append("whole"))
    assert (_done(log) == ["page0", "page1", "run0", "run1", "whole"]) == now
    qtbot.waitUntil(lambda: not making.busy)
    assert making.made
    assert _done(log) == ["page0", "page1", "run0", "run1", "whole"]
    making.after("run", lambda: _pieces(log, "again"))
    assert making.busy != now
    qtbot.waitUntil(lambda: not making.busy)
    assert _done(log)[-2:] == ["again0", "again1"]


def test_that_parts_of_the_window_take_turns(log: list[str], qtbot):
    one, other = InTurn(), InTurn()
    one.want("a", lambda: _pieces(log, "a", 3))
    other.want("b", lambda: _pieces(log, "b", 3))
    qtbot.waitUntil(lambda: not one.busy and not other.busy)
    assert log[:11:2] == ["a0", "b0", "a1", "b1", "a2", "b2"]


def test_that_what_is_thrown_away_while_it_waits_keeps_nobody_waiting(log: list[str], qtbot):
    around = QObject()
    gone, left = InTurn(around), InTurn()
    gone.want("gone", lambda: log.append("gone"))
    left.want("left", lambda: log.append("left"))
    around.deleteLater()
    qtbot.waitUntil(lambda: not left.busy)
    assert _done(log) == ["left"]


@pytest.mark.parametrize("times", [2, 50])
def test_that_work_waits_for_what_else_is_done_but_not_for_ever(times: int, log: list[str], qtbot):
    turns, busy = InTurn(), QTimer()
    busy.setInterval(1)

    def work() -> None:
        until_s = time.thread_time() + 0.004
        while time.thread_time() < until_s:
            pass
        log.append("busy")
        if log.count("busy") == times:
            busy.stop()

    busy.timeout.connect(work)
    turns.want("a", lambda: log.append("a"))
    busy.start()
    qtbot.waitUntil(lambda: not busy.isActive() and not turns.busy)
    done = _done(log)
    assert done[0] == "busy"
    assert done[-1] == "a" if times == 2 else done.index("a") < times
