"""Operations are counted in the second in which they complete; none is lost, none counts twice."""

from hypothesis import given
from hypothesis import strategies as st

from scheduler.loads.latency import bucket_of
from scheduler.loads.operation import OperationResult
from scheduler.loads.operation_tally import OperationTally
from scheduler.model.named_figures import NamedFigure


def test_completion_decides_the_second():
    tally = OperationTally()
    tally.note((99.9, 100.0, 1))
    tally.note((100.5, 101.01, 1))
    assert tally.report(99, 0.0).count == 0
    assert tally.report(100, 0.0).count == 1
    assert tally.report(101, 0.0).count == 1


def test_what_was_recorded_late_counts_in_the_next_second():
    tally = OperationTally()
    tally.note((100.1, 100.2, 1))
    assert tally.report(100, 0.0).count == 1
    tally.note((100.9, 100.99, 1))
    tally.note((101.0, 101.1, 1))
    assert tally.report(101, 0.0).count == 2


def test_restart_forgets_seconds_but_not_totals():
    tally = OperationTally()
    tally.note((100.1, 100.2, 1))
    tally.count_retry()
    tally.restart()
    assert tally.report(105, 0.0).count == 0
    assert tally.report(105, 0.0).retries == 0
    assert (tally.totals().tuples, tally.totals().retries) == (1, 1)


def test_anything_but_one_row_is_a_miss():
    tally = OperationTally()
    for rows in (0, 1, 2):
        tally.note((1.0, 1.1, rows))
    assert (tally.totals().tuples, tally.totals().misses) == (3, 2)


def test_retries_are_reported_once():
    tally = OperationTally()
    tally.count_retry()
    tally.count_retry()
    assert [tally.report(second, 0.0).retries for second in (1, 2)] == [2, 0]


@given(st.lists(st.tuples(st.floats(100.0, 110.0), st.floats(0.0, 1.0)), max_size=50))
def test_all_reports_together_hold_every_operation(operations):
    tally = OperationTally()
    for began_s, took_s in operations:
        tally.note((began_s, began_s + took_s, 1))
    reports = [tally.report(second, 0.0) for second in range(100, 112)]
    assert sum(report.count for report in reports) == len(operations) == tally.totals().tuples
    assert all(sum(report.histogram.values()) == report.count for report in reports)


def test_service_times_are_in_milliseconds():
    tally = OperationTally()
    tally.note((100.0, 100.25, 1))
    assert tally.report(100, 0.0).histogram == {bucket_of(250.0): 1}


def test_what_an_operation_reports_itself_is_reported_and_a_failed_one_never_counts():
    tally, cost = OperationTally(), NamedFigure("Q1 time", 250.0, "ms")
    tally.note((100.0, 100.25, OperationResult("Q1", answer="Q1 4:abc", figures=(cost,))))
    tally.note((100.25, 100.75, OperationResult("Q2 over 0.5 s", counts=False, failed=True)))
    report = tally.report(100, 0.0)
    assert (report.count, report.errors, report.failures) == (1, 1, {"Q2 over 0.5 s": 1})
    assert report.histogram == {bucket_of(250.0): 1}
    assert report.figures == (cost,)
    assert tally.report(101, 0.0).figures == ()
    assert (tally.totals().tuples, tally.totals().answers) == (1, {"Q1 4:abc": 1})
    assert tally.totals().sorts == {"Q1": 1, "Q2 over 0.5 s": 1}
