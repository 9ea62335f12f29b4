"""Tests of the gain over the original settings."""

import math

import numpy as np
import pytest

from scheduler.model.results import SplitVerdict
from scheduler.stats.gain import paired_gains
from scheduler.stats.paired_comparison import build_cells
from scheduler.stats.recommendation import recommend_split
from tests.data_maker import make_spec, make_trials
from tests.unit.stats.surface_maker import surface_of, trials_at

EVEN = {"osdb-ir": 0.5, "osdb-oltp": 0.5}


def test_gain_of_slower_splits_is_negative_with_interval_below_zero():
    answer = recommend_split(make_trials(), make_spec())
    low, high = answer.gain_ci95_frac
    assert low < answer.gain_frac < high < 0
    assert "1:1 against the original settings: -1" in answer.sentences[1]


def test_gain_of_faster_split_is_stated_with_interval():
    base = {"osdb-ir": 5_000.0, "osdb-oltp": 5_000.0}
    trials = trials_at(surface_of("paper_wide_gap"), np.random.default_rng(4), baseline_tps=base)
    answer = recommend_split(trials, make_spec())
    assert answer.gain_frac == pytest.approx(1.0, abs=0.15)
    assert any("against the original settings: +" in line and "95 % interval" in line for line in answer.sentences)


@pytest.mark.parametrize("weights", [{"osdb-ir": 1.0}, EVEN])
def test_paired_gains_is_mean_of_differences_within_blocks(weights):
    base = dict.fromkeys(EVEN, 5_000.0)
    trials = trials_at(surface_of("paper_base"), np.random.default_rng(2), blocks=5, drift_sd=0.5, baseline_tps=base)
    cells = build_cells(trials, list(weights), baseline=True)
    gain = paired_gains(cells, weights)["1:2"]
    u = cells.utility(weights)
    differences = u[:, cells.labels.index("1:2")] - u[:, cells.labels.index("baseline")]
    assert gain.pairs == 5
    assert gain.ahead == pytest.approx(float(differences.mean()), abs=0.01)
    low, high = gain.gain().ci95_frac
    assert math.log1p(high) - math.log1p(low) < 0.2  # a drift of 50 % between blocks cancels


def test_gain_without_baseline_is_none():
    answer = recommend_split([v for v in make_trials() if v.setting is not None], make_spec())
    assert answer.gain_frac is None
    assert answer.decision.ordered is None


def test_gain_of_leader_among_undecided_splits_has_interval_for_all():
    dice, surface = np.random.default_rng(4), {"osdb-ir": dict.fromkeys(("1:2", "2:5", "2:1", "5:2"), 100.0)}
    trials = trials_at(surface, dice, blocks=4, sd=0.25, baseline_tps={"osdb-ir": 100.0})
    found = recommend_split(trials, make_spec(splits=list(surface["osdb-ir"]), kinds=("osdb-ir",)))
    assert found.verdict is SplitVerdict.NONE
    paired = paired_gains(build_cells(trials, ["osdb-ir"], baseline=True), {"osdb-ir": 1.0})[found.label]
    low, high = found.decision.gain_ci95_frac
    alone = paired.gain().ci95_frac
    assert low < alone[0]
    assert high > alone[1]


def test_gain_interval_holds_truth_in_95_of_100_sweeps():
    surface, held, count = {"osdb-ir": {"1:1": 100.0, "1:2": 100.0, "2:1": 90.0}}, 0, 300
    for seed in range(count):
        trials = trials_at(surface, np.random.default_rng(seed), blocks=4, sd=0.05, baseline_tps={"osdb-ir": 100.0})
        low, high = (
            paired_gains(build_cells(trials, ["osdb-ir"], baseline=True), {"osdb-ir": 1.0})["1:1"].gain().ci95_frac
        )
        held += low <= 0.0 <= high
    assert 0.92 <= held / count <= 0.99
