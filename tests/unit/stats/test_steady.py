"""Laws of steadiness: what MSER-5 cuts, and which trials still move."""

import json
import math
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.model.documents import TrialDone
from scheduler.model.results import SplitVerdict
from scheduler.stats.recommendation import recommend_split
from scheduler.stats.steady.mser import find_mser5_truncation
from scheduler.stats.steady.trend import find_unsteady_trials
from tests.data_maker import make_spec
from tests.unit.stats.surface_maker import surface_of, trials_at

ORACLE = json.loads((Path(__file__).parent / "data" / "steady_oracle.json").read_text())


def warming(t, lasts_s=20):
    return 100 * (1 - 0.7 * math.exp(-3 * (t + 0.5) / lasts_s)) + 3 * math.sin(1.7 * t)


def dropping(t):
    return 100 + 2 * math.sin(1.3 * t) if t < 40 else 60


SERIES = {"exp": warming, "if t": dropping}


@pytest.mark.parametrize("vector", ORACLE["mser5"])
def test_mser_5_cuts_what_the_shared_study_reports(vector):
    """The first lands on half, which is no answer; the last changes late, which it cannot see."""
    (series,) = [made for mark, made in SERIES.items() if mark in vector["series"]]
    assert find_mser5_truncation([series(t) for t in range(vector["seconds"])]) == vector["cut"]


@given(rates=st.lists(st.floats(0, 1e6), max_size=80), factor=st.floats(0.01, 100))
def test_mser_5_cuts_whole_batches_of_less_than_half_whatever_the_unit(rates, factor):
    cut = find_mser5_truncation(rates)
    assert cut is None or (cut % 5 == 0 and cut < len(rates) / 2)
    assert find_mser5_truncation([1.0] * len(rates)) in (0, None)
    assert cut is not None or len(rates) < 10 or len(set(rates)) > 1


def trials_of(windows):
    return [
        TrialDone(
            t_s=i, trial=i, setting=None, load="x", block=0, seconds=len(w), settled_s=0, mean_tps=1, rates_tps=tuple(w)
        )
        for i, w in enumerate(windows)
    ]


def noisy(count, seconds, correlation, seed=1, sd=0.1):
    """Return steady windows: an autoregression about 1000."""
    dice = np.random.default_rng(seed)
    now, out = dice.normal(size=count), []
    for _ in range(seconds):
        now = correlation * now + math.sqrt(1 - correlation**2) * dice.normal(size=count)
        out.append(now)
    return 1000 * np.exp(sd * np.array(out).T)


@pytest.mark.parametrize("seconds", [10, 30, 300])
@pytest.mark.parametrize("correlation", [0, 0.5, 0.7])
def test_steady_trials_are_called_so_however_their_seconds_follow_each_other(seconds, correlation):
    assert len(find_unsteady_trials(trials_of(noisy(60, seconds, correlation)))) <= 4


@pytest.mark.parametrize("seconds", [10, 30, 300])
def test_trials_that_all_rise_do_not_hide_each_other(seconds):
    rising = noisy(60, seconds, 0.3) * np.linspace(0.75, 1.25, seconds)
    assert len(find_unsteady_trials(trials_of(rising))) > 30


def test_late_drop_is_seen_by_the_halves_and_a_stall_is_not_taken_for_one():
    windows = noisy(40, 60, 0.3)
    late, stalled = windows.copy(), windows.copy()
    late[7, 40:] *= 0.65
    stalled[7, 50:58] *= 0.3
    assert find_unsteady_trials(trials_of(late)) == {7}
    assert not find_unsteady_trials(trials_of(stalled))


def test_long_warm_up_is_seen_in_a_long_window():
    windows = noisy(40, 300, 0.0, sd=0.02)
    windows[3] = [1000 * (1 - 0.1 * math.exp(-t / 120)) for t in range(300)]
    assert 3 in find_unsteady_trials(trials_of(windows))


def test_nothing_is_reported_of_few_trials_short_ones_idle_ones_and_old_ones():
    rising = noisy(60, 30, 0.3) * np.linspace(0.5, 1.5, 30)
    assert find_unsteady_trials(trials_of(rising[:19])) == frozenset()
    assert find_unsteady_trials(trials_of(rising[:, :5])) == frozenset()
    assert find_unsteady_trials(trials_of(0 * rising)) == frozenset()
    assert find_unsteady_trials(trials_of(rising[:, :0])) == frozenset()


def test_nothing_is_recommended_where_more_than_a_fifth_of_the_trials_still_move():
    dice = np.random.default_rng(1)
    trials = trials_at(surface_of("paper_wide_gap"), dice, blocks=5)
    windows = noisy(len(trials), 10, 0.3, sd=0.03)
    assert recommend_split(_with(trials, windows), make_spec()).verdict is SplitVerdict.RECOMMEND
    windows[::3] *= np.linspace(0.7, 1.3, 10)
    answer = recommend_split(_with(trials, windows), make_spec())
    assert answer.verdict is SplitVerdict.NONE
    assert "not steady: in " in answer.sentences[0]
    assert "more time to settle" in answer.sentences[0]


def _with(trials, windows):
    """Return the trials with these seconds; figures stay as they are."""
    return [msgspec.structs.replace(v, rates_tps=tuple(w)) for v, w in zip(trials, windows, strict=True)]
