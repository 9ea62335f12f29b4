"""Tests of the decision and of its sentence."""

import re

import msgspec
import numpy as np
import pytest

from scheduler.model.decision import DecisionKind, SweepPurpose
from scheduler.model.objective import Objective
from scheduler.model.spec import Mode
from scheduler.stats.decision_rules import classify_gain
from scheduler.stats.gain import SplitGain
from scheduler.stats.reasons import _loss_range_words
from scheduler.stats.recommendation import recommend_split
from tests.data_maker import make_spec
from tests.settings import split_at
from tests.unit.stats.surface_maker import trials_at

SURFACE = {"osdb-ir": {"1:1": 100.0, "1:10": 50.0}}


def answer_for(baseline_tps, *, blocks=6, sd=0.03, objective=None, mode=Mode.CAPS, **changes):
    """Return the answer of two splits next to original settings of this throughput."""
    spec = make_spec(splits=("1:1", "1:10"), kinds=("osdb-ir",), repeats=blocks, mode=mode)
    spec = msgspec.structs.replace(spec, objective=objective or spec.objective, **changes)
    base = None if baseline_tps is None else {"osdb-ir": baseline_tps}
    trials = trials_at(SURFACE, np.random.default_rng(1), blocks=blocks, sd=sd, baseline_tps=base, drift_sd=0.01)
    return recommend_split(trials, spec)


@pytest.mark.parametrize(
    ("baseline_tps", "kind", "start"),
    [
        (
            150.0,
            DecisionKind.STAY,
            "Keep the original settings: no split gains 2 % over the original settings (the best, 1:1: -3",
        ),
        (60.0, DecisionKind.CHANGE, "Change to 1:1: +6"),
        (98.0, DecisionKind.NOT_YET, "Keep the original settings for now: 1:1 may gain up to "),
        (
            None,
            DecisionKind.UNKNOWN,
            "Best of the two: 1:1. The gain of 1:1 over the original settings was not measured",
        ),
    ],
)
def test_decision_follows_gain_over_original_settings(baseline_tps, kind, start):
    answer = answer_for(baseline_tps)
    assert answer.decision.kind is kind
    assert answer.headline.startswith(start)
    assert answer.decision.ordered == (split_at("1:1") if kind is DecisionKind.CHANGE else None)


def test_decision_stay_states_cost_only_where_cpu_may_be_divided():
    assert "To divide the CPU anyway, use 1:1, which costs 3" in answer_for(150.0).headline
    assert "divide" not in answer_for(150.0, mode=Mode.WEIGHTS).headline


def test_decision_not_yet_names_minutes_that_would_decide():
    answer = answer_for(94.0, sd=0.1)
    assert answer.decision.kind is DecisionKind.NOT_YET
    assert answer.decision.minutes_left > 0
    assert re.search(r"About \d+ (min|h) more would", answer.headline)


def test_decision_divide_names_best_split_and_its_cost():
    answer = answer_for(150.0, objective=Objective(purpose=SweepPurpose.DIVIDE))
    assert answer.decision.kind is DecisionKind.CHANGE
    assert answer.headline.startswith("Divide the CPU 1:1. It costs 3")


def test_decision_with_weights_moved_keeps_purpose():
    spec = make_spec(splits=("1:1", "1:10"), kinds=("osdb-ir",))
    spec = msgspec.structs.replace(spec, objective=Objective(purpose=SweepPurpose.DIVIDE, worth_frac=0.05))
    trials = trials_at(SURFACE, np.random.default_rng(1), blocks=6, baseline_tps={"osdb-ir": 150.0})
    decision = recommend_split(trials, spec, {"osdb-ir": 1.0}).decision
    assert (decision.purpose, decision.worth_frac) == (SweepPurpose.DIVIDE, 0.05)


@pytest.mark.parametrize("purpose", list(SweepPurpose))
def test_decision_without_baseline_is_unknown(purpose):
    answer = answer_for(None, objective=Objective(purpose=purpose), baseline=False)
    assert answer.decision.kind is DecisionKind.UNKNOWN
    assert "the plan leaves the baseline out" in answer.headline


def test_decision_with_one_block_orders_nothing():
    answer = answer_for(60.0, blocks=1)
    assert answer.decision.kind is DecisionKind.NOT_YET
    assert "Keep the original settings for now: " in answer.headline


def test_decision_with_noise_beyond_judgement_orders_nothing():
    answer = answer_for(20.0, sd=0.8)
    assert answer.decision.kind is DecisionKind.NOT_YET
    assert "too much for a decision" in answer.headline


@pytest.mark.parametrize(
    ("frac", "span", "others", "kind"),
    [
        (0.05, (0.001, 0.10), {}, DecisionKind.CHANGE),
        (0.05, (0.0, 0.10), {}, DecisionKind.NOT_YET),
        (0.019, (0.001, 0.04), {}, DecisionKind.NOT_YET),
        (0.0, (-0.02, 0.019), {}, DecisionKind.STAY),
        (0.0, (-0.02, 0.019), {"1:2": 0.06}, DecisionKind.NOT_YET),
        (0.0, (-0.02, 0.02), {}, DecisionKind.NOT_YET),
        (0.5, None, {}, DecisionKind.NOT_YET),
    ],
)
def test_kind_of_gain_at_each_bound_is_the_careful_one(frac, span, others, kind):
    assert classify_gain(SplitGain(frac=frac, ci95_frac=span, pairs=4), others, 0.02) is kind


def test_range_never_changes_sign_within_sentence():
    assert _loss_range_words(-0.025, 0.13) == "between 2.5 % more and 13 % less"
    assert _loss_range_words(0.21, 0.33) == "21 to 33 %"
