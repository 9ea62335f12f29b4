"""Rules of the order within blocks."""

import random
from collections import Counter
from itertools import pairwise, permutations

import pytest

from scheduler.model.plan_file import parse_plan
from scheduler.model.setting import VcpusSetting
from scheduler.plans.trials import BlockOrder
from scheduler.studies.scaling.plan import listed

ONE, TWO, THREE, FOUR = (VcpusSetting(number) for number in (1, 2, 3, 4))


def test_block_order_of_two_mirrors_each_second_block():
    order = BlockOrder(random.Random(1))
    blocks = [order.next_block([ONE, TWO]) for _ in range(200)]
    assert all(second == first[::-1] for first, second in zip(blocks[::2], blocks[1::2], strict=True))
    assert 30 < sum(first[0] == ONE for first in blocks[::2]) < 70  # of 100 pairs


def test_block_order_of_three_draws_all_six_orders():
    order = BlockOrder(random.Random(1))
    counts = Counter(tuple(order.next_block([ONE, TWO, THREE])) for _ in range(600))
    assert counts.keys() == set(permutations([ONE, TWO, THREE]))
    assert min(counts.values()) > 60


def test_block_order_of_four_never_repeats_a_setting_at_an_edge():
    order = BlockOrder(random.Random(1))
    blocks = [order.next_block([ONE, TWO, THREE, FOUR]) for _ in range(200)]
    assert all(before[-1] != after[0] for before, after in pairwise(blocks))


def test_block_order_does_not_mirror_two_other_settings():
    order = BlockOrder(random.Random(1))
    order.next_block([ONE, TWO])
    assert set(order.next_block([ONE, THREE])) == {ONE, THREE}
    assert set(order.next_block([ONE, None])) == {ONE, None}


@pytest.mark.parametrize("kinds", [("order-entry",), ("order-entry", "osdb-ir")])
def test_paired_plan_of_two_settings_cancels_a_trend_under_each_load(kinds):
    for seed in range(20):
        loads = "".join(f'[[load]]\nkind = "{kind}"\nusers = 2\n' for kind in kinds)
        plan = f'host = "local:"\nstudy = "scale-up"\nvcpus = [1, 2]\nrepeats = 6\nseed = {seed}\n{loads}'
        trials = list(listed(parse_plan(plan)))
        for kind in kinds:
            places = dict.fromkeys((1, 2), 0)
            for at, trial in enumerate(trials):
                if trial.load == kind:
                    places[trial.setting.vcpus] += at
            assert places[1] == places[2]  # the same mean moment
