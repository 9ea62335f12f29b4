"""Tests of the history that a race begins with."""

import datetime
import math

import msgspec
import numpy as np
import pytest

from scheduler.model.earlier_run import AcceptedHistory, EarlierRun, LoadHistory, SettingMean
from scheduler.model.protocols import PROTOCOLS
from scheduler.stats.control_variates import build_adjusted_cells
from scheduler.stats.gain import paired_gains
from scheduler.stats.history_check import BETWEEN_RUNS_SD, carry_history
from scheduler.stats.history_combination import (
    DifferenceEstimate,
    PriorUtility,
    combine_estimates,
    combine_means,
    prior_utilities,
)
from scheduler.stats.history_means import build_history, describe_history
from scheduler.stats.leader_comparison import compare_with_leader, select_judged
from scheduler.stats.racing import assess_race
from scheduler.stats.recommendation import gather_evidence, recommend_split
from tests.data_maker import make_spec
from tests.unit.stats.surface_maker import surface_of, trials_at

EVEN = {"osdb-ir": 0.5, "osdb-oltp": 0.5}
TUESDAY = datetime.date(2026, 11, 24)
BASE = {"osdb-ir": 8_000.0, "osdb-oltp": 8_000.0}
SURFACE = surface_of("paper_base")


def sweep(seed, blocks, surface=SURFACE, sd=0.03):
    return trials_at(surface, np.random.default_rng(seed), blocks=blocks, sd=sd, baseline_tps=BASE)


def race_spec(**options):
    return msgspec.structs.replace(make_spec(**options), protocol=PROTOCOLS["adaptive"])


def history(trials=None, spec=None):
    return build_history(trials or sweep(1, 5), spec or race_spec(), "run-1", TUESDAY)


def moved(label, factor):
    return {kind: {**table, label: table[label] * factor} for kind, table in SURFACE.items()}


ALONE = (("osdb-ir",), ("osdb-oltp",))


def test_history_of_higher_day_has_the_same_means():
    trials = sweep(1, 5)
    higher = [msgspec.structs.replace(trial, mean_tps=3 * trial.mean_tps) for trial in trials]
    means, others = (history(each).loads["osdb-ir"].means for each in (trials, higher))
    assert means["1:2"].log_rate == pytest.approx(others["1:2"].log_rate)
    apart = means["1:1"].log_rate - means["1:10"].log_rate
    assert apart == pytest.approx(math.log(SURFACE["osdb-ir"]["1:1"] / SURFACE["osdb-ir"]["1:10"]), abs=0.06)


def test_history_of_more_trials_has_smaller_variance():
    few, many = (history(sweep(1, blocks)).loads["osdb-ir"].means["baseline"].variance for blocks in (3, 12))
    assert many < few / 2


@pytest.mark.parametrize("blocks", [0, 1])
def test_history_of_run_without_repeats_is_none(blocks):
    assert build_history(sweep(1, blocks), race_spec(), "run-1", TUESDAY) is None


def test_combine_weighs_by_precision():
    one, other = PriorUtility(0.10, 0.0006, 20), PriorUtility(0.0, 0.0003, 20)
    found = combine_estimates(DifferenceEstimate(0.04, 0.03, 20), one, other)  # both variances are 0.0009
    assert found.ahead == pytest.approx(0.07)
    assert found.scale == pytest.approx(0.03 / math.sqrt(2))
    assert found.dof == 40


def test_combine_without_own_trials_returns_the_history():
    found = combine_estimates(
        DifferenceEstimate(0.0, math.inf, 4), PriorUtility(0.1, 0.0002, 9), PriorUtility(0.0, 0.0002, 9)
    )
    assert (found.ahead, found.scale, found.dof) == (pytest.approx(0.1), pytest.approx(0.02), 9)


def test_combine_means_moves_history_to_own_height():
    own = {"1:1": 5.0, "1:2": 5.1, "2:5": 4.0}
    priors = {label: PriorUtility(value - 5.0, 0.01, 9) for label, value in own.items() if label != "2:5"}
    assert combine_means(own, dict.fromkeys(own, 0.01), priors) == pytest.approx(own)


def test_prior_utilities_lacks_a_load_with_weight_returns_nothing():
    means = {"1:1": SettingMean(0.0, 0.001), "1:2": SettingMean(0.1, 0.001)}
    carried = AcceptedHistory({"osdb-ir": LoadHistory(means, 0.003, 9)}, 0.0001, 0.0004, 9)
    assert prior_utilities(carried, ALONE, EVEN) == {}
    found = prior_utilities(carried, ALONE, {"osdb-ir": 1.0, "osdb-oltp": 0.0})
    assert found["1:2"].mean == pytest.approx(0.1)
    assert found["1:2"].variance == pytest.approx(0.001 + BETWEEN_RUNS_SD**2)
    assert prior_utilities(carried, ALONE, {"osdb-ir": 1.0}, of_gain=True)["1:2"].variance == pytest.approx(0.0014)


def test_history_that_agrees_narrows_comparisons_and_gain():
    alone = build_adjusted_cells(sweep(2, 2), race_spec())
    cells, found = carry_history(history(), alone)
    assert found.carried is not None
    without, counted = (compare_with_leader(select_judged(each, EVEN), EVEN).rivals["2:1"] for each in (alone, cells))
    assert counted.scale < 0.8 * without.scale
    assert counted.lent_pairs > 1
    without, counted = (paired_gains(each, EVEN)["1:2"] for each in (alone, cells))
    assert counted.gain().half_width < 0.8 * without.gain().half_width
    assert counted.pairs == without.pairs


def test_history_changes_no_measured_figure():
    trials, spec = sweep(2, 3), race_spec()
    alone, counted = (recommend_split(trials, spec, history=each) for each in (None, history()))
    assert gather_evidence(trials, spec).points == gather_evidence(trials, spec, history=history()).points
    assert alone.expected_tps == counted.expected_tps
    losses = [{row.label: row.loss_frac for row in answer.regret} for answer in (alone, counted)]
    assert losses[0] == losses[1]


def test_history_that_one_split_contradicts_is_discarded():
    trials, spec = sweep(2, 3, moved("2:1", 0.75)), race_spec()
    answer = recommend_split(trials, spec, history=history())
    assert answer.history.startswith("The run of Tuesday, 24 November was discarded: 2:1 is ")
    assert answer.history in answer.sentences
    without = recommend_split(trials, spec)
    assert msgspec.structs.replace(answer, history="", reasons=()) == msgspec.structs.replace(without, reasons=())


def test_history_that_the_original_settings_contradict_is_discarded():
    slower = [
        msgspec.structs.replace(trial, mean_tps=trial.mean_tps * 0.7) if trial.setting is None else trial
        for trial in sweep(2, 3)
    ]
    _, found = carry_history(history(), build_adjusted_cells(slower, race_spec()))
    assert (found.carried, found.label) == (None, "baseline")
    assert "the original settings are" in describe_history(history(), found)


def test_history_from_which_splits_moved_counts_less():
    dice = np.random.default_rng(5)
    factors = {label: math.exp(dice.normal(0, 0.025)) for label in SURFACE["osdb-ir"]}
    other = {kind: {label: tps * factors[label] for label, tps in table.items()} for kind, table in SURFACE.items()}
    (_, near), (_, far) = (
        carry_history(history(sweep(1, 8)), build_adjusted_cells(sweep(2, 8, surface), race_spec()))
        for surface in (SURFACE, other)
    )
    assert near.carried is not None
    assert far.carried is not None
    assert far.carried.between_variance > 2 * near.carried.between_variance
    assert far.trials < near.trials


@pytest.mark.parametrize(
    ("trial_sd", "words"), [(0.005, "less than one trial"), (0.015, "one trial"), (0.03, "three trials")]
)
def test_history_sentence_states_trials_of_each_split(trial_sd, words):
    means = {label: SettingMean(0.0, 0.0002) for label in ("1:1", "1:2", "2:1")}
    loads = dict.fromkeys(EVEN, LoadHistory(means, trial_sd**2, 9))
    earlier = EarlierRun(run_id="run-1", date=TUESDAY, loads=loads)
    flat = {kind: dict.fromkeys(means, 100.0) for kind in EVEN}
    cells = build_adjusted_cells(trials_at(flat, np.random.default_rng(1), sd=1e-4), race_spec(splits=tuple(means)))
    _, found = carry_history(earlier, cells)
    assert describe_history(earlier, found) == f"Counts the run of Tuesday, 24 November like {words} of each split."


def test_history_that_is_not_used_is_reported_with_its_reason():
    unused = EarlierRun(run_id="run-1", date=TUESDAY, unused="its loads differ")
    answer = recommend_split(sweep(2, 3), race_spec(), history=unused)
    assert answer.history == "The run of Tuesday, 24 November was not used: its loads differ."
    assert answer.decision == recommend_split(sweep(2, 3), race_spec()).decision


def test_race_with_history_drops_splits_after_its_first_block():
    first = sweep(2, 1)
    alone, counted = (assess_race(first, race_spec(), each) for each in (None, history()))
    assert len(alone.active) >= 6
    assert len(counted.active) <= 3
    assert not counted.best_known


def test_history_without_a_split_of_the_plan_counts_for_the_others():
    trials = [trial for trial in sweep(1, 5) if trial.setting is None or trial.setting.label != "1:2"]
    cells, found = carry_history(history(trials), build_adjusted_cells(sweep(2, 2), race_spec()))
    assert found.carried is not None
    rivals = compare_with_leader(select_judged(cells, EVEN), EVEN, "1:1").rivals
    assert rivals["1:2"].lent_pairs == 0
    assert rivals["2:5"].lent_pairs > 1
