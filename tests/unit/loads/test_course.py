"""Reports that come when they like, laid on whole seconds: nothing is lost, nothing is told twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.loads.engines.program_engine import CumulativeCounter

REPORTS = st.lists(
    st.tuples(st.floats(0.001, 3.0), st.integers(0, 100_000)), min_size=1, max_size=20
)  # seconds since the report before, operations in them


@given(st.floats(0, 1e6), REPORTS)
def test_whole_seconds_add_up_to_what_was_reported(from_s, reports):
    course = CumulativeCounter(from_s)
    for more_s, count in reports:
        course.grow(course.until_s + more_s, count)
    seconds = range(int(from_s), int(course.until_s) + 2)
    counts = [course.whole(second) for second in seconds]
    assert sum(counts) == sum(count for _, count in reports)
    assert all(count >= 0 for count in counts)


@given(REPORTS)
def test_forgetting_changes_no_later_second(reports):
    kept, forgetful = CumulativeCounter(0.5), CumulativeCounter(0.5)
    for more_s, count in reports:
        for course in (kept, forgetful):
            course.grow(course.until_s + more_s, count)
    for second in range(int(kept.until_s) + 1):
        assert forgetful.whole(second) == kept.whole(second)
        forgetful.forget(second)


def test_report_spreads_evenly_over_its_time():
    course = CumulativeCounter(0.5)
    course.grow(1.5, 100)
    course.grow(2.5, 300)
    assert [course.whole(second) for second in range(4)] == [50, 200, 150, 0]
    assert course.part(1) == pytest.approx(200)


def test_report_from_the_past_counts_at_the_last_moment_that_is_known():
    course = CumulativeCounter(0.0)
    course.grow(2.0, 10)
    course.grow(1.0, 10)
    assert course.until_s == 2.0
    assert course.total == 20
    assert course.at(2.0) == 20
