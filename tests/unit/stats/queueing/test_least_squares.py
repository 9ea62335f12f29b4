import numpy as np
import pytest

from scheduler.stats.queueing.least_squares import least_squares

PLACES = np.linspace(0.0, 2.0, 9)


def _decay(at):
    """exp(a) * exp(-exp(b) x), of which the third parameter knows nothing."""
    height, rate = np.exp(at[:2])
    values = height * np.exp(-rate * PLACES)
    return values, np.stack([values, -rate * PLACES * values, np.zeros_like(PLACES)], axis=1)


def test_curve_is_found_again_from_far_away():
    truth = np.array([1.5, 0.7, 0.0])
    found = least_squares(_decay, _decay(truth)[0], np.array([-2.0, -2.0, 0.0]))
    assert found[:2] == pytest.approx(truth[:2], abs=1e-4)


def test_what_the_values_do_not_depend_on_stays_where_it_began():
    found = least_squares(_decay, _decay(np.array([1.0, 0.5, 0.0]))[0], np.array([0.0, 0.0, 0.37]))
    assert found[2] == 0.37


def test_no_better_start_is_left():
    start = np.array([0.3, 0.2, 0.1])
    assert least_squares(_decay, _decay(start)[0], start) == pytest.approx(start)
