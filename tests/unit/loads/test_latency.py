"""Service times in buckets: narrow enough, mergeable, quantiles by nearest rank."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from scheduler.loads.latency import bucket_middle_ms, bucket_of, quantile_ms

TIMES_MS = st.floats(0.0011, 600_000.0)


@given(TIMES_MS)
def test_bucket_is_at_most_5_percent_wide(time_ms):
    assert abs(bucket_middle_ms(bucket_of(time_ms)) / time_ms - 1) <= 0.0251


@given(TIMES_MS, TIMES_MS)
def test_longer_time_is_never_in_a_lower_bucket(one, other):
    assert (bucket_of(one) <= bucket_of(other)) or one > other


def test_zero_and_less_than_a_microsecond_are_the_first_bucket():
    assert bucket_of(0.0) == bucket_of(0.0005) == bucket_of(0.001) == 0


def test_nothing_has_no_quantile():
    assert quantile_ms({}, 0.5) is None


@given(st.lists(TIMES_MS, min_size=1, max_size=200), st.sampled_from([0.5, 0.95, 0.99, 1.0]))
def test_quantile_is_the_nearest_rank_within_a_bucket(times_ms, quantile):
    histogram = Counter(bucket_of(time_ms) for time_ms in times_ms)
    rank = max(1, -int(-quantile * len(times_ms) // 1))
    exact = sorted(times_ms)[rank - 1]
    assert abs(quantile_ms(histogram, quantile) / exact - 1) <= 0.0251


@given(st.lists(TIMES_MS, min_size=1), st.lists(TIMES_MS, min_size=1))
def test_merging_histograms_is_counting_together(one, other):
    apart = Counter(map(bucket_of, one)) + Counter(map(bucket_of, other))
    assert apart == Counter(map(bucket_of, one + other))
