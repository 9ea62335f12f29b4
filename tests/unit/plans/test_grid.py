"""Laws of the plans: every setting as often as promised, in a seeded order, at the price that was named."""

from collections import Counter
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.model.setting import label_of
from scheduler.plans.study_plan import (
    PREPARE_S,
    START_S,
    SWITCH_S,
    count_certain_trials,
    duration_s,
    list_certain_trials,
)
from tests.data_maker import make_spec

KINDS = st.sampled_from([("osdb-ir",), ("osdb-oltp",), ("osdb-ir", "osdb-oltp")])


@given(kinds=KINDS, repeats=st.integers(1, 12), seed=st.integers(0, 9))
def test_every_setting_is_measured_under_every_load_as_often_as_promised(kinds, repeats, seed):
    spec = make_spec(kinds=kinds, repeats=repeats, seed=seed)
    counts = Counter((label_of(trial.setting), trial.load) for trial in list_certain_trials(spec))
    labels = [setting.label for setting in spec.settings]
    expected = {(label, kind): repeats for label in labels for kind in kinds}
    assert counts == expected | {("baseline", kind): repeats for kind in kinds}
    assert count_certain_trials(spec) == len(list_certain_trials(spec))


@given(kinds=KINDS, repeats=st.integers(1, 12))
def test_named_duration_is_that_of_its_trials(kinds, repeats):
    spec = make_spec(kinds=kinds, repeats=repeats)
    trials = list_certain_trials(spec)
    changes = 1 + sum(a.load != b.load for a, b in pairwise(trials))
    steady_s = sum(trial.settle_s + trial.measure_s + SWITCH_S for trial in trials)
    best_s, worst_s = duration_s(spec)
    assert best_s == pytest.approx(steady_s + START_S[0] + changes * PREPARE_S[0])
    assert worst_s == pytest.approx(steady_s * 1.1 + START_S[1] + changes * PREPARE_S[1])


def test_blocks_follow_each_other_without_a_change_of_the_load():
    trials = [trial for trial in list_certain_trials(make_spec(repeats=6)) if trial.setting is not None]
    for before, after in pairwise(trials):
        if before.block != after.block:
            assert before.load == after.load


def test_order_is_random_but_the_same_for_the_same_seed():
    def order(seed: int) -> list[str]:
        return [label_of(trial.setting) for trial in list_certain_trials(make_spec(seed=seed))]

    assert order(1) == order(1) != order(2)
    blocks = [tuple(order(1)[i : i + 10]) for i in range(0, 60, 10)]
    assert len(set(blocks)) == len(blocks)


def test_trial_after_a_change_of_the_load_settles_longer():
    protocol = make_spec().protocol
    spec = msgspec.structs.replace(
        make_spec(), protocol=msgspec.structs.replace(protocol, settle_s=3, load_settle_s=11)
    )
    trials = list_certain_trials(spec)
    for before, after in pairwise(trials):
        assert after.settle_s == (3 if before.load == after.load else 11)
