import math

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.model.bottleneck import Bottleneck
from scheduler.stats.points import build_points
from tests.bench.intervals import held
from tests.data_maker import make_trials
from tests.volume import times


def test_mean_interval_and_cv_are_those_of_the_trials():
    trials = [v for v in make_trials() if v.setting and v.setting.label == "1:2" and v.load == "osdb-ir"]
    exact = [msgspec.structs.replace(v, mean_tps=tps) for v, tps in zip(trials, (90.0, 100.0, 110.0), strict=True)]
    (point,) = build_points(exact)
    logs = [math.log(tps) for tps in (90, 100, 110)]
    variance = sum((log - sum(logs) / 3) ** 2 for log in logs) / 2 / 3
    middle, half = math.log(990_000) / 3, 4.302653 * math.sqrt(variance)
    assert point.mean_tps == pytest.approx((90 * 100 * 110) ** (1 / 3))
    assert point.ci95_tps == pytest.approx((math.exp(middle - half), math.exp(middle + half)), rel=1e-6)
    assert not point.pooled
    assert point.cv == pytest.approx(0.1, rel=0.01)
    assert point.trials == 3
    assert point.trial_tps == (90.0, 100.0, 110.0)


def test_there_is_one_point_per_setting_and_load_baseline_first():
    points = build_points(make_trials())
    assert len(points) == 20
    assert [p.label for p in points[:2]] == ["baseline", "baseline"]
    assert [p.label for p in points[2::2]] == ["1:10", "1:5", "2:5", "1:2", "1:1", "2:1", "5:2", "5:1", "10:1"]


def test_single_trials_everywhere_have_no_interval_and_no_cv():
    point = build_points(make_trials(repeats=1))[-1]
    assert (point.trials, point.ci95_tps, point.cv) == (1, None, None)
    assert point.mean_tps is not None


def test_point_without_a_valid_trial_reports_why_and_has_no_figure():
    points = build_points(make_trials(failing=[("1:1", "osdb-ir")]))
    point = next(p for p in points if (p.label, p.load) == ("1:1", "osdb-ir"))
    assert not point.valid
    assert point.mean_tps is None
    assert point.trials == 0
    assert point.reason == "a user did not report for 4 s"


def test_invalid_trials_do_not_count():
    trials = make_trials()
    spoilt = [msgspec.structs.replace(v, valid=False, mean_tps=1.0) if v.block == 0 else v for v in trials]
    point = build_points(spoilt)[-1]
    assert point.trials == 2
    assert min(point.trial_tps) > 1.0


@given(st.permutations(range(len(make_trials()))))
@settings(max_examples=times(8, 20), deadline=None)
def test_order_of_trials_does_not_matter(order):
    trials = make_trials()
    assert build_points([trials[i] for i in order]) == build_points(trials)


@given(st.lists(st.floats(1, 1e6), min_size=3, max_size=3), st.floats(0.01, 100))
def test_interval_scales_with_the_unit(values, factor):
    trials = [v for v in make_trials() if v.setting and v.setting.label == "1:2" and v.load == "osdb-ir"]

    def interval(factor):
        changed = [msgspec.structs.replace(v, mean_tps=factor * x) for v, x in zip(trials, values, strict=True)]
        return build_points(changed)[0].ci95_tps

    low, high = interval(1.0)
    assert interval(factor) == pytest.approx((low * factor, high * factor), rel=1e-6)


def test_no_interval_reaches_below_zero_or_without_end():
    wild = [
        msgspec.structs.replace(v, mean_tps=(1757.0, 2689.0)[v.block % 2])
        for v in make_trials(repeats=2)
        if v.setting is None or v.setting.label in {"1:2", "1:1", "2:1"}
    ]
    for point in build_points(wild):
        low, high = point.ci95_tps
        assert 0 < low < point.mean_tps < high < 10 * point.mean_tps


def test_single_trial_borrows_its_interval_from_the_others_and_reports_it():
    trials = [v for v in make_trials() if not (v.setting and v.setting.label == "1:10" and v.block > 0)]
    points = [point for point in build_points(trials) if point.load == "osdb-ir"]
    (single,) = [point for point in points if point.trials == 1]
    others = [point for point in points if point.trials == 3]
    assert single.pooled
    assert single.cv is None
    assert not any(point.pooled for point in others)
    widths = [math.log(high / low) for low, high in (point.ci95_tps for point in others)]
    low, high = single.ci95_tps
    assert low < single.mean_tps < high
    assert math.log(high / low) > max(widths)


@pytest.mark.parametrize("trials", [1, 2, 3, 5])
@pytest.mark.parametrize("noise", ["even", "uneven"])
def test_intervals_hold_the_truth_as_often_as_promised(trials, noise):
    found = held(9, trials, noise, 60, 520)
    assert 0.915 <= found.points_held / found.points <= 0.985  # 95 +- 2 %, and two standard errors of so few sweeps


def test_used_and_allotted_shares_are_means_over_trials():
    point = next(p for p in build_points(make_trials()) if (p.label, p.load) == ("1:10", "osdb-ir"))
    assert point.allotted_share["io"] == pytest.approx(1 / 11)
    assert point.used_share["io"] == pytest.approx(1 / 11, abs=0.01)
    assert point.bottleneck is Bottleneck.IO
