"""The guard, the sweep and `domtune restore` at the same time, in every order that can be forced.

Gates in the made-up `xl` hold a command exactly between taking the lock and setting the value; a lock held by the
test, and a guard stopped by SIGSTOP, hold the others. Whatever the order: the originals stand at the end, and a change
that the fence let through is followed by a restore.
"""

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from scheduler.errors import GuardFired, HostBusy, HostError
from scheduler.hosts.remote.guard_commands import REFUSED, GuardCommands
from scheduler.hosts.remote.guard_state import read_guard_state, restore_leftover
from tests.guard_world import BACK_S, END_S, ORIGINAL, TTL_S, let_go, stays, wait_for

pytestmark = pytest.mark.crash


@pytest.fixture
def outside(world, shell):
    """The words of another process, as `domtune restore` says them."""
    return GuardCommands(shell, str(world.base))


@pytest.fixture
def aside():
    """Carries out one blocking call beside the test."""
    with ThreadPoolExecutor(max_workers=4) as pool:
        yield pool.submit


@pytest.fixture
def changed(world, armed):
    """A guard whose sweep has changed both domains."""
    armed.run_under_lock(world.change(0, 400))
    armed.run_under_lock(world.change(3, 512))
    return armed


def wait_for_state(world, *states):
    wait_for(lambda: world.state() in states, BACK_S, f"the state did not become {states}")


def count(world, weight):
    return sum(f"-w {weight} " in call for call in world.calls())


# --- a change and the ending -----------------------------------------------------------------------------------------


def test_change_that_waited_for_the_lock_comes_too_late_once_everything_is_restored(world, changed, outside):
    late = []
    changed.release(lambda: late.append(outside.say("run", changed.token, "5", *world.change(3, 700))))
    assert [answer.code for answer in late] == [REFUSED]
    assert count(world, 700) == 0
    assert world.untouched
    assert world.state() == "none"


# --- a change and the guard -----------------------------------------------------------------------------------------


def test_change_under_way_when_the_guard_fires_is_undone_after_it(world, changed, aside):
    world.close_gate(600)
    late = aside(changed.run_under_lock, world.change(3, 600), timeout_s=60)
    world.wait_at_gate(600)
    changed.abandon()
    wait_for_state(world, "fired")
    assert stays(lambda: count(world, 256) == 0, 3.0)  # the guard waits for the lock
    world.open_gate(600)
    assert late.result(60).code == 0
    wait_for_state(world, "restored")
    assert world.untouched


def test_change_that_waits_while_the_guard_restores_is_refused(world, changed, aside):
    world.close_gate(256)
    changed.abandon()
    world.wait_at_gate(256)  # the guard holds the lock and restores
    late = aside(changed.run_under_lock, world.change(3, 600))
    world.open_gate(256)
    with pytest.raises(GuardFired) as caught:
        late.result(60)
    assert caught.value.restored
    assert count(world, 600) == 0
    assert world.untouched


def test_change_that_waited_for_the_lock_while_the_guard_fired_is_refused(world, changed, aside):
    holder = world.hold_lock()
    late = aside(changed.run_under_lock, world.change(3, 600))
    changed.abandon()
    wait_for_state(world, "fired")
    let_go(holder)
    with pytest.raises(GuardFired):
        late.result(60)
    assert count(world, 600) == 0
    assert world.untouched


# --- domtune restore and the guard ------------------------------------------------------------------------------------


def test_restore_from_outside_makes_a_waiting_guard_fire_and_takes_the_folder_away(world, changed, outside):
    assert restore_leftover(outside, changed.token, take_over=True).state == "none"
    assert world.untouched
    assert not world.sweep.exists()
    wait_for(lambda: world.guards() == [], END_S, "the guard's process did not end")
    with pytest.raises(GuardFired):
        changed.run_under_lock(world.change(3, 600))


def test_restore_from_outside_that_comes_while_the_guard_restores_waits_for_it(world, changed, outside, aside):
    world.close_gate(256)
    changed.abandon()
    world.wait_at_gate(256)
    second = aside(restore_leftover, outside, changed.token, take_over=True)
    world.open_gate(256)
    assert second.result(60).state == "none"
    assert world.untouched
    assert count(world, 256) == 2  # once for each domain: the second found all done


def test_guard_whose_time_is_over_while_another_restores_waits_and_finds_all_done(world, changed, outside, aside):
    world.close_gate(256)
    first = aside(restore_leftover, outside, changed.token, take_over=True)
    world.wait_at_gate(256)
    assert world.state() == "fired"  # fence first: it is shut while the restore is still going on
    changed.abandon()
    world.open_gate(256)
    assert first.result(60).state == "none"
    wait_for(lambda: world.guards() == [], END_S, "the guard's process did not end")
    assert world.untouched
    assert count(world, 256) == 2


def test_two_restores_from_outside_and_the_guard_all_end_with_the_originals(world, changed, outside, aside):
    holder = world.hold_lock()
    tries = [aside(restore_leftover, outside, changed.token, take_over=True) for _ in range(2)]
    changed.abandon()
    wait_for_state(world, "fired")
    let_go(holder)
    assert [one.result(90).state for one in tries] == ["none", "none"]
    assert world.untouched
    assert not world.sweep.exists()


@pytest.mark.parametrize("moment", ["armed", "fired"])
def test_stopped_guard_is_replaced_and_does_nothing_when_it_goes_on(world, changed, outside, moment):
    holder = world.hold_lock()
    if moment == "fired":
        changed.abandon()
        wait_for_state(world, "fired")
    pid = world.tell_guard(signal.SIGSTOP)
    let_go(holder)
    assert restore_leftover(outside, changed.token, take_over=True).state == "none"
    assert world.untouched
    before = world.calls()
    [guard] = world.guards()
    assert guard.pid == pid
    guard.resume()
    guard.wait(END_S)
    assert world.calls() == before


def test_guard_killed_between_fence_and_restore_is_found_and_restored_on_request(world, changed, outside):
    holder = world.hold_lock()
    changed.abandon()
    wait_for_state(world, "fired")
    world.tell_guard(signal.SIGKILL)
    let_go(holder)
    found = read_guard_state(outside)
    assert (found.state, found.alive, found.changed) == ("fired", False, True)
    assert "run 'domtune restore'" in found.text
    assert restore_leftover(outside, found.token).state == "none"
    assert world.untouched


def test_guard_killed_in_the_middle_of_its_restore_is_found_and_restored_on_request(world, changed, outside):
    world.close_gate(256)
    changed.abandon()
    world.wait_at_gate(256)
    world.tell_guard(signal.SIGKILL)
    found = read_guard_state(outside)
    assert (found.state, found.alive) == ("fired", False)
    world.open_gate(256)
    assert restore_leftover(outside, found.token).state == "none"
    assert world.untouched


def test_sweep_that_may_be_alive_is_not_restored_by_others(world, changed, outside):
    found = read_guard_state(outside)
    assert (found.state, found.alive) == ("armed", True)
    with pytest.raises(HostBusy):
        restore_leftover(outside, found.token)
    assert world.values()[3] == "512 0"


def test_leftover_without_a_guard_keeps_a_new_sweep_out_until_it_is_restored(world, guards, changed, outside):
    changed.abandon()
    world.tell_guard(signal.SIGKILL)
    wait_for(lambda: not read_guard_state(outside).alive, END_S, "the guard does not end")
    with pytest.raises(HostBusy):
        guards().arm(world.lines(), TTL_S, 600)
    restore_leftover(outside, changed.token)
    guards().arm(world.lines(), TTL_S, 600)
    assert world.untouched


def test_host_restored_by_its_guard_is_reported_and_takes_the_next_sweep(world, guards, changed, outside):
    changed.abandon()
    wait_for_state(world, "restored")
    found = read_guard_state(outside)
    assert not found.changed
    assert "restored this host" in found.text
    assert any("no heartbeat" in line for line in found.log)
    guards().arm(world.lines(), TTL_S, 600)
    assert world.untouched


def test_restore_that_fails_reports_it_and_leaves_the_guard_trying(world, changed, outside):
    (world.folder / "refuse-3").touch()
    with pytest.raises(HostError, match="not restored"):
        restore_leftover(outside, changed.token, take_over=True)
    assert world.values() == {0: ORIGINAL, 3: "512 0"}
    (world.folder / "refuse-3").unlink()
    wait_for_state(world, "restored", "none")  # the living sweep's heartbeat takes the folder away
    assert world.untouched


# --- release and the guard -----------------------------------------------------------------------------------------


def test_release_that_the_guard_overtakes_ends_with_the_originals_and_no_folder(world, changed, aside):
    holder = world.hold_lock()
    changed.abandon()
    end = aside(changed.release)
    wait_for_state(world, "fired")
    let_go(holder)
    assert end.result(60).state == "none"
    assert world.untouched
    assert not world.sweep.exists()


def test_guard_that_fires_while_the_caller_reads_back_does_no_harm(world, changed):
    def dawdle():
        assert world.untouched
        changed.abandon()
        wait_for_state(world, "restored")

    assert changed.release(dawdle).state == "none"
    assert world.untouched
    assert not world.sweep.exists()


def test_guard_killed_before_the_release_does_not_hinder_it(world, changed):
    world.tell_guard(signal.SIGKILL)
    assert changed.release().state == "none"
    assert world.untouched
    assert not world.sweep.exists()


def test_guest_gone_at_the_release_is_waited_for(world, changed):
    world.drop_domain(3)
    left = changed.release()
    assert left.state == "fired"
    world.put_domain(4, "6f0c2a9e-1b7d-4c55-9d3a-000000000001", "512 0")
    wait_for_state(world, "restored")
    assert world.untouched


def test_change_without_a_guard_waits_for_its_turn_and_is_refused_under_a_sweep(world, armed, outside):
    with pytest.raises(HostBusy):
        outside.alone(world.change(3, 600))
    armed.release()
    assert outside.alone(world.change(3, 600)).code == 0
    assert world.values()[3] == "600 0"
