"""Laws of `refine`: once it is decided, a split between the measured ones joins, and is measured like the others."""

import itertools
import math

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.errors import SpecError
from scheduler.model.protocols import MOST_ADDED_SPLITS, PROTOCOLS
from scheduler.model.results import SplitVerdict
from scheduler.model.setting import label_of, parse_split_setting
from scheduler.plans.study_plan import count_certain_trials, duration_s
from scheduler.stats.recommendation import gather_evidence, recommend_from_evidence, recommend_split
from tests.data_maker import make_spec
from tests.unit.plans.carrying import carried_out
from tests.volume import times

FIVE = ("1:9", "1:4", "1:1", "4:1", "9:1")
TOP = -0.55  # between 1:4 and 1:1, which has 4.4 % less than there would be


def refining(protocol="adaptive", splits=FIVE, kinds=("osdb-ir", "osdb-oltp"), seed=1, **windows):
    return msgspec.structs.replace(
        make_spec(splits=splits, kinds=kinds, seed=seed),
        protocol=msgspec.structs.replace(PROTOCOLS[protocol], refine=True, **windows),
    )


def hill(top, *, curvature=0.15, sd=0.01, seed=1):
    """Return what a trial yields where ln(throughput) is a parabola over the axis, highest at `top`."""
    dice = np.random.default_rng(seed)

    def tps(trial):
        place = top - 1.0 if trial.setting is None else trial.setting.position
        return 1000 * math.exp(-curvature * (place - top) ** 2 + dice.normal(0, sd))

    return tps


def joined(made):
    """Return the labels that the plan did not name, in the order in which they came."""
    labels = [label_of(trial.setting) for trial in made if trial.setting]
    return [label for label in dict.fromkeys(labels) if label not in FIVE]


def place(label):
    return parse_split_setting(label).position


@pytest.mark.parametrize("protocol", ["adaptive", "quick", "strict"])
def test_best_split_is_found_between_those_of_the_plan_and_measured(protocol):
    spec, top = refining(protocol), TOP
    made = carried_out(spec, hill(top))
    answer = recommend_split(made, spec)
    assert answer.verdict is not SplitVerdict.NONE
    assert answer.label in joined(made)
    assert not answer.interpolated
    assert abs(place(answer.label) - top) < 0.35
    trials = [trial for trial in made if label_of(trial.setting) == answer.label]
    assert {trial.load for trial in trials} == {"osdb-ir", "osdb-oltp"}
    assert (
        any(f"{joined(made)[0]} was not in the plan" in reason for reason in answer.sentences) or len(joined(made)) > 1
    )


def test_without_an_order_only_the_plans_splits_are_measured():
    spec = refining()
    plain = msgspec.structs.replace(spec, protocol=PROTOCOLS["adaptive"])
    made = carried_out(plain, hill(TOP))
    assert not joined(made)
    answer = recommend_split(made, plain)
    assert (answer.label, answer.interpolated) == ("1:1", False)
    assert answer.proposal is not None


@settings(max_examples=times(10, 25), deadline=None)
@given(seed=st.integers(0, 10_000), top=st.floats(-2.5, 2.5), sd=st.floats(0.0, 0.1))
def test_newcomers_are_few_lie_within_the_plans_splits_and_share_blocks_with_the_leader(seed, top, sd):
    spec = refining(seed=seed, limit_min=60)
    made = carried_out(spec, hill(top, sd=sd, seed=seed))
    assert len(joined(made)) <= MOST_ADDED_SPLITS
    assert sum(trial.settled_s + trial.seconds for trial in made) <= 60 * 60
    for label in joined(made):
        assert place("1:9") < place(label) < place("9:1")
        for block in {trial.block for trial in made if label_of(trial.setting) == label}:
            assert len({label_of(trial.setting) for trial in made if trial.block == block}) >= 2


def test_refine_remark_names_reason_of_joining_split():
    remarks, usual = [], hill(TOP)
    carried_out(refining(), lambda trial: remarks.append(trial.remark) or usual(trial))
    assert any("It is measured now." in remark for remark in remarks), remarks
    assert not any(one and one == other for one, other in itertools.pairwise(remarks))


@pytest.mark.parametrize(("top", "words"), [(0.0, "of more than 2 %"), (3.0, "may lie beyond")])
def test_refine_answer_reports_why_no_split_joined(top, words):
    spec = refining()
    assert any(words in reason for reason in recommend_split(carried_out(spec, hill(top)), spec).sentences)


def test_refine_split_that_host_cannot_be_set_to_does_not_join():
    spec = refining()
    made = carried_out(spec, hill(TOP), settable=lambda split: False)
    assert not joined(made)
    answer = recommend_from_evidence(gather_evidence(made, spec, settable=lambda split: False))
    assert any("can be set on this host" in reason for reason in answer.sentences)


def test_newcomer_whose_trials_fail_holds_nothing_up_and_is_named():
    usual, spec = hill(TOP), refining()
    failing = carried_out(spec, lambda v: math.nan if v.setting and v.setting.label not in FIVE else usual(v))
    assert len(failing) < 400
    reasons = recommend_split(failing, spec).sentences
    assert any(reason.startswith(f"{joined(failing)[0]} was excluded: every trial") for reason in reasons)


def test_no_split_joins_when_its_trials_would_not_fit_into_the_time():
    spec = refining(kinds=("osdb-ir",))
    usual = carried_out(spec, hill(TOP))
    first = next(trial for trial in usual if label_of(trial.setting) in joined(usual))
    spent_s = sum(trial.settled_s + trial.seconds for trial in usual if trial.block < first.block)
    spec = refining(kinds=("osdb-ir",), limit_min=math.ceil(spent_s / 60))
    made = carried_out(spec, hill(TOP))
    assert not joined(made)
    assert recommend_split(made, spec).proposal is not None


def test_same_results_lead_to_the_same_newcomers():
    """So that an unfinished sweep can be continued."""
    spec = refining()
    first = carried_out(spec, hill(TOP))
    results = iter(first)
    again = carried_out(spec, lambda trial: next(results).mean_tps)
    assert [(v.setting, v.load, v.block) for v in again] == [(v.setting, v.load, v.block) for v in first]
    assert joined(first)


def test_newcomers_are_in_the_longest_duration_but_not_among_the_certain_trials():
    spec = refining(limit_min=0)
    plain = msgspec.structs.replace(spec, protocol=msgspec.structs.replace(spec.protocol, refine=False))
    assert count_certain_trials(spec) == count_certain_trials(plain)
    assert duration_s(spec)[0] == duration_s(plain)[0]
    assert duration_s(spec)[1] > duration_s(plain)[1]


def test_only_a_protocol_that_decides_as_it_goes_can_be_refined():
    with pytest.raises(SpecError, match="'grid' makes no decisions during the sweep"):
        refining("grid")
