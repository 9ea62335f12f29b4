"""Laws of settling: from when on throughput is level, found from trials whose truth is known."""

import math

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.model.documents import SettlingCause, TrialDone
from scheduler.model.results import SettlingTime
from scheduler.stats.steady.settling import LEVEL_FRAC, find_settling_times
from tests.volume import times


def trials_of(
    lasts_s, *, change=SettlingCause.SPLIT, count=40, sd=0.03, measure_s=12, settle_s=8, seed=1, levels=(300, 1000)
):
    """Return trials that come from the rate before, or from 60 % of their own, and lose it with a time constant."""
    dice, old, made = np.random.default_rng(seed), 500.0, []
    for number in range(count):
        new = float(dice.uniform(*levels))
        start = old if change is SettlingCause.SPLIT else 0.6 * new
        noise = np.exp(dice.normal(0, sd, settle_s + measure_s))
        left = np.exp(-(np.arange(settle_s + measure_s) + 0.5) / lasts_s) if lasts_s else 0.0
        rates = (new + (start - new) * left) * noise
        mean = float(rates[settle_s:].mean())
        made.append(
            TrialDone(
                t_s=number,
                trial=number,
                setting=None,
                load="x",
                block=number,
                seconds=measure_s,
                settled_s=settle_s + 0.4,
                mean_tps=mean,
                rates_tps=tuple(rates),
                change=change,
            )
        )
        old = new
    return made


@settings(max_examples=times(12, 30), deadline=None)
@given(
    lasts_s=st.floats(0.5, 2.2),
    change=st.sampled_from([SettlingCause.SPLIT, SettlingCause.LOAD]),
    seed=st.integers(0, 99),
)
def test_throughput_is_found_level_where_what_is_left_falls_below_three_percent(lasts_s, change, seed):
    (found,) = find_settling_times(trials_of(lasts_s, change=change, seed=seed, count=60, sd=0.01))
    depth = 1.0 if change is SettlingCause.SPLIT else 0.4
    truth_s = lasts_s * math.log(depth / LEVEL_FRAC)
    assert found.change is change
    assert found.excluded_s == 8
    assert found.certain
    assert found.found_s == pytest.approx(max(3, truth_s), abs=1.6)


def test_what_never_settles_within_half_of_the_stay_is_reported_it():
    (found,) = find_settling_times(trials_of(15, change=SettlingCause.COLD))
    assert (found.found_s, found.certain, found.searched_s) == (None, True, 10)


def test_nothing_is_reported_few_changes_wild_seconds_or_splits_that_are_all_alike():
    few = find_settling_times(trials_of(1, change=SettlingCause.LOAD, count=5))
    wild = find_settling_times(trials_of(1, change=SettlingCause.LOAD, count=12, sd=0.4))
    alike = find_settling_times(trials_of(1, levels=(499, 500)))
    assert [(found[0].certain, found[0].found_s) for found in (few, wild)] == [(False, None)] * 2
    assert alike == ()
    assert msgspec.json.decode(msgspec.json.encode((*few, *wild)), type=tuple[SettlingTime, ...]) == (*few, *wild)
    assert find_settling_times(()) == ()


def test_stalls_do_not_look_like_a_warm_up():
    trials = trials_of(1, change=SettlingCause.LOAD)
    for number in (3, 9, 15, 21):
        rates = np.array(trials[number].rates_tps)
        rates[6:10] *= 0.2
        trials[number] = TrialDone(
            t_s=0, trial=number, setting=None, load="x", block=0, seconds=12, settled_s=8.4, mean_tps=1,
            rates_tps=tuple(rates), change=SettlingCause.LOAD,
        )  # fmt: skip
    assert (
        find_settling_times(trials)[0].found_s
        == find_settling_times(trials_of(1, change=SettlingCause.LOAD))[0].found_s
    )


def test_trials_of_earlier_versions_and_of_no_change_report_nothing():
    assert find_settling_times(trials_of(1, change=SettlingCause.NONE)) == ()
