"""Users' reports become seconds: in order, without gaps, late ones waited for but not for ever."""

from scheduler.loads.second_merger import GRACE_S, SecondMerger
from scheduler.loads.user_messages import SecondReport


def report(second, count=10, cpu_s=0.2, waiting_s=0.0):
    return SecondReport(second, count, {5: count}, 1, cpu_s, waiting_s)


def test_second_is_complete_when_all_users_have_reported():
    merging = SecondMerger(2, probe=False, first_second=100)
    merging.take(report(100, 10, 0.2), probe=False)
    assert merging.complete(101.05) == []
    merging.take(report(100, 20, 0.3), probe=False)
    [second] = merging.complete(101.05)
    assert (second.second, second.count, second.histogram) == (100, 30, {5: 30})
    assert (second.retries, second.busiest_cpu_frac, second.cpu_s) == (2, 0.3, 0.5)
    assert (second.missing_users, second.probe_count) == (0, None)


def test_late_second_holds_back_the_ones_after_it():
    merging = SecondMerger(2, probe=False, first_second=100)
    for user_second in (100, 101, 101):
        merging.take(report(user_second), probe=False)
    assert merging.complete(102.05) == []
    merging.take(report(100), probe=False)
    assert [second.second for second in merging.complete(102.1)] == [100, 101]


def test_silent_user_is_counted_as_missing_after_the_grace():
    merging = SecondMerger(2, probe=False, first_second=100)
    merging.take(report(100), probe=False)
    assert merging.complete(101 + GRACE_S - 0.01) == []
    [second] = merging.complete(101 + GRACE_S + 0.01)
    assert (second.count, second.missing_users) == (10, 1)


def test_report_after_the_grace_changes_nothing():
    merging = SecondMerger(1, probe=False, first_second=100)
    assert [second.missing_users for second in merging.complete(101 + GRACE_S + 0.01)] == [1]
    merging.take(report(100), probe=False)
    merging.take(report(101), probe=False)
    assert [(second.second, second.count) for second in merging.complete(102.05)] == [(101, 10)]


def test_reports_from_before_the_start_do_not_count():
    merging = SecondMerger(1, probe=False, first_second=100)
    merging.take(report(99), probe=False)
    merging.take(report(100, 7), probe=False)
    assert [(second.second, second.count) for second in merging.complete(101.05)] == [(100, 7)]


def test_probe_is_waited_for_and_counted_by_itself():
    merging = SecondMerger(1, probe=True, first_second=100)
    merging.take(report(100, 10, 0.2), probe=False)
    assert merging.complete(101.05) == []
    merging.take(report(100, 33, 0.5), probe=True)
    [second] = merging.complete(101.05)
    assert (second.count, second.probe_count, second.histogram) == (10, 33, {5: 10})
    assert (second.busiest_cpu_frac, second.cpu_s) == (0.5, 0.7)


def test_silent_probe_is_missing_too():
    merging = SecondMerger(1, probe=True, first_second=100)
    merging.take(report(100), probe=False)
    [second] = merging.complete(101 + GRACE_S + 0.01)
    assert (second.missing_users, second.probe_count) == (1, None)
