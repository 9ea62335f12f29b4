"""Laws of a trial's window: what counts, and what is taken out."""

import pytest

from scheduler.loads.latency import bucket_middle_ms
from scheduler.loads.load_protocols import ClientSecond, LoadSecond
from scheduler.model.documents import HostSample
from scheduler.model.domain_sample import DomainSample
from scheduler.model.member import Member
from scheduler.model.named_figures import NamedFigure
from scheduler.model.setting import parse_split_setting
from scheduler.model.split import GUEST, IO
from scheduler.plans.trials import PlannedTrial
from scheduler.run.factor import AppliedSetting
from scheduler.run.trial_window import TrialWindow
from scheduler.stats.points import build_points

RATES = (100, 101, 35, 36, 99, 100, 102, 98, 100, 101)  # a checkpoint of two seconds


def done_of(*, without_stalls: bool, rates=RATES):
    trial = PlannedTrial(
        parse_split_setting("1:1"), (Member("osdb-ir"),), 0, 2, len(rates), without_stalls=without_stalls
    )
    window = TrialWindow(0, trial, 100.0, 0.0)
    for second, count in enumerate((500, 500, *rates), 100):
        window.take(LoadSecond(second=second, count=count, histogram={}))
    assert window.complete
    return window.done(AppliedSetting({}, {}), 200.0, 1)


def test_every_measured_second_counts_as_it_is():
    done = done_of(without_stalls=False)
    assert done.mean_tps == pytest.approx(sum(RATES) / 10)
    assert (done.stalled_frac, done.stalled_at_s) == (0, ())


def test_plan_may_leave_stalls_out_and_it_is_written_down():
    done = done_of(without_stalls=True)
    assert done.mean_tps == pytest.approx((sum(RATES) - 71) / 8)
    assert done.stalled_frac == pytest.approx(0.2)
    assert done.seconds == 10
    assert done.stalled_at_s == (105, 106)  # the ends of the third and the fourth measured second


def test_trial_keeps_its_rates_from_the_change_on_unless_some_are_missing():
    assert done_of(without_stalls=True).rates_tps == (500, 500, *RATES)
    window = TrialWindow(0, PlannedTrial(parse_split_setting("1:1"), (Member("osdb-ir"),), 0, 2, 3), 100.0, 0.0)
    for second in (99, 101, 102, 103, 104):  # of the old setting, then one late
        window.take(LoadSecond(second=second, count=second, histogram={}))
    assert window.done(AppliedSetting({}, {}), 200.0, 1).rates_tps == ()


def test_window_in_which_nothing_was_done_is_zero_and_not_an_error():
    done = done_of(without_stalls=True, rates=(0,) * 5)
    assert (done.mean_tps, done.stalled_frac) == (0, 0)


def host(t_s, io, guest, *, throttled=0.0, **rest):
    domains = {
        IO: DomainSample(io / 2, io / 2, 0, 0, 0, throttled),
        GUEST: DomainSample(guest, 0.0, 0, 0, 0),
    }
    return HostSample(t_s=t_s, trial=0, domains=domains, idle_frac=1 - io - guest, **rest)


def figures(seconds, hosts=()):
    """Measure the seconds from 101 on, after one of settling, beside what the host did in them."""
    window = TrialWindow(
        0, PlannedTrial(parse_split_setting("1:1"), (Member("osdb-ir"),), 0, 1, len(seconds)), 100.0, 0.0
    )
    window.take(LoadSecond(100, 10, errors=7, busiest_cpu_frac=0.9, probe_count=90))
    for number, rest in enumerate(seconds, 101):
        window.take(LoadSecond(number, 100, **rest))
    for sample in hosts:
        window.take_host(sample, sample.t_s - 1)
    return window.done(AppliedSetting({}, {}), 200.0, 1)


def test_figure_is_the_mean_over_whole_measured_seconds():
    hosts = [host(101, 0.9, 0.9), host(102, 0.2, 0.5), host(103, 0.4, 0.5)]
    found = figures([{"busiest_cpu_frac": 0.2}, {"busiest_cpu_frac": 0.4}], hosts)
    assert found.client_cpu_frac == pytest.approx(0.3)
    assert found.used_frac == pytest.approx({IO: 0.3, GUEST: 0.5})


def test_errors_and_retries_are_summed():
    found = figures([{"errors": 2, "retries": 1}, {"errors": 3}])
    assert (found.errors, found.retries) == (5, 1)


def test_every_domain_reports_how_long_its_quota_held_it_back():
    assert figures([{}], [host(102, 0.1, 0.2, throttled=0.6)]).throttled_frac == {IO: 0.6, GUEST: 0.0}


def test_what_others_took_is_a_mean_over_the_seconds_that_know_it_and_none_without_any():
    hosts = [host(t, 0.1, 0.2, stolen_frac=value) for t, value in ((102, 0.1), (103, None), (104, 0.3))]
    found = figures([{}] * 3, hosts)
    assert found.stolen_frac == pytest.approx(0.2)
    assert (found.foreign_frac, found.clock_mhz) == (None, None)


def test_probe_is_none_when_no_one_probes():
    assert figures([{}]).probe_tps is None
    assert figures([{"probe_count": 4}, {"probe_count": 6}]).probe_tps == 5.0


def test_empty_window_counts_nothing():
    found = figures([])
    assert (found.client_cpu_frac, found.used_frac, found.errors) == (0.0, {}, 0)


def test_sorts_of_operations_are_per_minute_of_what_counts_and_points_have_their_mean():
    dones = []
    for many in (3, 5):
        trial = PlannedTrial(parse_split_setting("1:1"), (Member("order-entry"),), len(dones), 1, 2)
        window = TrialWindow(len(dones), trial, 100.0, 0.0)
        for second, retries in ((100, 9), (101, 1), (102, 2)):
            sorts = {"new-order": {150: many}, "new-order, rolled back": {151: 1}}
            window.take(LoadSecond(second=second, count=many, histogram={150: many}, retries=retries, sorts=sorts))
        dones.append(window.done(AppliedSetting({}, {}), 200.0, 1))
    first = dones[0].sorts
    assert list(first) == ["new-order", "new-order, rolled back", "repeated"]
    assert first["new-order"].per_min == pytest.approx(180)
    assert first["new-order"].p95_ms == pytest.approx(bucket_middle_ms(150))
    assert (first["new-order, rolled back"].per_min, first["repeated"].per_min) == pytest.approx((60, 90))
    assert first["repeated"].p50_ms is None
    [point] = build_points(dones)
    assert point.sorts["new-order"].per_min == pytest.approx(240)
    assert point.sorts["new-order"].p95_ms == pytest.approx(bucket_middle_ms(150))


def test_loads_of_one_sort_report_none():
    assert done_of(without_stalls=False).sorts == {}


def window_of(*seconds: LoadSecond, kind: str = "tpch"):
    trial = PlannedTrial(parse_split_setting("1:1"), (Member(kind),), 0, 0, len(seconds), without_stalls=True)
    window = TrialWindow(0, trial, 100.0, 0.0)
    for second in seconds:
        window.take(second)
    return window.done(AppliedSetting({}, {}), 200.0, 1)


def test_slow_seconds_of_unequal_operations_are_no_stalls():
    seconds = [LoadSecond(second=second, count=count) for second, count in enumerate((9, 9, 1, 9, 9), 100)]
    assert window_of(*seconds).mean_tps == pytest.approx(37 / 5)
    assert window_of(*seconds, kind="osdb-ir").mean_tps == 9


def test_trial_with_a_failed_operation_is_invalid_by_its_name():
    done = window_of(LoadSecond(100, 3), LoadSecond(101, 2, errors=2, failures={"Q17 over 60 s": 2}))
    assert not done.valid
    assert done.reason == "2 operations failed: Q17 over 60 s"


def test_further_figures_are_medians_over_the_measured_seconds():
    seconds = [
        LoadSecond(s, 1, figures=(NamedFigure("Q1 time", took, "ms"),)) for s, took in ((100, 5), (101, 9), (102, 6))
    ]
    assert window_of(*seconds).figures == (NamedFigure("Q1 time", 6, "ms"),)


def test_each_computers_figures_add_up_to_the_loads_and_the_busiest_is_the_limit():
    def part(count, cpu_s, error_s):
        return ClientSecond(count=count, users=2, cpu_s=cpu_s, cpus=2.0, clock_error_s=error_s)

    found = figures([{"clients": {"a": part(70, 1.8, 0.001), "b": part(30, 0.2, 0.004)}}] * 3)
    assert {name: each.rate_tps for name, each in found.clients.items()} == {"a": 70, "b": 30}
    assert found.clients["b"].clock_error_ms == pytest.approx(4.0)
    assert found.clients_cpu_frac == pytest.approx(0.9)  # of the one that is nearest to its limit, not of both
