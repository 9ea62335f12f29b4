"""The guard with real processes: what is there before the first change, and how changes go through and come back."""

import contextlib
from pathlib import Path

import psutil
import pytest

from scheduler.errors import GuardFired, HostNotUsable, ParameterRefused
from tests.guard_world import BACK_S, END_S, GUEST, ORIGINAL, TTL_S, let_go, stays, wait_for, wait_until_back

pytestmark = pytest.mark.crash


def test_originals_and_a_living_guard_are_on_the_host_before_arm_returns(every_shell, world, armed):
    assert armed.state().state == "armed"
    assert armed.state().alive
    assert (world.sweep / "restore.sh").stat().st_mode & 0o777 == 0o600
    assert world.base.stat().st_mode & 0o777 == 0o700
    puts = [line for line in (world.sweep / "restore.sh").read_text().splitlines() if line.startswith("put ")]
    assert [line.split()[1] for line in puts] == ["dom0", GUEST]
    assert world.calls() == []


def test_nothing_is_changed_without_arming(world, guards):
    with pytest.raises(GuardFired, match="not armed"):
        guards().run_under_lock(world.change(3, 512))
    assert world.calls() == []


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (f"put {GUEST[:-1]}9 XL sched-credit2 -d @ -w 256 -c 0\n", "is gone"),
        ("put dom0 /no/such/xl sched-credit2 -d @ -w 256 -c 0\n", "has no /no/such/xl"),
        ("put dom0 'XL\n", "would not work"),
    ],
)
def test_restore_that_could_not_work_is_refused_before_anything_changes(world, guards, lines, complaint):
    guard = guards()
    with pytest.raises(HostNotUsable, match=complaint):
        guard.arm(lines.replace("XL", str(world.bin / "xl")), TTL_S, 600)
    assert not world.sweep.exists()
    assert world.guards() == []
    with pytest.raises(GuardFired):
        guard.run_under_lock(world.change(3, 512))
    assert world.calls() == []


def test_restore_commands_cut_short_on_the_way_are_refused(world, shell, guards):
    guards().words._install_program("token1")
    argv = ["sh", str(next(world.base.glob("guard-*.sh"))), str(world.base)]
    whole = world.lines()
    answer = shell.run([*argv, "arm", "token1", "4", "600", str(len(whole)), "somebody"], stdin=whole[:-10])
    assert answer.code == 92
    assert "arrived incomplete" in answer.err
    assert not world.sweep.exists()


@pytest.mark.parametrize(
    ("ttl_s", "hard_s", "lines"), [(3, 600, "x"), (3601, 9999, "x"), (60, 59, "x"), (60, 600, " ")]
)
def test_time_limits_out_of_range_and_empty_restores_are_refused(world, guards, ttl_s, hard_s, lines):
    with pytest.raises(HostNotUsable, match="no guard with"):
        guards().arm(lines, ttl_s, hard_s)
    assert not world.base.exists()


def test_folder_of_another_else_is_not_used(world, guards, tmp_path):
    world.base.symlink_to(tmp_path)
    with pytest.raises(HostNotUsable):
        guards().arm(world.lines(), TTL_S, 600)
    assert list(tmp_path.iterdir()) == []


# --- changing and releasing -----------------------------------------------------------------------------------------


def test_change_goes_through_the_fence_and_release_puts_it_back(every_shell, world, armed):
    assert armed.run_under_lock(world.change(3, 512)).code == 0
    assert world.values() == {0: ORIGINAL, 3: "512 0"}
    seen = []
    left = armed.release(lambda: seen.append((world.untouched, world.state())))
    assert seen == [(True, "armed")]  # the caller reads back while the guard still stands by
    assert left.state == "none"
    assert not world.sweep.exists()
    wait_for(lambda: world.guards() == [], END_S, "the guard's process did not end")
    assert [call.split()[2] for call in world.calls()] == ["3", "0", "3"]


def test_program_that_was_tidied_away_is_sent_again(every_shell, world, armed):
    (program,) = world.base.glob("guard-*.sh")
    program.unlink()
    assert armed.run_under_lock(world.change(3, 512)).code == 0
    assert world.values() == {0: ORIGINAL, 3: "512 0"}
    assert armed.release().state == "none"
    assert world.untouched


def test_command_fails_as_itself_behind_the_fence(world, armed):
    (world.folder / "refuse-3").touch()
    answer = armed.run_under_lock(world.change(3, 512))
    assert (answer.code, answer.err) == (1, "libxl: error: refused, as asked for\n")


def test_command_that_hangs_is_ended_and_lets_go_of_the_lock(world, armed):
    world.close_gate(512)
    assert armed.run_under_lock(world.change(3, 512), timeout_s=1).code == 124
    assert armed.run_under_lock(world.change(3, 300)).code == 0


def test_host_that_does_not_read_back_keeps_its_guard_which_fires(world, armed):
    armed.run_under_lock(world.change(3, 512))

    def complain():
        raise ParameterRefused("reads back differently")

    with pytest.raises(ParameterRefused):
        armed.release(complain)
    wait_until_back(world)
    assert world.log().count("restore ended with 0") == 2


def test_heartbeats_keep_the_guard_from_firing(world, armed):
    armed.run_under_lock(world.change(3, 512))
    assert stays(lambda: world.state() == "armed", 3.0 * TTL_S)
    assert armed.run_under_lock(world.change(3, 300)).code == 0


def test_nothing_but_the_guard_holds_what_reports_that_it_lives(world, armed):
    armed.run_under_lock(world.change(3, 512))
    holder = world.hold_lock()
    armed.abandon()
    wait_for(lambda: world.state() == "fired", BACK_S, "the guard did not fire")
    guard = psutil.Process(world.guard_pid())
    naps = set()

    def napped_often():
        """Look at those that it waits with: each would outlive it, and seem to be it."""
        for child in guard.children():
            with contextlib.suppress(psutil.Error, OSError):
                held = {str(path.readlink()) for path in Path(f"/proc/{child.pid}/fd").iterdir()}
                if child.name() == "sleep":
                    assert str(world.sweep / "alive") not in held
                    naps.add(child.pid)
        return len(naps) >= 5

    wait_for(napped_often, END_S, "the guard does not wait for the lock")
    let_go(holder)
    wait_until_back(world)
