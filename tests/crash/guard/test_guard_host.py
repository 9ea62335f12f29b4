"""One sweep per host, a host that was rebooted, and a host without space."""

import os
import signal
import subprocess

import pytest

from scheduler.errors import GuardFired, HostBusy, HostNotUsable
from scheduler.hosts.remote.guard_commands import GuardCommands
from scheduler.hosts.remote.guard_program import build_program
from scheduler.hosts.remote.guard_state import read_guard_state
from tests.guard_world import TTL_S, wait_until_back

pytestmark = pytest.mark.crash


def test_second_sweep_is_refused_with_the_name_of_the_first(world, guards):
    guards().arm(world.lines(), TTL_S, 600, holder="ann's laptop")
    with pytest.raises(HostBusy, match="ann's laptop"):
        guards().arm(world.lines(), TTL_S, 600)


def test_of_many_at_once_exactly_one_gets_the_host(world, shell, guards):
    guards().words._install_program("warm")  # they race for the claim, not for the upload
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


def test_reboot_leaves_a_clean_host_and_refuses_the_old_sweep(world, shell, guards, armed):
    world.tell_guard(signal.SIGKILL)
    (world.sweep / "boot").write_text("another boot\n")  # as a folder looks that outlived a reboot
    found = read_guard_state(GuardCommands(shell, str(world.base)))
    assert (found.state, found.changed) == ("rebooted", False)
    with pytest.raises(GuardFired, match="rebooted"):
        armed.run_under_lock(world.change(3, 512))
    guards().arm(world.lines(), TTL_S, 600)
    assert world.calls() == []


def test_sweep_whose_folder_is_gone_changes_nothing(world, armed):
    world.tell_guard(signal.SIGKILL)
    world.sweep.rename(world.folder / "lost")  # as an emptied tmpfs looks
    with pytest.raises(GuardFired, match="rebooted"):
        armed.run_under_lock(world.change(3, 512))
    assert world.calls() == []


def test_change_that_arrives_after_the_release_is_refused_even_in_the_next_sweep(world, shell, guards, armed):
    armed.release()
    late = ["sh", "-s", "--", str(world.base), "run", armed.token, "20", *world.change(3, 512)]
    assert shell.run(late, stdin=build_program()).code == 90
    guards().arm(world.lines(), TTL_S, 600)
    assert shell.run(late, stdin=build_program()).code == 90
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


def test_full_host_cannot_be_armed_and_nothing_changes(small, world, guards):
    fill(small)
    with pytest.raises(HostNotUsable):
        guards().arm(world.lines(), TTL_S, 600)
    assert not world.sweep.exists()
    assert world.calls() == []


def test_host_that_fills_up_under_a_sweep_is_restored_all_the_same(small, world, armed):
    armed.run_under_lock(world.change(3, 512))
    fill(small)
    armed.abandon()
    wait_until_back(world)
