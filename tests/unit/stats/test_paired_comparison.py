import math

import numpy as np
import pytest

from scheduler.model.objective import Objective
from scheduler.stats.leader_comparison import LeaderComparison, compare_with_leader, select_judged
from scheduler.stats.paired_comparison import (
    PairwiseComparison,
    build_cells,
    compare_pair,
    compare_single_pair,
    fit_additive,
    loss_interval_frac,
)
from scheduler.stats.regret import find_best_weight_range
from tests.unit.stats.surface_maker import KINDS, ORACLE, surface_of, trials_at, true_regret

ZONE = Objective().tolerance

EVEN = {"osdb-ir": 0.5, "osdb-oltp": 0.5}


@pytest.mark.parametrize("row", ORACLE["p_worse"])
def test_tail_is_the_oracles(row):
    assert compare_pair(np.array(row["D"]), 0.0, row["s0sq"], ZONE).p_better == pytest.approx(row["P"], rel=1e-12)


@pytest.mark.parametrize("row", ORACLE["evidence"])
def test_evidence_is_the_oracles(row):
    assert compare_pair(np.array(row["D"]), 0.0, row["s0sq"], ZONE).evidence == pytest.approx(row["E"], rel=1e-12)


@pytest.mark.parametrize("dof", [1, 2, 5, 40])
def test_interval_of_a_loss_is_students(dof):
    from scipy.special import stdtrit  # takes its time: not for every worker that collects

    low, high = loss_interval_frac(0.1, dof, 0.02)
    half = float(stdtrit(dof, 0.975)) * 0.02
    assert (low, high) == pytest.approx((1 - math.exp(half - 0.1), 1 - math.exp(-half - 0.1)), rel=1e-9)


def test_nothing_speaks_for_a_leader_that_is_behind_by_more_than_the_zone():
    assert compare_pair(np.array([-0.05, -0.06, -0.04]), 0.0, 0.0077, ZONE).evidence == 0.0
    assert compare_pair(np.array([]), 0.0, 0.0077, ZONE).evidence == 0.0


def test_evidence_against_what_is_so_is_as_rare_as_it_reports_however_often_it_is_looked_at():
    """A split better by just the tolerance: in at most 5 % of sequences does the e-value ever reach 20."""
    dice, hits, runs = np.random.default_rng(5), 0, 400
    for _ in range(runs):
        lead = dice.normal(-ZONE, 0.06, 60)
        hits += any(compare_pair(lead[:n], 0.0, 0.0072, ZONE).evidence >= 20 for n in range(2, 61))
    assert hits / runs <= 0.05


def test_additive_fit_is_the_oracles():
    table = ORACLE["additive"]
    u = np.array([[np.nan if value is None else value for value in row] for row in table["passes"]])
    fit = fit_additive(u)
    assert fit.means - fit.means.max() == pytest.approx(table["means_minus_max"], abs=1e-14)
    assert fit.dof == 7 - 3 - 3 + 1


@pytest.mark.parametrize("row", ORACLE["regret"])
def test_regret_is_the_oracles(row):
    weights = {"osdb-ir": row["weight_ir"], "osdb-oltp": 1 - row["weight_ir"]}
    assert true_regret(surface_of("paper_base"), weights)[row["split"]] == pytest.approx(row["regret"], rel=1e-9)


def test_noise_free_trials_give_the_true_regret_back():
    surface = surface_of("paper_base")
    trials = trials_at(surface, np.random.default_rng(1), sd=0.0)
    found = compare_with_leader(select_judged(build_cells(trials, KINDS), EVEN), EVEN)
    losses = {label: -math.expm1(value) for label, value in found.values.items()}
    assert losses == pytest.approx(true_regret(surface, EVEN), abs=1e-9)


def test_what_a_block_shares_cancels():
    surface = surface_of("paper_base")
    calm = compare_with_leader(
        select_judged(build_cells(trials_at(surface, np.random.default_rng(3), drift_sd=0.0), KINDS), EVEN), EVEN
    )
    stormy = compare_with_leader(
        select_judged(build_cells(trials_at(surface, np.random.default_rng(3), drift_sd=0.4), KINDS), EVEN), EVEN
    )
    assert stormy.leader == calm.leader
    assert stormy.sd < 0.06
    assert 0.03 < calm.sd < 0.045  # trials differ by 3 %, and a little of the 8 % is left that are assumed


def test_split_measured_under_one_load_only_is_not_judged():
    trials = trials_at(surface_of("paper_base"), np.random.default_rng(1))
    half = [v for v in trials if not (v.load == "osdb-ir" and v.setting and v.setting.label == "1:2")]
    assert "1:2" not in select_judged(build_cells(half, KINDS), EVEN).labels
    assert "1:2" in select_judged(build_cells(half, KINDS), {"osdb-ir": 0.0, "osdb-oltp": 1.0}).labels


def test_trials_in_which_nothing_completed_are_not_compared():
    surface = surface_of("paper_base")
    surface["osdb-ir"]["1:10"] = 0.0
    cells = build_cells(trials_at(surface, np.random.default_rng(1)), KINDS)
    assert "1:10" not in select_judged(cells, EVEN).labels
    assert len(select_judged(cells, EVEN).labels) == 8


def test_splits_that_share_no_block_are_not_distinguished():
    assert compare_pair(np.array([]), 0.0, 0.01, ZONE).p_better == 1.0


def test_single_pass_needs_a_huge_difference():
    assert compare_single_pair(0.3, 0.5, ZONE).p_better > 0.05
    assert compare_single_pair(1.0, 0.5, ZONE).p_better < 0.001


def test_tails_of_a_tie_are_symmetric():
    one, other = (
        compare_pair(np.array([0.01, -0.01]), 0.0, 0.004, ZONE),
        compare_pair(np.array([-0.01, 0.01]), 0.0, 0.004, ZONE),
    )
    assert one.p_better == pytest.approx(other.p_better)
    assert one.p_better == pytest.approx(one.p_worse)


def test_interval_of_a_loss_holds_the_loss():
    rival = compare_pair(np.array([0.1, 0.12, 0.08]), 0.0, 0.004, ZONE)
    low, high = rival.interval_frac
    assert low < -math.expm1(-0.1) < high
    assert rival.loss_bound_frac < high


def test_range_of_weights_is_where_the_leader_changes():
    trials = trials_at(surface_of("paper_base"), np.random.default_rng(1), sd=0.0)
    cells = select_judged(build_cells(trials, KINDS), EVEN)
    low, high = find_best_weight_range(cells, "1:2", [label for label in cells.labels if label != "1:2"])
    assert (low, high) == (0.0, 1.0)
    assert find_best_weight_range(cells, "10:1", ["1:2"]) is None
    swapped = {"osdb-ir": {"1:1": 100.0, "1:2": 80.0}, "osdb-oltp": {"1:1": 50.0, "1:2": 100.0}}
    cells = select_judged(build_cells(trials_at(swapped, np.random.default_rng(1), sd=0.0), KINDS), EVEN)
    low, high = find_best_weight_range(cells, "1:1", ["1:2"])
    edge = math.log(2) / (math.log(2) + math.log(100 / 80))
    assert (low, high) == pytest.approx((edge, 1.0))


@pytest.mark.parametrize("passes", range(1, 31))
def test_where_nothing_is_missing_the_fit_is_the_mean(passes: int):
    for splits in range(2, 13):
        u = np.random.default_rng(splits).normal(size=(passes, splits))
        means = u.mean(axis=0)
        np.testing.assert_allclose(fit_additive(u).means, means - means.mean(), atol=1e-9)


def test_splits_are_excluded_at_95_percent_all_together():
    def possible(rivals: int) -> tuple[str, ...]:
        one = PairwiseComparison(ahead=0.1, scale=0.04, dof=10, pairs=3, p_better=0.0, p_worse=0.97, tolerance=0.02)
        labels = [f"1:{parts}" for parts in range(2, 2 + rivals)]
        values = {"1:1": 0.0, **dict.fromkeys(labels, -0.1)}
        return LeaderComparison(
            leader="1:1", values=values, rivals=dict.fromkeys(labels, one), sd=0.05, passes=3
        ).possible

    assert possible(1) == ()
    assert len(possible(2)) == 2  # a doubt of 3 % each is one of 6 % together
    assert len(possible(8)) == 8
