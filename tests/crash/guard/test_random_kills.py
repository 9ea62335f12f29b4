"""Kills at random moments of a sweep that changes the host as fast as it can: the originals are always back in time."""

import os
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from scheduler.hosts.remote.guard_commands import GuardCommands
from scheduler.hosts.remote.guard_state import read_guard_state, restore_leftover
from scheduler.hosts.remote.local_shell import LocalShell
from tests.guard_world import END_S, MARGIN_S, TTL_S, made_world, wait_for
from tests.volume import deep, times

KILLS = int(os.environ.get("DOMTUNE_KILLS", times(3, 30)))
LONGEST_S = 2.0 * TTL_S if deep() else 0.5 * TTL_S  # a restless sweep takes all of a CPU; half of it is two heartbeats
AT_ONCE = 5
SEED = int(os.environ.get("DOMTUNE_SEED", "20070912"))

pytestmark = [pytest.mark.crash, pytest.mark.timeout(600)]


def sweep(world):
    """Start a restless sweep; returns when it changes the host."""
    client = subprocess.Popen(
        [sys.executable, "-m", "tests.guard_client", str(world.folder), "restless"],
        env=world.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for(lambda: world.calls() != [], 60.0, "the sweep did not start")
    return client


def pause(moment_s):
    threading.Event().wait(moment_s)


def assert_nothing_follows_the_restore(world):
    assert world.untouched, f"{world.values()} {world.log()}"
    assert [call.split()[2:5] for call in world.calls()[-2:]] == [["0", "-w", "256"], ["3", "-w", "256"]]


def kill_the_client(moment_s):
    """Return how long the host took to be back, in seconds."""
    with made_world() as world:
        client = sweep(world)
        pause(moment_s)
        client.kill()
        killed_s = time.monotonic()
        client.wait(END_S)
        wait_for(lambda: world.state() == "restored", TTL_S + MARGIN_S, "the guard did not restore")
        took_s = time.monotonic() - killed_s
        assert_nothing_follows_the_restore(world)
        return took_s


def kill_the_guard(moment_s):
    with made_world() as world:
        client = sweep(world)
        pause(moment_s)
        killed_s = time.monotonic()
        [guard] = world.guards()
        guard.kill()
        assert client.wait(60) == 1  # GuardFired: the sweep put the host back itself and ended
        took_s = time.monotonic() - killed_s
        assert_nothing_follows_the_restore(world)
        return took_s


def kill_both(moment_s):
    with made_world() as world:
        client = sweep(world)
        pause(moment_s)
        [guard] = world.guards()
        client.kill()
        guard.kill()
        client.wait(END_S)
        psutil.wait_procs([guard], END_S)
        started_s = time.monotonic()
        words = GuardCommands(LocalShell(), str(world.base), ["env", f"PATH={world.environment['PATH']}"])
        found = read_guard_state(words)
        assert found.changed or found.state == "restored"  # starved for its 4 s, it may have fired before it was killed
        assert not found.alive
        assert restore_leftover(words, found.token).state == "none"
        assert_nothing_follows_the_restore(world)
        return time.monotonic() - started_s


@pytest.mark.parametrize("kill", [kill_the_client, kill_the_guard, kill_both])
def test_originals_are_back_after_every_kill(kill, capsys):
    dice = random.Random(SEED)
    moments_s = [dice.uniform(0.0, LONGEST_S) for _ in range(KILLS)]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        took_s = sorted(pool.map(kill, moments_s))
    with capsys.disabled():
        print(
            f"\n  {kill.__name__}: {len(took_s)} of {KILLS} back, after {took_s[0]:.1f} to {took_s[-1]:.1f} s", end=""
        )
    assert len(took_s) == KILLS
