"""Tests of plans whose loads all run in one trial."""

import msgspec
from hypothesis import given

from app.wizard.one_trial_plans import one_trial_plan, separate_trials_plan
from scheduler.model.objective import LIMITED, Objective
from scheduler.plans.study_plan import usual_s
from tests.data_maker import make_spec
from tests.unit.app.any_spec import mixed_specs


def test_short_way_and_back_is_the_same_plan():
    spec = make_spec(weights={"osdb-ir": 1.0, "osdb-oltp": 3.0})
    short = one_trial_plan(spec)
    assert short.weights == {"mix/osdb-ir": 1.0, "mix/osdb-oltp": 3.0}
    assert one_trial_plan(short) is None
    assert separate_trials_plan(short) == spec
    assert separate_trials_plan(spec) is None


def test_short_way_keeps_favoured_load():
    spec = msgspec.structs.replace(make_spec(), objective=Objective(LIMITED, load="osdb-ir", limit_frac=0.1))
    assert one_trial_plan(spec).objective.load == "mix/osdb-ir"


def test_short_way_takes_half_the_time_of_two_loads():
    spec = make_spec()
    assert 0.4 < usual_s(one_trial_plan(spec)) / usual_s(spec) < 0.6


def test_short_way_is_not_offered_for_one_load():
    assert one_trial_plan(make_spec(kinds=("osdb-ir",))) is None


@given(mixed_specs())
def test_short_way_never_makes_a_plan_that_cannot_be(spec):
    for plan in (one_trial_plan(spec), separate_trials_plan(spec)):
        assert plan is None or {load.kind for load in plan.loads} == {load.kind for load in spec.loads}
