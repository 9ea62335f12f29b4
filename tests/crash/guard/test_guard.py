"""The guard with real processes: what is there before the first change, who may change, and what makes it fire.

Its clock is /proc/uptime, so that setting the host's clock neither fires it nor holds it up; a test would have to set
this computer's clock, and is not made.
"""

import os
import signal
import subprocess
import sys

import pytest

from scheduler.errors import GuardFired, HostBusy, HostNotUsable, ParameterRefused
from scheduler.hosts.remote.guard_program import program
from scheduler.hosts.remote.guard_state import leftovers
from scheduler.hosts.remote.guard_words import Words
from tests.guard_world import GUEST, MARGIN_S, ORIGINAL, TTL_S, wait_for

BACK_S = TTL_S + MARGIN_S


@pytest.fixture(params=["dash", "busybox", "bash"])
def every_shell(request):
    return request.param


@pytest.fixture
def shell_name(request):
    return request.getfixturevalue("every_shell") if "every_shell" in request.fixturenames else ""


def wait_until_back(world):
    wait_for(lambda: world.state() == "restored", BACK_S, f"the guard did not restore; its log: {world.log()}")
    assert world.untouched


# --- before the first change -----------------------------------------------------------------------------------------


def test_that_originals_and_a_living_guard_are_on_the_host_before_arm_returns(every_shell, world, armed):
    assert armed.state().state == "armed"
    assert armed.state().alive
    assert (world.sweep / "restore.sh").stat().st_mode & 0o777 == 0o600
    assert world.base.stat().st_mode & 0o777 == 0o700
    puts = [line for line in (world.sweep / "restore.sh").read_text().splitlines() if line.startswith("put ")]
    assert [line.split()[1] for line in puts] == ["dom0", GUEST]
    assert world.calls() == []


def test_that_nothing_is_changed_without_arming(world, guards):
    with pytest.raises(GuardFired, match="not armed"):
        guards().fenced(world.change(3, 512))
    assert world.calls() == []


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (f"put {GUEST[:-1]}9 XL sched-credit2 -d @ -w 256 -c 0\n", "is gone"),
        ("put dom0 /no/such/xl sched-credit2 -d @ -w 256 -c 0\n", "has no /no/such/xl"),
        ("put dom0 'XL\n", "would not work"),
    ],
)
def test_that_a_restore_that_could_not_work_is_refused_before_anything_changes(world, guards, lines, complaint):
    guard = guards()
    with pytest.raises(HostNotUsable, match=complaint):
        guard.arm(lines.replace("XL", str(world.bin / "xl")), TTL_S, 600)
    assert not world.sweep.exists()
    assert world.guards() == []
    with pytest.raises(GuardFired):
        guard.fenced(world.change(3, 512))
    assert world.calls() == []


def test_that_restore_commands_cut_short_on_the_way_are_refused(world, shell, guards):
    guards().words._place("token1")
    argv = ["sh", str(next(world.base.glob("guard-*.sh"))), str(world.base)]
    whole = world.lines()
    answer = shell.run([*argv, "arm", "token1", "4", "600", str(len(whole)), "somebody"], stdin=whole[:-10])
    assert answer.code == 92
    assert "did not arrive whole" in answer.err
    assert not world.sweep.exists()


@pytest.mark.parametrize(
    ("ttl_s", "hard_s", "lines"), [(3, 600, "x"), (3601, 9999, "x"), (60, 59, "x"), (60, 600, " ")]
)
def test_that_time_limits_out_of_range_and_empty_restores_are_refused(world, guards, ttl_s, hard_s, lines):
    with pytest.raises(HostNotUsable, match="no guard with"):
        guards().arm(lines, ttl_s, hard_s)
    assert not world.base.exists()


def test_that_a_folder_of_somebody_else_is_not_used(world, guards, tmp_path):
    world.base.symlink_to(tmp_path)
    with pytest.raises(HostNotUsable):
        guards().arm(world.lines(), TTL_S, 600)
    assert list(tmp_path.iterdir()) == []


# --- changing and releasing ------------------------------------------------------------------------------------------


def test_that_a_change_goes_through_the_fence_and_release_puts_it_back(every_shell, world, armed):
    assert armed.fenced(world.change(3, 512)).code == 0
    assert world.values() == {0: ORIGINAL, 3: "512 0"}
    seen = []
    left = armed.release(lambda: seen.append((world.untouched, world.state())))
    assert seen == [(True, "armed")]  # the caller reads back while the guard still stands by
    assert left.state == "none"
    assert not world.sweep.exists()
    wait_for(lambda: world.guards() == [], 5.0, "the guard's process did not end")
    assert [call.split()[2] for call in world.calls()] == ["3", "0", "3"]


def test_that_a_command_fails_as_itself_behind_the_fence(world, armed):
    (world.folder / "refuse-3").touch()
    answer = armed.fenced(world.change(3, 512))
    assert (answer.code, answer.err) == (1, "libxl: error: refused, as asked for\n")


def test_that_a_command_that_hangs_is_ended_and_lets_go_of_the_lock(world, armed):
    world.close_gate(512)
    assert armed.fenced(world.change(3, 512), timeout_s=1).code == 124
    assert armed.fenced(world.change(3, 300)).code == 0


def test_that_a_host_that_does_not_read_back_keeps_its_guard_which_fires(world, armed):
    armed.fenced(world.change(3, 512))

    def complain():
        raise ParameterRefused("reads back differently")

    with pytest.raises(ParameterRefused):
        armed.release(complain)
    wait_until_back(world)
    assert world.log().count("restore ended with 0") == 2


def test_that_heartbeats_keep_the_guard_from_firing(world, armed):
    armed.fenced(world.change(3, 512))
    # The condition must stay false for three time limits: there is nothing to wait for but time.
    with pytest.raises(AssertionError):
        wait_for(lambda: world.state() != "armed", 3 * TTL_S, "it stays armed")
    assert armed.fenced(world.change(3, 300)).code == 0


# --- what makes it fire ----------------------------------------------------------------------------------------------


def start_client(world, *words):
    """Start a sweep in a process of its own; returns when it has made its first change."""
    argv = [sys.executable, "-m", "tests.guard_client", str(world.folder), *words]
    client = subprocess.Popen(argv, env=world.environment, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    assert client.stdout.readline() == "changed\n"
    return client


def end(client):
    client.kill()
    client.communicate(timeout=10)


def test_that_a_killed_client_s_host_is_back_within_the_time_limit(every_shell, world):
    end(start_client(world))
    wait_until_back(world)
    assert "no heartbeat" in world.log()
    wait_for(lambda: world.guards() == [], 5.0, "the guard's process did not end")


def test_that_a_client_that_was_stopped_for_too_long_changes_nothing_any_more(world):
    client = start_client(world)
    os.kill(client.pid, signal.SIGSTOP)
    wait_until_back(world)
    before = world.calls()
    os.kill(client.pid, signal.SIGCONT)
    client.stdin.write("again\n")
    client.stdin.flush()
    assert client.stdout.readline() == "GuardFired True\n"
    assert world.calls() == before
    end(client)


def test_that_the_hard_limit_fires_under_a_steady_heartbeat(world, guards):
    lost = []
    guard = guards(on_lost=lost.append)
    guard.arm(world.lines(), TTL_S, TTL_S + 2)
    guard.fenced(world.change(3, 512))
    wait_for(lambda: world.state() == "restored", TTL_S + 2 + MARGIN_S, "the hard limit did not fire")
    assert "hard limit" in world.log()
    wait_for(lambda: lost != [], TTL_S, "nobody was told")
    assert not guard.armed


def test_that_hang_ups_do_not_touch_the_guard_and_a_request_to_end_makes_it_fire(world, armed):
    armed.fenced(world.change(3, 512))
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        world.tell_guard(number)
    assert armed.fenced(world.change(3, 300)).code == 0
    world.tell_guard(signal.SIGTERM)
    wait_until_back(world)
    assert "told to end" in world.log()


def test_that_a_refused_restore_is_tried_again_until_it_works(world, armed):
    armed.fenced(world.change(3, 512))
    armed.fenced(world.change(0, 400))
    (world.folder / "refuse-0").touch()
    armed.abandon()
    wait_for(lambda: world.log().count("ended with 1") >= 2, BACK_S, "it did not try twice")
    assert world.values() == {0: "400 0", 3: ORIGINAL}  # Dom0 failed, the guest was put back all the same
    assert world.state() == "fired"
    (world.folder / "refuse-0").unlink()
    wait_until_back(world)


def test_that_a_guest_that_reboots_while_the_guard_restores_is_put_back_under_its_new_number(world, armed):
    armed.fenced(world.change(3, 512))
    world.drop_domain(3)
    armed.abandon()
    wait_for(lambda: "a guest is gone" in world.log(), BACK_S, "the guard did not fire")
    assert world.state() == "fired"
    world.put_domain(4, GUEST, "512 0")  # xl hands the values of the sweep on to the rebooted guest
    wait_until_back(world)
    assert world.values() == {0: ORIGINAL, 4: ORIGINAL}


def test_that_a_guest_that_stays_away_has_nothing_to_put_back(world, armed):
    armed.fenced(world.change(3, 512))
    armed.fenced(world.change(0, 400))
    world.drop_domain(3)
    armed.abandon()
    wait_for(lambda: world.state() == "restored", BACK_S + 15.0, "the guard waits for ever")
    assert world.values() == {0: ORIGINAL}


# --- a guard that is no more -----------------------------------------------------------------------------------------


def test_that_a_killed_guard_lets_no_change_through_and_the_host_is_put_back(world, armed):
    armed.fenced(world.change(3, 512))
    world.tell_guard(signal.SIGKILL)
    with pytest.raises(GuardFired, match="guard on the host is dead; the host was put back") as caught:
        armed.fenced(world.change(3, 300))
    assert caught.value.restored
    assert world.untouched
    assert not world.sweep.exists()
    with pytest.raises(GuardFired) as again:
        armed.fenced(world.change(3, 300))
    assert again.value.restored
    assert "sched-credit2 -d 3 -w 300 -c 0" not in world.calls()


def test_that_the_heartbeat_notices_a_dead_guard_by_itself(world, guards):
    lost = []
    guard = guards(on_lost=lost.append)
    guard.arm(world.lines(), TTL_S, 600)
    guard.fenced(world.change(3, 512))
    world.tell_guard(signal.SIGKILL)
    wait_for(lambda: lost != [], TTL_S + 5.0, "nobody was told")
    with pytest.raises(GuardFired) as caught:
        guard.check()
    assert caught.value.restored
    assert world.untouched


def test_that_a_guard_that_is_stopped_is_noticed_and_does_no_harm_when_it_goes_on(world, guards):
    lost = []
    guard = guards(on_lost=lost.append)
    guard.arm(world.lines(), TTL_S, 600)
    guard.fenced(world.change(3, 512))
    pid = world.tell_guard(signal.SIGSTOP)
    wait_for(lambda: lost != [], 15.0, "nobody was told")
    with pytest.raises(GuardFired, match="has not looked"):
        guard.fenced(world.change(3, 300))
    assert world.untouched
    before = world.calls()
    os.kill(pid, signal.SIGCONT)
    wait_for(lambda: world.guards() == [], 5.0, "the guard's process did not end")
    assert world.calls() == before


# --- one sweep per host, reboots, space ------------------------------------------------------------------------------


def test_that_a_second_sweep_is_refused_with_the_name_of_the_first(world, guards):
    guards().arm(world.lines(), TTL_S, 600, holder="ann's laptop")
    with pytest.raises(HostBusy, match="ann's laptop"):
        guards().arm(world.lines(), TTL_S, 600)


def test_that_of_many_at_once_exactly_one_gets_the_host(world, shell, guards):
    guards().words._place("warm")  # they race for the claim, not for the upload
    argv = ["sh", str(next(world.base.glob("guard-*.sh"))), str(world.base), "arm"]
    size = str(len(world.lines()))
    tries = [
        subprocess.Popen([*argv, f"t{n}", "30", "600", size, f"client {n}"], stdin=subprocess.PIPE, text=True)
        for n in range(8)
    ]
    for one in tries:
        one.stdin.write(world.lines())
        one.stdin.close()
    codes = [one.wait(60) for one in tries]
    assert sorted(codes) == [0] + 7 * [91]
    assert len(world.guards()) == 1
    assert (world.sweep / "token").read_text() == f"t{codes.index(0)}\n"


def test_that_a_reboot_leaves_a_clean_host_and_refuses_the_old_sweep(world, shell, guards, armed):
    world.tell_guard(signal.SIGKILL)
    (world.sweep / "boot").write_text("another boot\n")  # as a folder looks that outlived a reboot
    [found] = leftovers(Words(shell, str(world.base)))
    assert (found.state, found.changed) == ("rebooted", False)
    with pytest.raises(GuardFired, match="rebooted"):
        armed.fenced(world.change(3, 512))
    guards().arm(world.lines(), TTL_S, 600)
    assert world.calls() == []


def test_that_a_sweep_whose_folder_is_gone_changes_nothing(world, armed):
    world.tell_guard(signal.SIGKILL)
    world.sweep.rename(world.folder / "lost")  # as an emptied tmpfs looks
    with pytest.raises(GuardFired, match="rebooted"):
        armed.fenced(world.change(3, 512))
    assert world.calls() == []


def test_that_a_change_that_arrives_after_the_release_is_refused_even_in_the_next_sweep(world, shell, guards, armed):
    armed.release()
    late = ["sh", "-s", "--", str(world.base), "run", armed.token, "20", *world.change(3, 512)]
    assert shell.run(late, stdin=program()).code == 90
    guards().arm(world.lines(), TTL_S, 600)
    assert shell.run(late, stdin=program()).code == 90
    assert world.untouched


@pytest.fixture
def small(world):
    """The world's folder on a file system of 128 KiB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    world.base.mkdir(mode=0o700)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k,mode=700", "tmpfs", world.base], check=True)
    yield world.base
    subprocess.run(["umount", "-l", world.base], check=True)


def fill(folder):
    with (folder / "ballast").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 1024)
        except OSError:
            return


def test_that_a_full_host_cannot_be_armed_and_nothing_changes(small, world, guards):
    fill(small)
    with pytest.raises(HostNotUsable):
        guards().arm(world.lines(), TTL_S, 600)
    assert not world.sweep.exists()
    assert world.calls() == []


def test_that_a_host_that_fills_up_under_a_sweep_is_put_back_all_the_same(small, world, armed):
    armed.fenced(world.change(3, 512))
    fill(small)
    armed.abandon()
    wait_until_back(world)
