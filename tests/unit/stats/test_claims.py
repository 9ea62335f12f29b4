"""Laws of what plans of few trials claim: what was seen overrules what is assumed, and luck is not enough."""

import math

import msgspec
import pytest

from scheduler.model.results import SplitVerdict
from scheduler.stats.control_variates import build_adjusted_cells
from scheduler.stats.decision_threshold import BY_SPREAD, allowed_doubt
from scheduler.stats.leader_comparison import compare_with_leader
from scheduler.stats.prior import (
    ENOUGH_DOF,
    MOST_BORROWED,
    PRIOR_DOF,
    PRIOR_SD,
    borrowed_dof,
    estimate_place_sd,
    prior_variance,
)
from scheduler.stats.recommendation import recommend_split
from tests.bench.claims import Cell, counted, upper_bound
from tests.data_maker import make_spec, make_trials
from tests.volume import few, times

SEED = 640_000


@pytest.mark.parametrize("protocol", few(["grid", "adaptive"], ["quick", "strict"]))
@pytest.mark.parametrize(("splits", "trials", "spread"), [(2, 2, 0.35), (3, 2, 0.35), (3, 3, 0.5)])
def test_few_trials_that_differ_widely_claim_nothing_between_near_ties(protocol, splits, trials, spread):
    assert counted(Cell(splits, trials, spread, "near-tie", protocol), times(20, 60), SEED).claims <= 2


def test_what_small_plans_claim_is_right():
    sizes = few([(2, 3), (3, 2), (5, 2)], [(3, 3)])
    cells = [Cell(*size, spread, "near-tie", "grid") for size in sizes for spread in few([0.1, 0.35], [0.2])]
    found = [counted(cell, 50, SEED + 1000 * number) for number, cell in enumerate(cells)]
    assert upper_bound(sum(one.right for one in found), sum(one.claims for one in found)) >= 0.95


def test_wide_leads_of_steady_trials_are_claimed_all_the_same():
    found = counted(Cell(3, 3, 0.03, "steep", "grid"), 40, SEED)
    assert found.claims >= 36
    assert found.right == found.claims


def test_two_trials_to_each_of_two_splits_claim_nothing():
    spec = make_spec(splits=("1:1", "1:10"), kinds=("osdb-ir",), repeats=2)
    trials = [v for v in make_trials(repeats=2, noise=0.001) if v.load == "osdb-ir"]
    answer = recommend_split([v for v in trials if v.setting is None or v.setting.label in {"1:1", "1:10"}], spec)
    assert answer.verdict is SplitVerdict.NONE


def test_others_lend_no_more_than_they_have():
    assert borrowed_dof(own=3, all_splits=3) == PRIOR_DOF
    assert borrowed_dof(own=1, all_splits=2) == PRIOR_DOF + 1
    assert borrowed_dof(own=1, all_splits=8) == MOST_BORROWED


def test_claim_bears_the_less_doubt_the_less_trials_report():
    scales = [0.01, 0.03, 0.04, 0.05, 0.07, 0.2]
    doubts = [allowed_doubt(0.05, scale, 20) for scale in scales]
    assert doubts == sorted(doubts, reverse=True)
    assert doubts[0] == BY_SPREAD[0][1]
    assert doubts[-1] < 0.001
    assert allowed_doubt(0.05, 0.03, 3) < allowed_doubt(0.05, 0.03, 20)


def changed(which, **fields):
    return [msgspec.structs.replace(trial, **fields) if which(trial) else trial for trial in make_trials(repeats=2)]


@pytest.mark.parametrize(
    "trials",
    [
        pytest.param(changed(lambda _: True, rates_tps=(50.0,) * 5 + (150.0,) * 5), id="seconds"),
        pytest.param(changed(lambda _: True, foreign_frac=0.6), id="busy CPU"),
    ],
)
def test_whatever_else_was_seen_overrules_what_is_assumed(trials):
    calm = estimate_place_sd(changed(lambda _: True, rates_tps=(100.0,) * 10))
    assert calm < 0.1
    assert estimate_place_sd(trials) > 0.3
    assert spread_seen(trials) > 1.5 * spread_seen(make_trials(repeats=2))


def spread_seen(trials):
    """Return what a comparison of three splits takes for the deviation of a trial."""
    spec = make_spec(splits=("1:2", "2:5", "1:1"), repeats=2)
    few = [trial for trial in trials if trial.setting is None or trial.setting in spec.settings]
    return compare_with_leader(build_adjusted_cells(few, spec), {"osdb-ir": 0.5, "osdb-oltp": 0.5}).sd


def test_it_fades_as_the_trials_themselves_come_to_report():
    places = [prior_variance(0.5, dof) for dof in range(ENOUGH_DOF + 2)]
    assert places == sorted(places, reverse=True)
    assert places[0] == pytest.approx(0.5**2)
    assert math.sqrt(places[-1]) == pytest.approx(PRIOR_SD)
