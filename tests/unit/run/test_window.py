"""Laws of a visit's window: what counts, and what is taken out."""

import pytest

from scheduler.loads.base import LoadSecond
from scheduler.model.setting import split_setting
from scheduler.plans.visits import Visit
from scheduler.run.factor import InForce
from scheduler.run.window import Window

RATES = (100, 101, 35, 36, 99, 100, 102, 98, 100, 101)  # a checkpoint of two seconds


def done_of(*, without_stalls: bool, rates=RATES):
    visit = Visit(split_setting("1:1"), "osdb-ir", 0, 2, len(rates), without_stalls=without_stalls)
    window = Window(0, visit, 100.0, 0.0)
    for second, count in enumerate((500, 500, *rates), 100):
        window.take(LoadSecond(second=second, count=count, histogram={}))
    assert window.complete
    return window.done(InForce({}, {}), 200.0, 1)


def test_that_every_measured_second_counts_as_it_is():
    done = done_of(without_stalls=False)
    assert done.mean_tps == pytest.approx(sum(RATES) / 10)
    assert (done.stalled_frac, done.stalled_at_s) == (0, ())


def test_that_a_plan_may_leave_stalls_out_and_it_is_written_down():
    done = done_of(without_stalls=True)
    assert done.mean_tps == pytest.approx((sum(RATES) - 71) / 8)
    assert done.stalled_frac == pytest.approx(0.2)
    assert done.seconds == 10
    assert done.stalled_at_s == (105, 106)  # the ends of the third and the fourth measured second


def test_that_a_visit_keeps_its_rates_from_the_change_on_unless_some_are_missing():
    assert done_of(without_stalls=True).rates_tps == (500, 500, *RATES)
    window = Window(0, Visit(split_setting("1:1"), "osdb-ir", 0, 2, 3), 100.0, 0.0)
    for second in (99, 101, 102, 103, 104):  # of the old setting, then one late
        window.take(LoadSecond(second=second, count=second, histogram={}))
    assert window.done(InForce({}, {}), 200.0, 1).rates_tps == ()


def test_that_a_window_in_which_nothing_was_done_is_zero_and_not_an_error():
    done = done_of(without_stalls=True, rates=(0,) * 5)
    assert (done.mean_tps, done.stalled_frac) == (0, 0)
