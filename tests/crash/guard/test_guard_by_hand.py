"""A guard that hears only of finished work: who is stuck sends no heartbeat, and is as good as dead."""

import threading

import pytest

from tests.guard_world import TTL_S, wait_until_back

pytestmark = pytest.mark.crash


def threads():
    return [thread.name for thread in threading.enumerate() if thread.name == "guard heartbeat"]


def test_no_thread_beats_and_the_guard_fires_on_who_is_stuck(world, guards):
    guard = guards()
    guard.arm(world.lines(), TTL_S, 600, by_hand=True)
    guard.run_under_lock(world.change(3, 512))
    assert threads() == []
    wait_until_back(world)
    assert world.untouched


def test_work_that_goes_on_holds_the_host(world, guards):
    guard = guards()
    guard.arm(world.lines(), TTL_S, 600, by_hand=True)
    guard.run_under_lock(world.change(3, 512))
    for _ in range(4):
        threading.Event().wait(TTL_S / 2)
        guard.check_guard()
        assert guard.unresponsive_reason() == ""
    assert not world.untouched
    guard.release()
    assert world.untouched
