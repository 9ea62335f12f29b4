"""When following moves, and when it holds."""

import itertools
import math

import pytest

from scheduler.errors import SpecError
from scheduler.follow.move_decision import Cooldown, FollowBounds, HoldReason, MoveBudget, MoveDecider
from scheduler.follow.split_rule import PairLimits, PairUsage

EVEN = PairLimits(0.5, 0.5)
READS, WRITES, LIKE = PairUsage(0.48, 0.16), PairUsage(0.08, 0.48), PairUsage(0.30, 0.32)


def followed(uses, bounds=None, allowed=EVEN, **how):
    """Take windows without obeying; return the decisions."""
    follower = MoveDecider(bounds or FollowBounds())
    return [follower.decide(10.0 * number, use, allowed, **how) for number, use in enumerate(uses)]


def obeyed(uses, bounds=None):
    """Take windows and obey; return where it went, and when."""
    follower, allowed, went = MoveDecider(bounds or FollowBounds()), EVEN, []
    for number, use in enumerate(uses):
        decision = follower.decide(10.0 * number, use, allowed)
        if decision.move is not None:
            went.append((10.0 * number, decision.move))
            share = 1 / (1 + math.exp(-decision.move))
            allowed = PairLimits(share, 1 - share)
            follower.note_move(10.0 * number)
    return went


def test_large_promise_is_moved_for_when_two_windows_in_a_row_make_it():
    decisions = followed([READS] * 4)
    assert [decision.hold for decision in decisions[:3]] == [
        HoldReason.GATHERING,
        HoldReason.GATHERING,
        HoldReason.UNCONFIRMED,
    ]
    assert decisions[3].move == pytest.approx(decisions[3].wish)
    assert decisions[3].predicted_gain > 0.05
    assert decisions[3].move > 0


def test_small_promise_waits_for_a_load_that_stays_the_same():
    decisions = followed([PairUsage(0.47, 0.38)] * 9)
    assert 0.02 < decisions[5].predicted_gain < 0.05
    assert [decision.move is None for decision in decisions[:5]] == [True] * 5
    assert {decision.hold for decision in decisions[2:5]} == {
        HoldReason.UNCONFIRMED
    }  # what is promised is not too little
    assert decisions[5].move is not None


def test_windows_of_another_load_do_not_count():
    decisions = followed([LIKE, LIKE, LIKE, READS, READS])
    assert all(decision.move is None for decision in decisions)
    assert decisions[-1].hold is HoldReason.GATHERING


@pytest.mark.parametrize(
    ("use", "how", "hold"),
    [
        (PairUsage(0.01, 0.01), {}, HoldReason.IDLE),
        (PairUsage(0.49, 0.49), {}, HoldReason.BOTH_SATURATED),
        (PairUsage(0.45, 0.1), {"decides": False}, HoldReason.NO_CONTENTION),
        (PairUsage(0.30, 0.31), {}, HoldReason.AT_OPTIMUM),
        (PairUsage(0.06, 0.02), {}, HoldReason.GAIN_TOO_SMALL),
    ],
)
def test_what_shows_nothing_or_gains_nothing_is_held(use, how, hold):
    assert followed([use] * 12, **how)[-1].hold is hold


def virtual(uses, bounds=None):
    """Take windows at the static split 1:1, from which nothing is moved; return virtual moves and when."""
    follower, left, went = MoveDecider(bounds or FollowBounds()), 0.0, []
    for number, use in enumerate(uses):
        decision = follower.decide(10.0 * number, use, EVEN, left=left)
        assert decision.move is None
        if decision.would is not None:
            left = decision.would
            went.append((10.0 * number, left))
    return went


def test_take_in_period_of_another_variant_only_reports_the_virtual_move():
    decisions = followed([READS] * 4, left=0.0)
    assert decisions[-1].hold is HoldReason.COMPARISON
    assert [decision.would for decision in decisions[:3]] == [None] * 3
    assert decisions[-1].would == decisions[-1].wish > 0
    assert followed([READS] * 8, left=decisions[-1].wish - 0.05)[-1].would is None  # it would have stayed there


def test_take_in_period_of_another_variant_spends_the_budget_of_moves():
    uses = [use for _ in range(60) for use in [*[READS] * 6, *[WRITES] * 6]]
    went = virtual(uses)
    assert [at_s for at_s, _ in went[:6]] == [at_s for at_s, _ in obeyed(uses)[:6]]
    assert 8 <= len(went) <= 10 + 2 * 20
    assert max(later - sooner for (sooner, _), (later, _) in itertools.pairwise(went)) >= 1800  # it calms down
    assert len(virtual(uses, FollowBounds(burst=4, per_hour=4))) < len(went)


def test_no_split_outside_the_range_is_ever_set():
    bounds = FollowBounds(low=math.log(1 / 2), high=math.log(2))
    assert followed([PairUsage(0.49, 0.02)] * 4, bounds)[-1].move == pytest.approx(math.log(2))
    assert followed([PairUsage(0.02, 0.49)] * 4, bounds)[-1].move == pytest.approx(math.log(1 / 2))


def test_window_in_which_a_move_was_made_is_not_counted():
    follower = MoveDecider(FollowBounds())
    follower.note_move(0.0)
    assert [follower.decide(10.0 * n, READS, EVEN).hold for n in range(1, 4)] == [HoldReason.GATHERING] * 3
    assert follower.decide(40.0, READS, EVEN).hold is HoldReason.UNCONFIRMED


def test_load_that_turns_all_the_time_is_chased_for_a_while_only():
    uses = [use for _ in range(60) for use in [*[READS] * 6, *[WRITES] * 6]]
    went = obeyed(uses)
    assert 8 <= len(went) <= 10 + 2 * 20  # in two hours: the bucket, and what comes back
    gaps = [later - sooner for (sooner, _), (later, _) in itertools.pairwise(went)]
    assert max(gaps) >= 1800
    assert len(obeyed(uses, FollowBounds(burst=4, per_hour=4))) < len(went)


def test_calm_lasts_longer_when_it_comes_again_soon():
    calm = Cooldown()
    lasted = []
    at_s = 0.0
    for _ in range(6):
        calm.start(at_s)
        lasted.append(calm.until_s - at_s)
        at_s = calm.until_s + 600
    calm.start(calm.until_s + 3 * 3600)
    assert lasted == [1800, 3600, 7200, 14400, 14400, 14400]
    assert not calm.is_active(calm.until_s)
    assert calm.is_active(calm.until_s - 1)


def test_moves_come_back_with_time_and_never_beyond_the_bucket():
    bucket = MoveBudget(3, 6)
    for _ in range(3):
        bucket.spend_move(0.0)
    assert bucket.moves_left(0.0) == 0
    assert bucket.moves_left(600.0) == pytest.approx(1.0)
    assert bucket.moves_left(1e6) == 3


@pytest.mark.parametrize(
    "wrong",
    [
        {"low": 0.5, "high": 0.5},
        {"high": math.log(20)},
        {"slow_gain": 0.2},
        {"fast_gain": 0.9},
        {"burst": 0},
        {"per_hour": math.nan},
    ],
)
def test_bounds_that_bound_nothing_are_refused(wrong):
    with pytest.raises(SpecError):
        FollowBounds(**wrong)
