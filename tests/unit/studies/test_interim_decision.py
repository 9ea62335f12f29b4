"""Tests of the decision while a sweep is still measuring."""

import re

import msgspec
import numpy as np
import pytest

from scheduler.model.decision import DecisionKind, SweepDecision, SweepPurpose
from scheduler.model.documents import TrialDone
from scheduler.model.number_texts import format_about_minutes, format_interval
from scheduler.model.objective import Objective
from scheduler.model.results import MeasuredPoint, Recommendation, SplitVerdict
from scheduler.model.setting import BASELINE, label_of
from scheduler.stats.recommendation import recommend_split
from scheduler.stats.study_answer import decide_so_far
from scheduler.studies.split.interim_decision import describe_so_far
from tests.data_maker import make_documents, make_spec
from tests.settings import setting_at
from tests.studies_maker import capacity_documents, isolation_documents, overhead_documents, scale_up_documents
from tests.unit.stats.surface_maker import trials_at

POINT = MeasuredPoint(setting=setting_at("1:1"), load="osdb-ir", mean_tps=100.0, ci95_tps=None, cv=None, trials=2)
ORDERS = re.compile(r"\b(change to|set|take|divide|recommend\w*|advis\w*)\b", re.IGNORECASE)
SURFACE = {"osdb-ir": {"1:1": 100.0, "1:10": 50.0}}


def run_of(documents):
    """Return the first document of a run, and its trials."""
    documents = list(documents)
    return documents[0], [document for document in documents if isinstance(document, TrialDone)]


def started_with(spec):
    return msgspec.structs.replace(make_documents(samples=False)[0], spec=spec)


def standing_at(baseline_tps, *, blocks=6, sd=0.03, objective=None, **changes):
    """Return the decision so far of two splits next to original settings of this throughput."""
    spec = make_spec(splits=("1:1", "1:10"), kinds=("osdb-ir",))
    spec = msgspec.structs.replace(spec, objective=objective or spec.objective, **changes)
    base = None if baseline_tps is None else {"osdb-ir": baseline_tps}
    trials = trials_at(SURFACE, np.random.default_rng(1), blocks=blocks, sd=sd, baseline_tps=base, drift_sd=0.01)
    return decide_so_far(trials, started_with(spec)), recommend_split(trials, spec)


def test_so_far_before_first_trial_states_that_nothing_was_measured():
    started, _ = run_of(make_documents(samples=False))
    assert decide_so_far((), started) == (decide_so_far((), started).decision, "So far: no measurements yet.")


def test_so_far_from_second_trial_on_compares_what_was_measured():
    started, trials = run_of(make_documents(samples=False))
    for count in range(2, 11):
        standing = decide_so_far(trials[:count], started)
        measured = {done.mean_tps: label_of(done.setting) for done in trials[:count] if done.valid}
        fastest = measured[max(measured)].replace(BASELINE, "the original settings")
        assert standing.text.startswith(f"So far: under IR {fastest} ")
        assert "OLTP" in standing.text.partition("Not decided: ")[2]
        assert not standing.decision.ordered


def test_so_far_in_first_block_never_orders_and_names_what_is_missing():
    started, trials = run_of(make_documents(samples=False))
    for count in range(1, 20):
        standing = decide_so_far(trials[:count], started)
        assert standing.decision.kind in (DecisionKind.UNKNOWN, DecisionKind.NOT_YET)
        assert "not measured yet" in standing.text
        assert "Change" not in standing.text
    whole = decide_so_far(trials[:20], started).text
    assert "not measured yet" not in whole
    assert "Not decided: " in whole


@pytest.mark.parametrize(
    ("baseline_tps", "kind", "start"),
    [
        (150.0, DecisionKind.STAY, "So far: no split gains 2 %: the best, 1:1, loses 3"),
        (60.0, DecisionKind.CHANGE, "So far: 1:1 gains 6"),
        (98.0, DecisionKind.NOT_YET, "So far: 1:1 gains "),
        (None, DecisionKind.UNKNOWN, "So far: 1:1 is the only split"),
    ],
)
def test_so_far_never_orders_a_split_and_decides_as_result_does(baseline_tps, kind, start):
    standing, answer = standing_at(baseline_tps)
    assert standing.decision == answer.decision
    assert standing.decision.kind is kind
    assert not ORDERS.search(standing.text)
    if kind is not DecisionKind.UNKNOWN:
        assert standing.text.startswith(start)


def test_so_far_not_decided_names_least_remaining_minutes():
    standing, _ = standing_at(94.0, sd=0.1)
    left = format_about_minutes(standing.decision.minutes_left)
    assert standing.text.endswith(f"Not decided: at least about {left} more.")


def test_so_far_writes_gain_as_every_other_text_does():
    standing, answer = standing_at(60.0)
    assert f"({format_interval(*answer.decision.gain_ci95_frac)})" in standing.text
    assert f"({format_interval(*answer.decision.gain_ci95_frac)})" in answer.headline


def test_so_far_interval_of_more_than_100_percent_states_no_gain():
    decision = SweepDecision(
        kind=DecisionKind.NOT_YET, setting=setting_at("1:1"), gain_frac=0.4, gain_ci95_frac=(-0.6, 1.9)
    )
    spec = make_spec(splits=("1:1",), kinds=("osdb-ir",))
    points = dict.fromkeys([("1:1", "osdb-ir"), (BASELINE, "osdb-ir")], POINT)
    text = describe_so_far(
        Recommendation(verdict=SplitVerdict.NONE, setting=setting_at("1:1"), decision=decision), spec, points
    )
    assert text.startswith("1:1 has no known gain over the original settings, since the trials differ too much. ")
    assert "%" not in text


def test_so_far_where_cpu_is_divided_names_best_split_and_its_cost():
    standing, answer = standing_at(150.0, objective=Objective(purpose=SweepPurpose.DIVIDE))
    assert answer.verdict is not SplitVerdict.NONE
    assert standing.text.startswith("So far: 1:1 is the best split; it loses 3")


def test_so_far_without_baseline_states_that_gain_is_not_measured():
    standing, _ = standing_at(None, baseline=False)
    assert "Its gain over the original settings is not known: the plan leaves the baseline out." in standing.text


def test_so_far_at_end_is_headline_of_result():
    started, trials = run_of(make_documents(samples=False))
    assert decide_so_far(trials, started, ended=True).text == recommend_split(trials, started.spec).headline


def test_so_far_of_simulated_run_states_that():
    started, trials = run_of(make_documents(host_url="sim:", simulated=True, samples=False))
    for count in (0, 2, 30):
        assert decide_so_far(trials[:count], started).text.endswith(" (simulated).")


@pytest.mark.parametrize("study", [capacity_documents, isolation_documents, overhead_documents, scale_up_documents])
def test_so_far_of_another_study_is_its_finding(study):
    started, trials = run_of(study())
    for count in (0, 1, 2, len(trials)):
        standing = decide_so_far(trials[:count], started)
        assert standing.text.startswith("So far: ")
        assert standing.decision.kind is DecisionKind.UNKNOWN
