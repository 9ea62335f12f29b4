import math

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.model.bottleneck import Bottleneck
from scheduler.stats.points import interval, points_from
from tests.data_maker import make_visits


def test_that_mean_interval_and_cv_are_those_of_the_visits():
    visits = [v for v in make_visits() if v.setting and v.setting.label == "1:2" and v.load == "osdb-ir"]
    exact = [msgspec.structs.replace(v, mean_tps=tps) for v, tps in zip(visits, (90.0, 100.0, 110.0), strict=True)]
    (point,) = points_from(exact)
    half = 4.302653 * 10 / math.sqrt(3)
    assert point.mean_tps == pytest.approx(100)
    assert point.ci95_tps == pytest.approx((100 - half, 100 + half), rel=1e-6)
    assert point.cv == pytest.approx(0.1)
    assert point.visits == 3
    assert point.visit_tps == (90.0, 100.0, 110.0)


def test_that_there_is_one_point_per_setting_and_load_baseline_first():
    points = points_from(make_visits())
    assert len(points) == 20
    assert [p.split for p in points[:2]] == ["baseline", "baseline"]
    assert [p.split for p in points[2::2]] == ["1:10", "1:5", "2:5", "1:2", "1:1", "2:1", "5:2", "5:1", "10:1"]


def test_that_one_visit_has_no_interval_and_no_cv():
    point = points_from(make_visits(repeats=1))[-1]
    assert (point.visits, point.ci95_tps, point.cv) == (1, None, None)
    assert point.mean_tps is not None


def test_that_a_point_without_a_valid_visit_says_why_and_has_no_figure():
    points = points_from(make_visits(failing=[("1:1", "osdb-ir")]))
    point = next(p for p in points if (p.split, p.load) == ("1:1", "osdb-ir"))
    assert not point.valid
    assert point.mean_tps is None
    assert point.visits == 0
    assert point.reason == "a user did not report for 4 s"


def test_that_invalid_visits_do_not_count():
    visits = make_visits()
    spoilt = [msgspec.structs.replace(v, valid=False, mean_tps=1.0) if v.block == 0 else v for v in visits]
    point = points_from(spoilt)[-1]
    assert point.visits == 2
    assert min(point.visit_tps) > 1.0


@given(st.permutations(range(len(make_visits()))))
@settings(max_examples=20, deadline=None)
def test_that_the_order_of_visits_does_not_matter(order):
    visits = make_visits()
    assert points_from([visits[i] for i in order]) == points_from(visits)


@given(st.lists(st.floats(1, 1e6), min_size=2, max_size=12), st.floats(0.01, 100))
def test_that_the_interval_scales_with_the_unit(values, factor):
    low, high = interval(values)
    scaled = interval([value * factor for value in values])
    assert scaled == pytest.approx((low * factor, high * factor), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("visits", [3, 5, 10])
def test_that_intervals_cover_the_truth_as_often_as_promised(visits):
    dice = np.random.default_rng(20 + visits)
    trials = 1500
    held = 0
    for _ in range(trials):
        low, high = interval(list(100 * np.exp(dice.normal(0, 0.05, visits) - 0.05**2 / 2)))
        held += low <= 100 <= high
    assert held / trials >= 0.93


def test_that_delivered_and_configured_shares_are_means_over_visits():
    point = next(p for p in points_from(make_visits()) if (p.split, p.load) == ("1:10", "osdb-ir"))
    assert point.configured_share["io"] == pytest.approx(1 / 11)
    assert point.delivered_share["io"] == pytest.approx(1 / 11, abs=0.01)
    assert point.bottleneck is Bottleneck.IO
