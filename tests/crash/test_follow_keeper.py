"""Whoever dies, and in whatever order, a host that is followed reads as found: by the keeper, or by the record."""

import random
import signal
from pathlib import Path

import pytest

from tests.crash.follow_world import FollowWorld
from tests.crash.trial import records_in, wait_for
from tests.volume import times

pytestmark = pytest.mark.crash

KILL, STOP, TERM = signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM


@pytest.fixture
def world(tmp_path):
    world = FollowWorld(tmp_path)
    yield world
    world.close()


@pytest.mark.parametrize("trial", range(times(1, 30)))
def test_local_guard_restores_what_a_killed_process_had_set(world, trial):
    world.start()
    wait_for(lambda: False, random.Random(trial).uniform(0.0, 2.0))
    world.send(KILL)
    assert world.comes_back()
    assert world.local_guard_ends()


@pytest.mark.parametrize("trial", range(times(1, 30)))
def test_stopped_process_is_ended_by_the_local_guard_and_can_write_no_more(world, trial):
    world.start(limit_s=1.0)
    wait_for(lambda: False, random.Random(trial).uniform(0.0, 2.0))
    world.send(STOP)
    assert world.comes_back()
    code, _ = world.client_ends()
    assert code == -KILL
    assert world.local_guard_ends()
    assert world.is_back()


@pytest.mark.parametrize("trial", range(times(1, 30)))
@pytest.mark.parametrize("number", [KILL, STOP])
def test_without_its_local_guard_a_host_is_restored_at_once(world, number, trial):
    world.start()
    world.send(number, "local_guard")
    code, done = world.client_ends()
    assert (code, done["end"], done["restored"]) == (0, "host", True)
    assert "local guard" in done["reason"]
    assert world.is_back()


@pytest.mark.parametrize("trial", range(times(1, 30)))
@pytest.mark.parametrize("first", ["client", "local_guard"])
def test_with_both_killed_the_record_stays_and_restore_restores(world, first, trial):
    world.start(limit_s=20.0)
    second = "local_guard" if first == "client" else "client"
    world.send(STOP, second)  # what it would do in between is another law
    world.send(KILL, first)
    world.send(KILL, second)
    world.client.wait(30)
    assert records_in(world.home)
    assert world.read() != world.found
    assert world.restore().returncode == 0
    assert world.is_back()


def test_signal_restores_and_the_local_guard_ends(world):
    world.start()
    world.send(TERM)
    code, done = world.client_ends()
    assert (code, done["end"], done["reason"]) == (0, "user", "stopped by SIGTERM")
    assert world.is_back()
    assert world.local_guard_ends()


def test_signals_to_the_local_guard_change_nothing(world):
    world.start()
    for number in (TERM, signal.SIGINT, signal.SIGHUP):
        world.send(number, "local_guard")
    assert not wait_for(lambda: world.client.poll() is not None or world.is_back(), 1.0)


@pytest.mark.parametrize("harm", [Path.unlink, lambda record: record.write_bytes(record.read_bytes()[:-40])])
def test_local_guard_restores_from_its_copy_where_the_record_is_gone_or_damaged(world, harm):
    world.start(limit_s=20.0)
    world.send(STOP)
    [record] = records_in(world.home)
    harm(record)
    world.send(KILL)
    assert world.comes_back()
    assert world.local_guard_ends()


def test_what_another_else_has_set_is_left_by_the_local_guard_and_forced_by_hand(world):
    world.start(limit_s=1.0)
    world.send(STOP)
    theirs = {**world.found["guest"], "quota_us": 12_345}
    world.file.write_text(world.file.read_text().replace(str(world.read()["guest"]["quota_us"]), "12345"))
    assert world.read()["guest"] == theirs
    assert wait_for(lambda: world.read()["io"] == world.found["io"], 30)
    assert world.read()["guest"] == theirs
    assert records_in(world.home)
    world.send(KILL, "local_guard")
    assert world.restore().returncode == 4
    assert world.read()["guest"] == theirs
    assert world.restore("--force").returncode == 0
    assert world.is_back()
