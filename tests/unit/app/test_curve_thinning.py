import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.plots.curve_thinning import bin_means, thin_curve
from app.plots.sample_series import SampleSeries


def _seconds(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(n) + 0.5, np.random.default_rng(seed).normal(1000, 50, n)


def test_short_curve_is_left_as_it_is():
    t_s, values = _seconds(1000)
    thin_t_s, thin_values = thin_curve(t_s, values)
    assert np.array_equal(thin_t_s, t_s)
    assert np.array_equal(thin_values, values)


@given(n=st.integers(5, 40_000), seed=st.integers(0, 5), max_points=st.sampled_from([4, 50, 1000]))
def test_thinned_curve_has_few_points_and_keeps_every_extreme(n, seed, max_points):
    t_s, values = _seconds(n, seed)
    thin_t_s, thin_values = thin_curve(t_s, values, max_points)
    assert len(thin_values) <= max_points
    assert np.all(np.diff(thin_t_s) >= 0)
    assert (thin_values.min(), thin_values.max()) == (values.min(), values.max())
    assert set(thin_values) <= set(values)


def test_one_stall_in_eight_hours_stays_visible():
    t_s, values = _seconds(28_800)
    values[20_001] = 0.0
    _, thin_values = thin_curve(t_s, values)
    assert thin_values.min() == 0.0


@given(n=st.sampled_from([200, 30_000]))
def test_no_line_is_drawn_across_a_pause(n):
    t_s, values = _seconds(n)
    t_s[n // 2 :] += n
    thin_t_s, thin_values = thin_curve(t_s, values)
    (at,) = np.flatnonzero(np.isnan(thin_values))
    assert thin_t_s[at - 1] <= t_s[n // 2 - 1] < t_s[n // 2] <= thin_t_s[at + 1]


def test_bins_of_a_growing_run_stay_where_they_are():
    t_s, values = _seconds(20_000)
    before = thin_curve(t_s[:-100], values[:-100])[1]
    after = thin_curve(t_s, values)[1]
    assert np.array_equal(before[:-2], after[: len(before) - 2])


@given(n=st.integers(1, 30_000))
def test_binned_means_keep_the_total_of_a_stack(n):
    t_s, values = _seconds(n)
    rest = 2000.0 - values
    mean_t_s, mean_values, mean_rest = bin_means(t_s, (values, rest), 500)
    assert len(mean_t_s) <= 500
    assert np.allclose(mean_values + mean_rest, 2000.0)
    assert t_s[0] <= mean_t_s[0] <= mean_t_s[-1] <= t_s[-1]


def test_series_restores_what_it_was_reported():
    series = SampleSeries("t_s", "tps")
    assert len(series) == 0
    assert series.column("tps").size == 0
    assert series.since(0.0) == 0
    for second in range(5000):
        series.append(second, second * 10.0)
    assert len(series) == 5000
    assert np.array_equal(series.column("tps", 4998), [49_980.0, 49_990.0])
    assert series.since(4998.5) == 4999


def test_series_can_grow_while_another_holds_a_column():
    series = SampleSeries("t_s", "tps")
    series.append(0.0, 1.0)
    held = series.column("tps")
    for second in range(1, 10_000):
        series.append(second, 2.0)
    assert np.array_equal(held, [1.0])
