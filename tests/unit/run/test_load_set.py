"""Members of a trial begin, wait, end and die together; only a load on the host's one guest dies alone."""

import time

import pytest

from scheduler.errors import LoadDied, MemberDied, SpecError
from scheduler.loads.fake_loads import FakeLoadGenerators
from scheduler.loads.simulated_loads import SimulatedLoads
from scheduler.model.load_name import LoadName
from scheduler.model.member import Member
from scheduler.model.split import GUEST, GUEST_2
from scheduler.run.load_set import LoadSet
from scheduler.sim.built_in_machine import BUILT_IN_MACHINE
from scheduler.sim.simulated_machine import SimulatedMachine

FIRST, SECOND = Member("osdb-ir", GUEST, users=2), Member("osdb-oltp", GUEST_2, users=3)


class World:
    """Made-up loads and their clock."""

    def __init__(self):
        self.now_s = 100.0
        self.loads = FakeLoadGenerators(lambda _: 0.5, lambda: self.now_s)
        self.running = LoadSet(self.loads)

    def after(self, seconds):
        self.now_s += seconds
        return self.running.poll()

    def die(self, member, error):
        self.running.begin((FIRST, SECOND))
        self.loads.dying.append((member.load, member.guest))
        with pytest.raises(error) as raised:
            self.after(1)
        assert type(raised.value) is error
        assert not self.loads.works
        self.running.forget()
        return str(raised.value)


@pytest.fixture
def world():
    return World()


def test_load_set_starts_only_the_named_members(world):
    for members in ((FIRST,), (SECOND,), (FIRST, SECOND)):
        world.loads.started.clear()
        world.running.begin(members)
        assert tuple(world.loads.started) == world.running.members == members
        seconds = world.after(2)
        assert [(member, second.second) for member, second in seconds] == [
            (member, world.now_s + at) for member in members for at in (-2, -1)
        ]
        assert [member for member, check in world.running.stop() if check.passed] == list(members)
        world.running.forget()
        assert world.running.poll() == []


def test_load_set_parks_and_unparks_all_members(world):
    world.running.begin((FIRST, SECOND))
    world.running.park()
    assert world.after(5) == []
    world.running.unpark()
    assert [second.second for _, second in world.after(1)] == [105, 105]


def test_load_set_raises_load_died_after_the_third_death_in_a_row(world):
    for error in (MemberDied, MemberDied, LoadDied):
        assert world.die(SECOND, error).startswith("OLTP of the second guest: a made-up user")


def test_load_set_ends_all_members_when_one_cannot_start(world, monkeypatch):
    member = world.loads.member

    def refused():
        raise LoadDied("no answer")

    def broken(asked):
        run = member(asked)
        if asked == SECOND:
            monkeypatch.setattr(run, "go", refused)
        return run

    monkeypatch.setattr(world.loads, "member", broken)
    with pytest.raises(LoadDied, match="no answer"):
        world.running.begin((FIRST, SECOND))
    assert not world.loads.works
    assert world.running.members == ()


def test_load_set_forgets_deaths_after_a_whole_trial(world):
    for _ in range(4):
        world.die(FIRST, MemberDied)
        world.running.note_trial_end()


def test_load_set_raises_the_death_of_a_lone_load_as_it_is(world):
    world.running.begin((Member("osdb-ir"),))
    world.loads.dying.append("osdb-ir")
    with pytest.raises(LoadDied, match=r"^a made-up user of osdb-ir died"):
        world.after(1)


def test_simulated_loads_refuse_a_second_member():
    running = LoadSet(SimulatedLoads(SimulatedMachine(BUILT_IN_MACHINE, time.monotonic), ["osdb-ir", "osdb-oltp"]))
    with pytest.raises(SpecError, match="run one at a time"):
        running.begin(tuple(Member(LoadName(kind, "noon")) for kind in ("osdb-ir", "osdb-oltp")))
