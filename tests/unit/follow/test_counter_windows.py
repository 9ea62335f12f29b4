"""A window is what lies between two looks at counters; those that cannot be believed are none, and say why."""

import pytest

from scheduler.follow.counter_windows import CounterSnapshot, CounterWindow, WindowBuffer, window_between
from scheduler.follow.split_rule import PairUsage
from scheduler.model.host_properties import CpuUsage, DomainUsage
from scheduler.model.split import GUEST, IO

ONE_EACH = {IO: 1.0, GUEST: 1.0}


def look(at_s, io_s, guest_s, cpus=None):
    domains = {
        domain: DomainUsage(user_s=seconds, system_s=0.0, memory_bytes=0, in_bytes=0, out_bytes=0)
        for domain, seconds in ((IO, io_s), (GUEST, guest_s))
    }
    return CounterSnapshot(at_s, domains, cpus)


def between(before, after, most=ONE_EACH, cpus=1):
    return window_between(before, after, most, cpus)


def test_window_is_cpu_seconds_per_second():
    window = between(look(5, 1.0, 2.0), look(15, 3.0, 7.0))
    assert window == CounterWindow(PairUsage(pytest.approx(0.2), pytest.approx(0.5)))


def test_what_others_took_is_counted_where_the_host_reports():
    before, after = CpuUsage(stolen_s=1.0, busy_s=10.0), CpuUsage(stolen_s=2.0, busy_s=18.0)
    window = between(look(0, 0.0, 0.0, before), look(10, 2.0, 4.0, after))
    assert isinstance(window, CounterWindow)
    assert window.others_frac == pytest.approx(0.3)  # 1 s stolen, 2 s of other programs
    assert window.full_frac == pytest.approx(0.9)
    assert window.use.left_frac == pytest.approx(0.7)


def test_others_whose_time_is_not_reported_are_only_those_that_steal():
    before, after = CpuUsage(stolen_s=1.0), CpuUsage(stolen_s=2.0)
    window = between(look(0, 0.0, 0.0, before), look(10, 2.0, 4.0, after))
    assert isinstance(window, CounterWindow)
    assert (window.others_frac, window.full_frac) == (pytest.approx(0.1), pytest.approx(0.7))


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (look(0, 5.0, 5.0), look(10, 4.0, 6.0), "io went back"),
        (look(0, 5.0, 5.0), look(10, 6.0, 4.0), "guest went back"),
        (look(0, 0.0, 0.0), look(10, 12.0, 1.0), "io went on by 1.2 CPUs"),
        (look(0, 0.0, 0.0), look(61, 1.0, 1.0), "61 s passed"),
        (look(10, 0.0, 0.0), look(10, 1.0, 1.0), "0 s passed"),
        (look(0, 0.0, 0.0), CounterSnapshot(10, {}), "io has no counters"),
    ],
)
def test_counters_that_cannot_be_believed_drop_the_window_and_report_why(before, after, why):
    dropped = between(before, after)
    assert isinstance(dropped, str)
    assert why in dropped


def test_domain_with_more_vcpus_may_use_more():
    assert isinstance(between(look(0, 0.0, 0.0), look(10, 18.0, 1.0), {IO: 2.0, GUEST: 1.0}, cpus=4), CounterWindow)


def kept(*uses):
    windows = WindowBuffer()
    for use in uses:
        windows.add(PairUsage(*use))
    return windows


def test_newest_six_windows_are_kept_and_fewer_than_three_report_nothing():
    assert kept((0.1, 0.2), (0.1, 0.2)).mean() is None
    mean = kept(*[(0.3, 0.3)] * 3, *[(0.2, 0.2)] * 6).mean()
    assert mean == PairUsage(pytest.approx(0.2), pytest.approx(0.2))


def test_first_window_after_a_change_of_the_split_is_dropped():
    windows = kept((0.1, 0.2), (0.1, 0.2), (0.1, 0.2))
    windows.changed()
    for _ in range(3):
        windows.add(PairUsage(0.4, 0.2))
    assert windows.count == 2


def test_idle_window_empties_the_list():
    assert kept((0.1, 0.2), (0.1, 0.2), (0.1, 0.2), (0.02, 0.02)).count == 0


def test_two_windows_in_a_row_of_another_kind_are_another_load_and_one_is_not():
    alike = [(0.1, 0.2)] * 3
    assert kept(*alike, (0.3, 0.2), (0.1, 0.2)).count == 5
    windows = kept(*alike, (0.3, 0.2), (0.31, 0.2))
    assert windows.count == 2
    windows.add(PairUsage(0.3, 0.2))
    mean = windows.mean()
    assert mean is not None
    assert mean.io_cpus > 0.29
