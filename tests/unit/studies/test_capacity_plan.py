"""The trials of a capacity study."""

from itertools import pairwise

import pytest

from scheduler.errors import SpecError
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.studies import STUDIES
from scheduler.plans.study_plan import count_certain_trials, duration_s, list_certain_trials, usual_s
from tests.unit.plans.carrying import carried_out

PLAN = 'host = "sim:"\nstudy = "capacity"\n'
IR = '[[load]]\nkind = "osdb-ir"\nusers = {users}\n'


def spec_of(more="", users=32):
    return parse_plan(PLAN + more + IR.format(users=users))


def limit_at(most):
    return lambda trial: 100.0 * min(trial.members[0].users, most)


def test_plan_without_further_keys_runs_on_its_defaults():
    spec = parse_plan(PLAN)
    assert [(load.kind, load.users) for load in spec.loads] == [("tpcb", 32)]
    assert [setting.label for setting in spec.settings] == [
        "1 user",
        "2 users",
        "4 users",
        "8 users",
        "16 users",
        "32 users",
    ]
    assert spec.splits == ()


@pytest.mark.parametrize(
    "more", ["", 'splits = ["1:2", "2:1"]\ndemand_users = 20\n', 'protocol = "grid"\nrepeats = 2\n']
)
def test_plan_is_written_as_it_was_read(more):
    spec = spec_of(more, users=20)
    assert parse_plan(write_plan(spec)) == spec


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ('protocol = "strict"\n', "protocol"),
        ('protocol = "calibrate"\n', "protocol"),
        ("refine = true\n", "refine"),
        ("demand_users = -1\n", "demand_users"),
        ('splits = ["1:0"]\n', r"splits\[0\]"),
    ],
)
def test_what_does_not_suit_it_is_refused(more, field):
    with pytest.raises(SpecError, match=field):
        spec_of(more)


def test_one_user_is_no_range_and_an_unknown_study_is_named():
    with pytest.raises(SpecError, match="at most 1 there is no number to find"):
        spec_of(users=1)
    with pytest.raises(SpecError, match="'speed' is none of split, capacity") as refused:
        parse_plan('host = "sim:"\nstudy = "speed"\n')
    assert refused.value.hint == f"Use {' or '.join((*STUDIES, 'calibration'))}."
    with pytest.raises(SpecError, match="demand_users"):
        parse_plan('host = "sim:"\ndemand_users = 4\n')


def test_doubling_numbers_come_first_and_then_where_the_knee_is():
    made = carried_out(spec_of(), limit_at(6))
    first = [done.setting.users for done in made if done.block == 0]
    assert sorted(first) == [1, 2, 4, 8, 16, 32]
    later = {done.setting.users for done in made if done.block > 0}
    assert later & {5, 6}
    assert len(made) <= 48


def test_grid_measures_every_number_equally_often():
    made = carried_out(spec_of('protocol = "grid"\nrepeats = 2\n'), limit_at(6))
    assert sorted(done.setting.users for done in made) == sorted([1, 2, 4, 8, 16, 32] * 2)


def test_users_who_were_started_serve_every_split():
    made = carried_out(spec_of('splits = ["1:2", "1:1", "2:1"]\n'), limit_at(6))
    first = [done.setting for done in made if done.block == 0]
    assert len(first) == 18
    assert sum(one.users != other.users for one, other in pairwise(first)) == 5


def test_two_loads_have_their_own_ranges():
    two = PLAN + IR.format(users=16) + '[[load]]\nkind = "osdb-oltp"\nusers = 5\n'
    made = carried_out(parse_plan(two), limit_at(3))
    most = {kind: max(done.setting.users for done in made if done.load == kind) for kind in ("osdb-ir", "osdb-oltp")}
    assert most == {"osdb-ir": 16, "osdb-oltp": 5}


def test_it_ends_where_nothing_can_be_measured():
    made = carried_out(spec_of(), lambda _: float("nan"))
    assert len(made) == 6


def test_it_ends_before_its_limit_of_time():
    made = carried_out(spec_of("limit_min = 3\n"), limit_at(6))
    assert sum(done.settled_s + done.seconds for done in made) <= 180
    assert len(made) >= 6


def test_quick_one_takes_fewer_trials():
    quick, thorough = (carried_out(spec_of(f'protocol = "{name}"\n'), limit_at(6)) for name in ("quick", "adaptive"))
    assert len(quick) < len(thorough)


def test_its_length_is_reported_before():
    spec = spec_of('splits = ["1:2", "1:1"]\n')
    assert count_certain_trials(spec) == len(list_certain_trials(spec)) == 12
    best, worst = duration_s(spec)
    assert best < usual_s(spec) <= worst
    assert worst < 96 * 20 * 1.2
