"""Laws of the adaptive plan: what it spends its trials on, and when it ends."""

import itertools
import math
from collections import Counter
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.model.decision import SweepPurpose
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.setting import label_of
from scheduler.plans.study_plan import (
    PREPARE_S,
    START_S,
    SWITCH_S,
    count_certain_trials,
    duration_s,
    list_certain_trials,
)
from scheduler.stats.stalls import drop_superseded
from tests.data_maker import make_spec
from tests.unit.plans.carrying import carried_out
from tests.unit.stats.surface_maker import random_surface, surface_of
from tests.volume import times

LEAST_PAIRS = 5


WINDOWS = ("repeats", "limit_min", "measure_s", "restart_settle_s")


def adaptive(**changes):
    """Return an adaptive sweep of the nine splits; of `make_spec`, or of the protocol."""
    windows = {name: changes.pop(name) for name in WINDOWS if name in changes}
    spec = make_spec(**changes)
    return msgspec.structs.replace(spec, protocol=msgspec.structs.replace(PROTOCOLS["adaptive"], **windows))


def on(surface, sd=0.045, seed=1):
    dice = np.random.default_rng(seed)

    def tps(trial):
        rate = surface[trial.load][label_of(trial.setting) if trial.setting else "1:1"]
        return rate * math.exp(dice.normal(0, sd))

    return tps


def test_adaptive_first_block_measures_all_splits_and_original_settings():
    spec = adaptive()
    made = carried_out(spec, on(surface_of("paper_wide_gap")))
    first = [trial for trial in made if trial.block == 0]
    assert Counter((label_of(trial.setting), trial.load) for trial in first) == Counter(
        {(label_of(side), load.kind): 1 for side in spec.sides for load in spec.loads}
    )
    certain = list_certain_trials(spec)
    assert len(certain) == count_certain_trials(spec) == 2 * 10
    assert [(v.setting, v.load, v.block) for v in made[:20]] == [(v.setting, v.load, v.block) for v in certain]


def test_adaptive_original_settings_take_part_in_every_block_under_every_load():
    made = carried_out(adaptive(), on(surface_of("paper_base")))
    blocks = {(trial.block, trial.load) for trial in made}
    starts = {trial.block for trial in made if trial.setting is None}
    with_baseline = {(trial.block, trial.load) for trial in made if trial.setting is None}
    assert {load for _, load in blocks} == {load for _, load in with_baseline}
    assert len(starts) >= len({trial.block for trial in made}) / 4  # at least once per block of several passes


def test_adaptive_without_baseline_measures_splits_only():
    made = carried_out(msgspec.structs.replace(adaptive(), baseline=False), on(surface_of("paper_base")))
    assert all(trial.setting is not None for trial in made)


def test_adaptive_goes_on_with_leader_until_gain_decides():
    """A clear best split whose gain lies near what is worth a change takes longer than one with a clear gain."""
    surface = surface_of("paper_wide_gap")
    best = {kind: max(table.values()) for kind, table in surface.items()}

    def trial_count(gain_frac):
        usual = on(surface)
        return len(carried_out(adaptive(), lambda v: usual(v) if v.setting else best[v.load] / (1 + gain_frac)))

    assert trial_count(0.005) > 1.3 * trial_count(0.5)


def test_adaptive_first_trial_excludes_cold_database():
    planned = []
    carried_out(adaptive(), lambda trial: planned.append(trial) or on(surface_of("paper_base"))(trial))
    assert planned[0].settle_s == adaptive().protocol.warm_up_s == 45


def test_contenders_are_measured_and_the_hopeless_left_alone():
    trials = Counter(label_of(trial.setting) for trial in carried_out(adaptive(), on(surface_of("paper_base"))))
    assert trials["1:2"] >= 2 * LEAST_PAIRS
    assert trials["2:5"] >= 2 * LEAST_PAIRS
    assert max(trials[label] for label in ("1:10", "5:1", "10:1")) <= 6


def test_close_race_takes_longer_than_a_clear_one():
    close, clear = (len(carried_out(adaptive(), on(surface_of(name)))) for name in ("paper_tie", "paper_wide_gap"))
    assert close > 1.2 * clear


@settings(max_examples=times(8, 20), deadline=None)
@given(seed=st.integers(0, 10_000))
def test_it_ends_by_itself_and_within_its_time(seed):
    spec = adaptive(limit_min=60, seed=seed)
    made = carried_out(spec, on(random_surface(np.random.default_rng(seed)), seed=seed))
    assert sum(trial.settled_s + trial.seconds for trial in made) <= 60 * 60


def test_nothing_is_decided_by_chance_where_trials_differ_wildly():
    """25 % deviation, the most that was ever reported: it goes on to its limit rather than stop on luck."""
    spec = adaptive(limit_min=40)
    made = carried_out(spec, on(surface_of("paper_tie"), sd=0.25))
    assert sum(trial.settled_s + trial.seconds for trial in made) > 30 * 60


def test_load_changes_once_per_block_and_no_split_follows_itself():
    made = carried_out(adaptive(), on(surface_of("paper_base")))
    changes = sum(a.load != b.load for a, b in pairwise(made))
    rounds = Counter((trial.block, trial.load) for trial in made)
    assert changes <= len(rounds) / 2 + 1
    within = [(a, b) for a, b in pairwise(made) if a.block == b.block and a.load == b.load and b.settled_s]
    assert all(a.setting != b.setting for a, b in within)


def test_all_cuts_are_doubled_once_where_trials_do_not_settle_and_its_time_is_kept():
    spec, answer = adaptive(limit_min=60), on(surface_of("paper_tie"))
    level, rising = tuple(np.full(10, 1000.0)), tuple(np.linspace(700, 1300, 10))
    plain = [trial.settled_s for trial in carried_out(spec, answer, rates_tps=level) if trial.settled_s]
    assert set(plain) <= {*range(1, 7), 15, 45}
    answer = on(surface_of("paper_tie"))
    made = carried_out(spec, answer, rates_tps=rising)
    cuts = [trial.settled_s for trial in made if trial.settled_s]
    doubled = next(at for at, (one, other) in enumerate(zip(cuts, plain, strict=False)) if one == 2 * other)
    assert cuts[:doubled] == plain[:doubled]
    assert set(cuts[doubled:]) <= {*range(2, 13, 2), 30}
    assert sum(trial.settled_s + trial.seconds for trial in made) <= 60 * 60


def test_adaptive_interrupted_trial_is_measured_again_and_repeat_counts():
    usual, hit = on(surface_of("paper_base"), sd=0.01), itertools.count()

    def rates_tps(trial):
        at_best = trial.setting is not None and trial.setting.label == "1:2" and trial.load == "osdb-ir"
        return (100, 99, 30, 31, 33, 30, 98) if at_best and next(hit) == 3 else (100,) * 7

    made = carried_out(adaptive(), usual, rates_tps=rates_tps)
    again = [(a, b) for a, b in pairwise(made) if (a.setting, a.load, a.block) == (b.setting, b.load, b.block)]
    [(first, second)] = again
    assert (first.setting.label, second.settled_s) == ("1:2", 0)
    assert second in drop_superseded(made)
    assert first not in drop_superseded(made)


def test_adaptive_low_trial_is_not_measured_again():
    usual, hit = on(surface_of("paper_base"), sd=0.01), itertools.count()

    def answer(trial):
        at_best = trial.setting is not None and trial.setting.label == "1:2" and trial.load == "osdb-ir"
        return usual(trial) * (0.5 if at_best and next(hit) == 3 else 1.0)

    made = carried_out(adaptive(), answer, rates_tps=(100,) * 7)
    assert next(hit) > 4
    assert drop_superseded(made) == made


@pytest.mark.parametrize("restart_settle_s", [0, 45])
@pytest.mark.parametrize("kinds", [("osdb-ir",), ("osdb-ir", "osdb-oltp")])
def test_shortest_duration_is_that_of_the_clearest_race(kinds, restart_settle_s):
    spec = adaptive(kinds=kinds, restart_settle_s=restart_settle_s)
    planned = []
    best = spec.settings[0]
    spec = msgspec.structs.replace(spec, objective=msgspec.structs.replace(spec.objective, purpose=SweepPurpose.DIVIDE))
    carried_out(spec, lambda trial: planned.append(trial) or (1e6 if trial.setting == best else 1.0))
    changes = 1 + sum(a.load != b.load for a, b in pairwise(planned))
    spent_s = sum(trial.settle_s + trial.measure_s + SWITCH_S for trial in planned)
    named_s = spent_s + START_S[0] + changes * PREPARE_S[0]
    assert named_s <= duration_s(spec)[0] <= 1.6 * named_s


def test_database_is_started_again_before_each_block_but_the_first_and_each_has_one_pass():
    planned = []
    spec = adaptive(restart_settle_s=45)
    made = carried_out(spec, lambda trial: planned.append(trial) or on(surface_of("paper_tie"))(trial), most=500)
    blocks = {trial.block for trial in planned}
    assert len(blocks) > 2
    for number in blocks:
        trials = [trial for trial in planned if trial.block == number]
        made_again = [trial.restart for trial in trials]
        assert made_again == [number > 0] + [False] * (len(trials) - 1)
        assert trials[0].settle_s == 45 or number == 0
        assert len({(label_of(trial.setting), trial.load) for trial in trials if trial.settle_s}) == len(
            [trial for trial in trials if trial.settle_s]
        )
    assert len(made) == len(planned)


def test_without_an_order_nothing_is_started_again():
    planned = []
    carried_out(adaptive(), lambda trial: planned.append(trial.restart) or on(surface_of("paper_tie"))(trial))
    assert not any(planned)


def test_split_under_which_everything_fails_holds_nothing_up():
    usual = on(surface_of("paper_base"))
    broken = carried_out(
        adaptive(), lambda trial: math.nan if trial.setting and trial.setting.label == "1:10" else usual(trial)
    )
    counts = Counter(label_of(trial.setting) for trial in broken)
    assert 1 <= counts["1:10"] <= 8
    assert len(broken) < 400


def test_sweep_whose_every_trial_fails_ends_at_its_limit():
    made = carried_out(adaptive(limit_min=30), lambda trial: math.nan)
    assert sum(trial.settled_s + trial.seconds for trial in made) <= 30 * 60


@pytest.mark.parametrize(("limit_min", "blocks"), [(1, 1), (7, 1), (9, 2)])
def test_short_time_is_kept_but_for_one_trial_to_each_split(limit_min, blocks):
    made = carried_out(adaptive(limit_min=limit_min), on(surface_of("paper_tie")))
    assert {trial.block for trial in made} == set(range(blocks))


@pytest.mark.parametrize("seed", [1, 2])
def test_same_results_lead_to_the_same_trials(seed):
    """So that an unfinished sweep can be continued: what was measured is taken over, and it goes on from there."""
    spec, rising = adaptive(seed=seed), tuple(np.linspace(700, 1300, 10))
    for rates_tps in ((), rising):
        first = carried_out(spec, on(surface_of("paper_base")), rates_tps=rates_tps)
        results = iter(first)
        again = carried_out(spec, lambda _: next(results).mean_tps, rates_tps=rates_tps)  # noqa: B023 - used up at once
        assert [_made(trial) for trial in again] == [_made(trial) for trial in first]


def _made(trial):
    return trial.setting, trial.load, trial.block, trial.settled_s


def test_one_split_and_one_load_are_enough():
    spec = adaptive(splits=("1:1",), kinds=("osdb-ir",))
    made = carried_out(spec, lambda trial: 100.0 if trial.setting else 60.0)
    assert len(made) < 40
