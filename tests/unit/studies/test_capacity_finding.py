"""What a capacity study says that it found."""

import math
import random

import pytest

from scheduler.model.plan_file import parse_plan
from scheduler.studies.capacity.declaration import CapacityMargin
from scheduler.studies.capacity.finding import finding_of
from tests.unit.plans.carrying import carried_out

PLAN = 'host = "sim:"\nstudy = "capacity"\n{more}[[load]]\nkind = "osdb-ir"\nusers = 32\n'


def found(law, more="", noise=0.01):
    spec, rng = parse_plan(PLAN.format(more=more)), random.Random(3)
    trials = carried_out(spec, lambda trial: law(trial) * math.exp(rng.gauss(0, noise)))
    return finding_of(trials, (), spec)


def limit_at(most):
    return lambda trial: 100.0 * min(trial.members[0].users, most)


def test_knee_is_named_with_its_definition():
    finding = found(limit_at(6))
    (knee,) = finding.knees
    assert (knee.above, knee.most, knee.open) == (5, 6, False)
    assert finding.headline == "Saturates at 6 users under IR: with more users, throughput rises by less than 5 %."
    assert any("95 % of the highest" in limit for limit in finding.limits)
    assert knee.crossing_users[1] < 6 < knee.crossing_users[2]
    assert knee.room is CapacityMargin.UNKNOWN
    assert finding.advice == ()


def test_range_that_ends_before_the_knee_is_reported_and_never_extrapolated():
    finding = found(lambda trial: 100.0 * trial.members[0].users, "demand_users = 100\n")
    assert finding.headline.startswith("Not saturated at 32 users under IR")
    assert finding.knees[0].room is CapacityMargin.UNKNOWN
    assert finding.advice == ("IR: no answer for 100 users, because at most 32 were tested.",)
    assert "Saturates" not in finding.headline


@pytest.mark.parametrize(
    ("demand", "room", "words"),
    [
        (2, CapacityMargin.CONTRACT, "A smaller share of the CPU may be enough"),
        (4, CapacityMargin.ROOM, "4 users fit"),
        (6, CapacityMargin.AT_THE_KNEE, "where throughput stops growing"),
        (24, CapacityMargin.EXPAND, "Expand the host, or each user gets 25 %"),
    ],
)
def test_advice_follows_from_the_users_there_are(demand, room, words):
    finding = found(limit_at(6), f"demand_users = {demand}\n")
    assert finding.knees[0].room is room
    assert words in finding.advice[0]


def test_falling_branch_is_distinguished():
    finding = found(lambda trial: 100.0 * (min(trial.members[0].users, 6) if trial.members[0].users <= 8 else 4.0))
    assert finding.knees[0].falls_frac == pytest.approx(0.33, abs=0.05)
    assert any("with 32 users there is" in reason for reason in finding.reasons)


def test_splits_effect_is_reported_only_where_it_is_certain():
    def law(trial):
        return 100.0 * min(trial.members[0].users, 8 if trial.setting.split.io == 1 else 4)

    more = 'splits = ["1:2", "2:1"]\n'
    assert "1:2 gives" in found(law, more).reasons[0]
    assert "no difference is certain" in found(limit_at(6), more, noise=0.03).reasons[0]


def test_no_answer_is_made_of_nothing():
    spec = parse_plan(PLAN.format(more="demand_users = 4\n"))
    finding = finding_of((), (), spec)
    assert finding.headline == "No answer: no number of users was measured under any load."
    assert (finding.knees, finding.advice, finding.reasons, finding.limits) == ((), (), (), ())


def test_too_few_trials_are_no_claim_that_it_does_not_fill_up():
    spec = parse_plan(PLAN.format(more=""))
    trials = carried_out(spec, limit_at(6))[:4]
    finding = finding_of(trials, (), spec)
    assert finding.knees[0].open
    assert not finding.knees[0].beyond
    assert "is not known yet" in finding.headline
    assert "Not saturated" not in finding.headline
    assert "more than 0" not in finding.headline


def test_finding_of_an_undecided_knee_names_no_number_and_no_order():
    spec, rng = parse_plan(PLAN.format(more="demand_users = 5\n")), random.Random(3)
    trials = carried_out(spec, lambda trial: 100.0 * min(trial.members[0].users, 2) * math.exp(rng.gauss(0, 0.04)))
    finding = finding_of(trials[:12], (), spec)
    (knee,) = finding.knees
    assert not knee.open
    assert not knee.is_decided
    assert finding.headline.startswith(f"Under IR the host is saturated somewhere between 1 and {knee.most} users: not")
    assert f"{len(knee.next_users)} more trials (with" in finding.headline
    assert "Saturates" not in finding.headline
    assert knee.room is CapacityMargin.UNKNOWN
    assert "not decided for 5 users" in finding.advice[0]
