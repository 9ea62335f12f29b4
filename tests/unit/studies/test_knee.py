"""The knee of throughput over users: an interval that the trials justify, and no number where there is none."""

import math
import random

import pytest

from scheduler.model.study_kind import list_doublings
from scheduler.studies.capacity.knee import TrialRate, find_knee, fit_curve
from scheduler.studies.capacity.knee_search import CLOSE_RATIO, choose_next_block
from tests.bench.capacity import CURVES, FULL_GRID, TOP, search, tried
from tests.volume import few, times

LIMIT = CURVES["limit at 6"]


def seen(law, users, blocks=3, off=0.005, luck=(0.0, 0.0, 0.0)):
    """Trials that differ by next to nothing, in a way that no luck decides."""
    signs = (1, -1, 0)
    return [
        TrialRate(block, n, math.log(law(n)) + off * signs[(block + place) % 3] + luck[block])
        for block in range(blocks)
        for place, n in enumerate(users)
    ]


def test_knee_lies_between_the_numbers_around_it():
    knee = find_knee(fit_curve(seen(LIMIT, list_doublings(1, 32))))
    assert (knee.above, knee.most, knee.is_open) == (4, 8, False)
    refined = find_knee(fit_curve(seen(LIMIT, (1, 2, 4, 5, 6, 8, 16, 32))))
    assert (refined.above, refined.most) == (5, 6)


def test_one_trial_each_justifies_little():
    once = find_knee(fit_curve(seen(LIMIT, list_doublings(1, 32), blocks=1)))
    assert once.above < 4
    assert once.most > 8


def test_range_that_ends_before_the_knee_is_called_open():
    assert find_knee(fit_curve(seen(lambda n: n, list_doublings(1, 32)))).is_open
    assert not find_knee(fit_curve(seen(LIMIT, list_doublings(1, 32)))).is_open


def test_highest_rate_and_the_crossing_have_their_intervals():
    knee = find_knee(fit_curve(seen(LIMIT, list_doublings(1, 32))))
    middle, low, high = knee.crossing
    assert low < 6 < high
    assert middle == pytest.approx(6, rel=0.03)
    assert knee.highest[0] == pytest.approx(6, rel=0.03)
    assert find_knee(fit_curve(seen(LIMIT, (2, 4, 8)))).crossing is None


def test_what_falls_behind_the_best_is_distinguished_from_noise():
    falling = find_knee(fit_curve(seen(CURVES["scalability, falls from 9"], list_doublings(1, 32))))
    assert falling.falls_frac == pytest.approx(0.355, abs=0.03)
    assert find_knee(fit_curve(seen(LIMIT, list_doublings(1, 32)))).falls_frac == 0


def test_luck_of_a_block_cancels_out():
    users = (4, 8, 16)
    calm = fit_curve([*seen(LIMIT, users), TrialRate(3, 4, math.log(4)), TrialRate(3, 8, math.log(6))])
    lucky = fit_curve([*seen(LIMIT, users), TrialRate(3, 4, math.log(4) + 0.5), TrialRate(3, 8, math.log(6) + 0.5)])
    steps = [[rate - curve.ln_rates[0] for rate in curve.ln_rates] for curve in (calm, lucky)]
    assert steps[1] == pytest.approx(steps[0], abs=0.1)  # of 0.5, most of it
    assert lucky.deviation > calm.deviation


def test_same_trials_give_the_same_answer():
    trials = seen(LIMIT, list_doublings(1, 32), off=0.05)
    assert find_knee(fit_curve(trials)) == find_knee(fit_curve(list(trials)))


def test_numbers_double_up_to_the_most():
    assert list_doublings(1, 32) == (1, 2, 4, 8, 16, 32)
    assert list_doublings(1, 20) == (1, 2, 4, 8, 16, 20)
    assert list_doublings(3, 3) == (3,)


def test_block_is_where_the_knee_is():
    curve = fit_curve(seen(LIMIT, list_doublings(1, 32)))
    block = choose_next_block(curve, find_knee(curve), random.Random(1))
    assert 6 in block
    assert not {1, 2} & set(block)
    assert 3 <= len(block) <= 5


def test_search_ends_with_a_close_interval_or_with_its_trials():
    for name in ("limit at 6", "no knee", "flat"):
        knee, trials = search(CURVES[name], 0.01, 1)
        assert trials <= FULL_GRID // 2
        close = knee.most <= max(1, knee.above) * CLOSE_RATIO
        assert close or knee.open or trials > FULL_GRID // 2 - 6, name
    assert search(LIMIT, 0.01, 1)[0].most == 6


def test_interval_holds_the_knee():
    searches = times(20, 200)
    found = tried(LIMIT, 0.05, searches, 77_500_000)
    assert TOP == 32
    assert found.holds >= 0.95 - 1 / searches
    assert found.trials <= FULL_GRID / 2


@pytest.mark.parametrize("name", few(["dip", "dip early"], ["mild dip", "wide dip"]))
def test_search_holds_the_knee_below_a_dip(name):
    searches = times(20, 100)
    assert tried(CURVES[name], 0.03, searches, 77).holds >= 0.93


def test_knee_begins_below_a_gap_that_may_hide_a_peak():
    dip = CURVES["dip"]  # full at 14; 20 % less from 15 to 18
    assert find_knee(fit_curve(seen(dip, list_doublings(1, 32)))).above == 8
    assert find_knee(fit_curve(seen(dip, (1, 2, 4, 8, 11, 16, 19, 32)))).above == 11
    assert find_knee(fit_curve(seen(LIMIT, list_doublings(1, 32)))).above == 4


def test_knee_begins_below_a_number_that_surely_falls():
    law = {1: 1.0, 2: 1.2, 4: 1.1, 8: 3.0, 16: 3.0}.__getitem__
    assert find_knee(fit_curve(seen(law, (1, 2, 4, 8, 16)))).above == 2


def test_next_block_tries_a_number_in_a_gap_that_may_hide_a_peak():
    curve = fit_curve(seen(CURVES["dip"], list_doublings(1, 32)))
    assert 11 in choose_next_block(curve, find_knee(curve), random.Random(1))
