"""Two runs beside each other: the ratio, and whether it can be told from none."""

import random
import statistics

import pytest

from scheduler.model.results import MeasuredPoint
from scheduler.model.setting import BASELINE, label_of
from scheduler.stats.run_comparison import compare_overall, compare_splits
from scheduler.stats.student import two_sided_factor
from tests.settings import setting_at


def _point(split: str, mean_tps: float | None, half: float | None = 0.02, load: str = "osdb-ir") -> MeasuredPoint:
    ci95 = None if half is None or mean_tps is None else (mean_tps * (1 - half), mean_tps * (1 + half))
    return MeasuredPoint(setting=setting_at(split), load=load, mean_tps=mean_tps, ci95_tps=ci95, cv=None, trials=3)


def test_second_is_measured_against_the_first():
    (one,) = compare_splits([_point("1:1", 100.0)], [_point("1:1", 110.0)])
    assert one.gain_frac == pytest.approx(0.1)
    assert one.ci95_frac[0] < 0.1 < one.ci95_frac[1]
    assert one.gain.differs_from()
    (back,) = compare_splits([_point("1:1", 110.0)], [_point("1:1", 100.0)])
    assert (1 + back.gain_frac) * (1 + one.gain_frac) == pytest.approx(1.0)
    assert (1 + back.ci95_frac[0]) * (1 + one.ci95_frac[1]) == pytest.approx(1.0)


def test_nothing_is_claimed_without_intervals():
    (one,) = compare_splits([_point("1:1", 100.0, None)], [_point("1:1", 150.0)])
    assert one.ci95_frac is None
    assert not one.gain.differs_from()
    (wide,) = compare_splits([_point("1:1", 100.0, 1.5)], [_point("1:1", 150.0)])  # an interval that reaches below 0
    assert wide.ci95_frac is None


def test_all_splits_that_both_have_count_alike_and_the_host_original_does_not():
    first = [_point("1:1", 100.0), _point("1:2", 100.0), _point("2:1", 50.0), _point(BASELINE, 100.0)]
    second = [_point("1:1", 200.0), _point("1:2", 50.0), _point("5:1", 70.0), _point(BASELINE, 900.0)]
    (one,) = compare_overall(first, second)
    assert one.gain_frac == pytest.approx(0.0)
    assert one.splits == 2
    assert [label_of(ratio.setting) for ratio in compare_splits(first, second)] == ["1:1", "1:2", BASELINE]


def test_interval_holds_the_truth_about_as_often_as_it_reports():
    dice, held, tries, trials = random.Random(5), 0, 400, 6

    def measured(mean_tps: float) -> MeasuredPoint:
        tps = [mean_tps * (1 + dice.gauss(0, 0.05)) for _ in range(trials)]
        mean = statistics.mean(tps)
        half = two_sided_factor(trials - 1) * statistics.stdev(tps) / trials**0.5
        return MeasuredPoint(
            setting=setting_at("1:1"),
            load="osdb-ir",
            mean_tps=mean,
            ci95_tps=(mean - half, mean + half),
            cv=None,
            trials=6,
        )

    for _ in range(tries):
        (one,) = compare_splits([measured(100.0)], [measured(107.0)])
        held += one.ci95_frac[0] <= 0.07 <= one.ci95_frac[1]
    assert 0.93 <= held / tries <= 0.995
