import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.stats.queueing.mva import solve_networks

demands = st.lists(st.floats(1e-5, 1.0), min_size=1, max_size=4)
waits = st.floats(0.0, 5.0)
users = st.integers(1, 64)


@given(demands, waits, users)
def test_throughput_keeps_the_asymptotic_bounds(demands_s, wait_s, n):
    """Denning and Buzen, Computing Surveys 10(3), 1978: no station does more than it can, and nobody waits for all."""
    (tps,) = solve_networks(np.array([demands_s]), wait_s, n).tps
    alone_s = sum(demands_s)
    assert tps <= min(1 / max(demands_s), n / (alone_s + wait_s)) * (1 + 1e-9)
    assert tps >= n / (n * alone_s + wait_s) * (1 - 1e-9)


@given(demands, waits)
def test_one_user_never_waits_for_another(demands_s, wait_s):
    assert solve_networks(np.array([demands_s]), wait_s, 1).tps[0] == pytest.approx(1 / (sum(demands_s) + wait_s))


@given(st.floats(1e-4, 1.0), st.integers(1, 5), users)
def test_equal_stations_do_what_theory_reports(demand_s, stations, n):
    tps = solve_networks(np.full((1, stations), demand_s), 0.0, n).tps[0]
    assert tps == pytest.approx(n / (demand_s * (n + stations - 1)))


@given(st.floats(1e-3, 1.0), st.floats(1e-2, 5.0), st.integers(1, 20))
def test_one_station_and_thinking_users_are_the_machine_repairman(demand_s, wait_s, n):
    states = [math.perm(n, busy) * (demand_s / wait_s) ** busy for busy in range(n + 1)]
    assert solve_networks(np.array([[demand_s]]), wait_s, n).tps[0] == pytest.approx((1 - 1 / sum(states)) / demand_s)


@given(st.lists(st.floats(1e-3, 1.0), min_size=2, max_size=3), st.floats(1e-3, 5.0), st.integers(1, 20))
def test_weights_are_what_one_percent_is_worth_and_sum_to_one(demands_s, wait_s, n):
    base = np.array(demands_s)
    solved = solve_networks(base[np.newaxis], wait_s, n)
    assert solved.weights.sum() + solved.wait_weight[0] == pytest.approx(1.0)
    step = 1e-5
    for station, weight in enumerate(solved.weights[0]):
        moved = [base * np.where(np.arange(len(base)) == station, math.exp(sign * step), 1.0) for sign in (-1, 1)]
        faster, slower = solve_networks(np.array(moved), wait_s, n).tps
        assert math.log(faster / slower) / (2 * step) == pytest.approx(weight, abs=1e-6)


def test_rows_do_not_know_of_each_other():
    both = solve_networks(np.array([[0.1, 0.2], [0.3, 0.05]]), 0.4, 7)
    alone = solve_networks(np.array([[0.3, 0.05]]), 0.4, 7)
    assert both.tps[1] == alone.tps[0]
