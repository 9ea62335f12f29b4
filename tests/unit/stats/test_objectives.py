"""Laws of the objectives that are no weighted mean: the worst case, and one load while the other keeps a limit."""

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.model.objective import Objective
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.results import SplitVerdict
from scheduler.stats.leader_comparison import compare_with_leader
from scheduler.stats.monte_carlo import sample_objective
from scheduler.stats.paired_comparison import build_cells
from scheduler.stats.racing import assess_race
from scheduler.stats.recommendation import recommend_split
from tests.data_maker import make_spec
from tests.third_kind import registered
from tests.unit.stats.surface_maker import KINDS, random_surface, surface_of, trials_at
from tests.volume import few, times

WORST_CASE = Objective("worst-case")
EVEN = dict.fromkeys(KINDS, 0.5)
SIX = {"1:5": (70, 97), "1:2": (94, 100), "1:1": (97, 90), "2:1": (100, 80), "5:1": (60, 70), "10:1": (30, 50)}
SURFACE = {kind: {split: 100.0 * pair[i] for split, pair in SIX.items()} for i, kind in enumerate(KINDS)}
BASE = {"osdb-ir": 9_200.0, "osdb-oltp": 9_500.0}


def limited(load, limit_frac):
    return Objective("limited", load, limit_frac)


def asked(objective, surface=SURFACE, *, sd=0.005, blocks=12, seed=1, base=None):
    spec = msgspec.structs.replace(make_spec(splits=tuple(surface[KINDS[0]]), kinds=list(surface)), objective=objective)
    drift_sd = 0.05 if base is None else 0.005
    dice = np.random.default_rng(seed)
    return recommend_split(trials_at(surface, dice, blocks=blocks, sd=sd, drift_sd=drift_sd, baseline_tps=base), spec)


def relative(surface, split):
    return [surface[kind][split] / max(surface[kind].values()) for kind in KINDS]


@pytest.mark.parametrize("seed", range(times(3, 8)))
def test_worst_case_is_the_best_of_the_least(seed):
    surface = random_surface(np.random.default_rng(seed))
    least = {split: min(relative(surface, split)) for split in surface[KINDS[0]]}
    assert least[asked(WORST_CASE, surface).label] >= 0.98 * max(least.values())


@pytest.mark.parametrize("limit_frac", few([0.02, 0.2], [0.05, 0.08, 0.7]))
@pytest.mark.parametrize("load", [0, 1])
def test_limit_is_kept_within_the_zone_and_nothing_better_keeps_it(load, limit_frac):
    surface = random_surface(np.random.default_rng(int(1000 * limit_frac)))
    fracs = {split: relative(surface, split) for split in surface[KINDS[0]]}
    named = fracs[asked(limited(KINDS[load], limit_frac), surface).label]
    assert named[1 - load] >= (1 - limit_frac) * 0.98
    within = [pair[load] for pair in fracs.values() if pair[1 - load] >= 1 - limit_frac]
    assert named[load] >= 0.98 * max(within)


def test_wide_limit_is_no_limit_and_a_narrow_one_leaves_the_other_load_its_best():
    assert asked(limited("osdb-ir", 0.9)).label == "2:1"
    assert asked(limited("osdb-ir", 0.003)).label == "1:2"


@given(st.floats(0.1, 10), st.sampled_from([WORST_CASE, limited("osdb-ir", 0.12), limited("osdb-oltp", 0.02)]))
@settings(max_examples=times(3, 10), deadline=None)
def test_loads_unit_changes_nothing(factor, objective):
    scaled = {**SURFACE, "osdb-ir": {split: factor * tps for split, tps in SURFACE["osdb-ir"].items()}}
    one, other = asked(objective, sd=0.03), asked(objective, scaled, sd=0.03)
    assert (one.label, one.verdict, one.possible) == (other.label, other.verdict, other.possible)


def test_answer_is_blind_to_the_order_of_the_trials():
    spec = msgspec.structs.replace(make_spec(), objective=WORST_CASE)
    trials = trials_at(surface_of("paper_base"), np.random.default_rng(5), sd=0.05)
    assert recommend_split(trials[::-1], spec) == recommend_split(trials, spec)


def test_load_without_a_limit_is_drawn_as_the_t_test_has_it():
    """With everything allowed, `limited` asks for the favoured load alone: the same chances by two ways.

    They differ a little, for a t test takes the variance from its own pairs and the draws from each split's trials.
    """
    apart: list[float] = []
    for seed in range(times(6, 12)):
        cells = build_cells(trials_at(surface_of("paper_tie"), np.random.default_rng(seed), blocks=9, sd=0.04), KINDS)
        drawn = compare_with_leader(cells, EVEN, objective=limited("osdb-ir", 0.999))
        exact = compare_with_leader(cells, {"osdb-ir": 1.0}, drawn.leader)
        apart += [rival.p_better - exact.rivals[label].p_better for label, rival in drawn.rivals.items()]
        apart += [rival.p_worse - exact.rivals[label].p_worse for label, rival in drawn.rivals.items()]
    assert max(map(abs, apart)) < 0.15
    assert abs(np.mean(apart)) < 0.01


def test_no_split_is_worth_more_than_the_objective_fully_met():
    cells = build_cells(trials_at(SURFACE, np.random.default_rng(3)), KINDS)
    for objective in (WORST_CASE, limited("osdb-ir", 0.05)):
        values = sample_objective(cells, objective).values
        assert values.max() <= 0
        assert np.isfinite(values).all()


def test_loads_own_best_splits_stay_in_the_race_while_it_is_open():
    """1:1 and 1:2 contend; what they lose is told against 5:1 and 1:5, which cannot win."""
    surface = {
        "osdb-ir": {"1:5": 60.0, "1:2": 79.0, "1:1": 80.0, "2:1": 60.0, "5:1": 100.0},
        "osdb-oltp": {"1:5": 100.0, "1:2": 80.0, "1:1": 79.0, "2:1": 60.0, "5:1": 60.0},
    }
    spec = msgspec.structs.replace(
        make_spec(splits=tuple(surface["osdb-ir"])), protocol=PROTOCOLS["adaptive"], objective=WORST_CASE
    )
    standing = assess_race(trials_at(surface, np.random.default_rng(4), blocks=6, sd=0.04), spec)
    assert not standing.is_decided
    assert set(standing.active) == {"1:5", "1:2", "1:1", "5:1"}


def test_single_trials_decide_nothing():
    for objective in (WORST_CASE, limited("osdb-ir", 0.12)):
        assert asked(objective, blocks=1).verdict is SplitVerdict.NONE


def test_answer_reports_what_the_worst_case_is():
    answer = asked(WORST_CASE, base=dict.fromkeys(BASE, 8_500.0))
    assert answer.headline.startswith("Worst case: change to 1:2: +1")
    assert any(line.startswith("Under the load that suffers most, IR, 1:2 still gives 9") for line in answer.sentences)
    assert (answer.objective, answer.weights) == (WORST_CASE, {})


def test_answer_reports_what_the_limit_forbids():
    answer = asked(limited("osdb-ir", 0.12), base=BASE)
    assert answer.headline.startswith("Best for IR, at most 12 % of OLTP lost: change to 1:1: +")
    assert any(line.startswith("2:1 is faster for IR but loses 20 % of OLTP") for line in answer.sentences)


def test_least_loss_is_reported_where_only_the_loads_own_best_keeps_the_limit():
    answer = asked(limited("osdb-ir", 0.005), sd=0.002)
    assert answer.label == "1:2"
    line = next(line for line in answer.sentences if line.startswith("Only 1:2"))
    assert "of the others 1:5 loses least, 2.9" in line


def test_gain_is_one_in_the_objective():
    worst, best = asked(WORST_CASE, base=BASE), asked(limited("osdb-ir", 0.12), base=BASE)
    assert worst.gain_frac == pytest.approx(0.94 / 0.92 - 1, abs=0.02)
    assert worst.gain_ci95_frac[0] < worst.gain_frac < worst.gain_ci95_frac[1]
    assert best.gain_frac == pytest.approx(0.97 / 0.92 - 1, abs=0.02)
    broken = asked(limited("osdb-ir", 0.12), base={**BASE, "osdb-oltp": 8_500.0})
    assert broken.gain_frac is None
    assert "was not measured: the original settings break the limit" in broken.headline
    assert any(line.startswith("The original settings break the limit: they lose 15 %") for line in broken.sentences)
    assert not any("breaks the limit" in line for line in best.sentences)


def test_weights_given_by_hand_are_in_place_of_the_objective():
    spec = msgspec.structs.replace(make_spec(splits=tuple(SIX)), objective=WORST_CASE)
    trials = trials_at(SURFACE, np.random.default_rng(1), blocks=12, sd=0.005)
    answer = recommend_split(trials, spec, {"osdb-ir": 1.0})
    assert (answer.label, answer.objective) == ("2:1", Objective())
    assert math.fsum(answer.weights.values()) == 1


def test_worst_case_and_limit_count_every_other_load(monkeypatch):
    surface = {
        "osdb-ir": {"2:1": 10_000.0, "1:1": 9_000.0, "1:2": 7_000.0},
        "osdb-oltp": {"2:1": 9_800.0, "1:1": 9_700.0, "1:2": 10_000.0},
    }
    third = {"2:1": 6_000.0, "1:1": 10_000.0, "1:2": 9_900.0}
    with registered(monkeypatch) as kind:
        for objective in (WORST_CASE, limited("osdb-ir", 0.1)):
            assert asked(objective, surface).label == "2:1"
            assert asked(objective, {**surface, kind.name: third}).label == "1:1"
        answer = asked(limited("osdb-ir", 0.1), {**surface, kind.name: third})
        assert answer.headline.startswith("Best for IR, at most 10 % of each of OLTP and Ranges lost")
        assert any("2:1 is faster for IR but loses 40 % of Ranges" in reason for reason in answer.sentences)
