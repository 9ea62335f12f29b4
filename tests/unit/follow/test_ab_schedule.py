"""Turns are drawn from a seed alone, each block has every arm once, and no block is begun that does not fit."""

from collections import Counter

import pytest

from scheduler.follow.ab_test import COMPARISON_PERIOD_S, PeriodSchedule, Variant

TWO, THREE = (Variant.FOLLOWING, Variant.STATIC), (Variant.FOLLOWING, Variant.STATIC, Variant.FOUND)
DAY_S = 86_400.0


def of_day(arms, account_pct, seed=1, for_s=DAY_S):
    epochs = PeriodSchedule(arms, account_pct, seed, for_s)
    return [epochs.at(COMPARISON_PERIOD_S * number + 1) for number in range(int(for_s / COMPARISON_PERIOD_S))]


@pytest.mark.parametrize("arms", [TWO, THREE])
def test_every_block_has_every_arm_once_in_an_order_that_changes(arms):
    blocks = {}
    for epoch in of_day(arms, 50):
        blocks.setdefault(epoch.block, []).append(epoch.arm)
    assert {frozenset(block) for block in blocks.values()} == {frozenset(arms)}
    assert {len(block) for block in blocks.values()} == {len(arms)}
    orders = Counter(map(tuple, blocks.values()))
    assert len(orders) == (2 if arms == TWO else 6)
    assert max(orders.values()) < 0.7 * len(blocks)


@pytest.mark.parametrize(("arms", "part"), [(TWO, 0.1), (THREE, 0.1)])
def test_tenth_of_the_time_is_not_following_when_so_much_is_accounted_for(arms, part):
    epochs = of_day(arms, 10, for_s=200_000 * len(arms))
    others = sum(epoch.arm is not Variant.FOLLOWING for epoch in epochs) / len(epochs)
    assert others == pytest.approx(part, rel=0.02)
    whole = Counter(epoch.block for epoch in epochs if epoch.block is not None)
    assert set(whole.values()) == {len(arms)}
    runs = [epoch.number for epoch in epochs if epoch.block == 3]
    assert runs == list(range(runs[0], runs[0] + len(arms)))


def test_nothing_is_accounted_for_where_no_one_wants_it():
    assert {(epoch.arm, epoch.block) for epoch in of_day(THREE, 0)} == {(Variant.FOLLOWING, None)}


def test_order_hangs_on_the_seed_alone_and_no_block_that_does_not_fit_is_begun():
    whole, short = of_day(TWO, 50, seed=5), of_day(TWO, 50, seed=5, for_s=DAY_S - COMPARISON_PERIOD_S)
    assert short[:-1] == whole[: len(short) - 1]
    assert (short[-1].arm, short[-1].block) == (Variant.FOLLOWING, None)
    assert whole != of_day(TWO, 50, seed=6)


def test_another_part_than_there_is_is_refused():
    with pytest.raises(ValueError, match="20"):
        PeriodSchedule(TWO, 20, 1, DAY_S)
