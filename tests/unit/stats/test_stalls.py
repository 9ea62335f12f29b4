"""Laws of stalls: what is taken out of a window, what is measured again, what counts."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.model.documents import TrialDone
from scheduler.model.setting import parse_split_setting
from scheduler.stats.stalls import drop_superseded, is_interrupted, mark_counted_seconds, sum_lost_s

RATES = st.lists(st.floats(0, 1e6), max_size=60)


def trial(number, tps, *, block=0, label="1:2", valid=True):
    setting = parse_split_setting(label) if label else None
    return TrialDone(
        t_s=number,
        trial=number,
        setting=setting,
        load="osdb-ir",
        block=block,
        seconds=10,
        settled_s=6,
        mean_tps=tps,
        valid=valid,
    )


def test_checkpoint_is_taken_out():
    rates = [100, 98, 35, 34, 36, 101, 97, 103, 99, 100]
    assert [rate for rate, counts in zip(rates, mark_counted_seconds(rates), strict=True) if not counts] == [35, 34, 36]


@given(rates=RATES)
def test_at_most_two_fifths_are_taken_out_and_never_the_fast_ones(rates):
    counts = mark_counted_seconds(rates)
    assert len(counts) == len(rates)
    assert sum(counts) >= 0.6 * len(rates)
    taken = [rate for rate, kept in zip(rates, counts, strict=True) if not kept]
    assert not taken or max(taken) < sorted(rates)[len(rates) // 2]


def test_window_that_is_uneven_throughout_counts_as_it_is():
    assert all(mark_counted_seconds([100, 10] * 5))
    assert all(mark_counted_seconds([0] * 10))


@pytest.mark.parametrize(
    "rates", [(100, 99, 30, 31, 33, 30, 98), (100, 101, 20, 20, 20, 20, 20), (9, 9, 9, 9, 99, 98, 97)]
)
def test_interrupted_one_long_low_stretch_returns_true(rates):
    assert is_interrupted(rates)


@pytest.mark.parametrize(
    "rates",
    [
        (),
        (0,) * 7,
        (100,) * 7,
        (50,) * 7,
        (100, 10) * 5,
        (100, 99, 30, 31, 101, 102, 98),
        (100, 80, 90, 70, 65, 110, 90),
    ],
)
def test_interrupted_even_short_or_alternating_window_returns_false(rates):
    assert not is_interrupted(rates)


def test_later_of_two_trials_in_a_block_counts():
    trials = [trial(0, 100), trial(1, 50, block=1), trial(2, 98, block=1), trial(3, 10, label="")]
    assert [v.trial for v in drop_superseded(trials)] == [0, 2, 3]
    assert [v.trial for v in drop_superseded(reversed(trials))] == [0, 2, 3]


def test_seconds_of_stalls_and_of_trials_measured_again_are_added_up():
    stalled = msgspec.structs.replace(trial(0, 100), stalled_frac=0.2)
    assert sum_lost_s([stalled, trial(1, 50, block=1), trial(2, 98, block=1), trial(3, 99, block=2)]) == 2 + 10
    assert sum_lost_s([trial(0, 100)]) == 0
    assert sum_lost_s([]) == 0
