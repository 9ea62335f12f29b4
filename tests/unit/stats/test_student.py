import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.stats.student import normal_cdf, student_cdf, student_quantile, two_sided_factor


@given(st.integers(1, 400), st.floats(-60, 60))
def test_series_agrees_with_scipy(dof, value):
    from scipy.special import stdtr  # takes its time: not for every worker that collects

    # scipy's own values are off by 3e-13 next to 0: at dof 1 the tail is 1/2 + arctan(value) / pi
    assert student_cdf(dof, value) == pytest.approx(float(stdtr(dof, value)), abs=1e-12)


@pytest.mark.parametrize("dof", [1, 2, 3, 4, 9, 40, 199])
@pytest.mark.parametrize("probability", [0.9, 0.95, 0.975, 0.995])
def test_quantile_agrees_with_scipy(dof, probability):
    from scipy.special import stdtrit

    assert student_quantile(dof, probability) == pytest.approx(float(stdtrit(dof, probability)), rel=1e-10)


def test_factor_of_two_trials_is_the_book_value():
    assert two_sided_factor(1) == pytest.approx(12.7062, abs=1e-4)
    assert two_sided_factor(9) == pytest.approx(2.2622, abs=1e-4)


def test_normal_tail_is_the_book_value():
    assert normal_cdf(-1.959964) == pytest.approx(0.025, abs=1e-7)
