"""Loads of two guests: seconds that both have told, each with its check; who dies is named, and the trial void."""

import pytest

from scheduler.errors import LoadDied, MemberDied
from scheduler.loads.fake_loads import FakeLoadGenerators
from scheduler.loads.load_protocols import LoadSecond
from scheduler.loads.two_guests import TwoGuests, merge_guest_seconds
from scheduler.model.guests import LoadedGuests
from scheduler.model.setting import RunOptions
from scheduler.model.split import GUEST, GUEST_2

KINDS = {GUEST: "osdb-ir", GUEST_2: "osdb-oltp"}
FIRST, SECOND, BOTH = (RunOptions(guests=loaded.guests) for loaded in LoadedGuests)


class World:
    """Two made-up loads and their clock."""

    def __init__(self):
        self.now_s = 100.0
        self.pools = {guest: FakeLoadGenerators(lambda _: 0.5, lambda: self.now_s) for guest in KINDS}
        self.loads = TwoGuests(self.pools, KINDS)

    def start(self, how):
        self.loads.prepare("osdb-ir", how)
        self.loads.start("osdb-ir", how)

    def after(self, seconds):
        self.now_s += seconds
        return self.loads.poll()


@pytest.fixture
def world():
    return World()


def test_that_only_those_are_prepared_and_started_who_are_loaded(world):
    for how, loaded in ((FIRST, [GUEST]), (SECOND, [GUEST_2]), (BOTH, [GUEST, GUEST_2])):
        world.start(how)
        seconds = world.after(3)
        assert len(seconds) == 3
        assert all(list(second.guests) == loaded for second in seconds)
        assert [second.count for second in seconds] == [second.guests[loaded[0]].count for second in seconds]
        assert world.loads.stop().passed
    assert {guest: pool.prepared for guest, pool in world.pools.items()} == {
        GUEST: ["osdb-ir"] * 2,
        GUEST_2: ["osdb-oltp"] * 2,
    }


def test_that_seconds_are_those_that_both_have_told_whoever_began_later(world):
    world.start(BOTH)
    world.now_s += 2
    world.pools[GUEST_2].unpark()  # its users begin two seconds later
    told = [second.second for second in world.after(3)]
    assert told == [102, 103, 104]
    world.loads.park()
    world.now_s += 5
    world.loads.unpark()
    assert [second.second for second in world.after(2)] == [110, 111]


def test_that_what_went_wrong_is_that_of_both_and_the_figures_are_the_first_ones():
    parts = {
        GUEST: LoadSecond(7, 10, {3: 10}, errors=1, retries=2, busiest_cpu_frac=0.2, cpu_s=0.3),
        GUEST_2: LoadSecond(7, 99, {4: 99}, errors=2, retries=1, busiest_cpu_frac=0.9, cpu_s=1.5, missing_users=1),
    }
    one = merge_guest_seconds(parts)
    assert (one.second, one.count, one.histogram) == (7, 10, {3: 10})
    assert (one.errors, one.retries, one.missing_users) == (3, 3, 1)
    assert (one.busiest_cpu_frac, one.cpu_s) == (0.9, pytest.approx(1.8))
    assert one.guests == parts


def test_that_each_database_is_checked_and_one_that_differs_is_named(world):
    world.pools[GUEST_2].checks_pass = False
    world.start(BOTH)
    world.after(2)
    check = world.loads.stop()
    assert not check.passed
    assert "the guest: nothing was run" in check.text
    assert "the second guest: nothing" in check.text
    assert world.loads.stop() is None


def test_that_a_guest_whose_users_die_voids_the_trial_by_name_and_the_third_time_ends_the_study(world):
    for trial in range(3):
        world.start(BOTH)
        world.pools[GUEST_2].dies_after = 1
        kind = MemberDied if trial < 2 else LoadDied
        with pytest.raises(kind, match="the users of the second guest died: a made-up user died"):
            world.after(3)
        assert world.after(3) == []
        assert world.pools[GUEST].poll() == []
    world.pools[GUEST_2].dies_after = None


def test_that_a_trial_that_comes_to_its_end_forgives_earlier_deaths(world):
    for _ in range(3):
        world.start(BOTH)
        world.pools[GUEST].dies_after = 0
        with pytest.raises(MemberDied, match="the users of the guest died"):
            world.after(2)
        world.pools[GUEST].dies_after = None
        world.start(SECOND)
        assert world.after(2)
        assert world.loads.stop().passed
