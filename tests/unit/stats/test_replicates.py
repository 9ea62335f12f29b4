"""Rules of independent replicates."""

import math
import random

import pytest

from scheduler.stats.replicates import POWER, estimate_mean_interval, smallest_difference


@pytest.mark.parametrize(("blocks", "noise_frac"), [(6, 0.03), (18, 0.05)])
def test_smallest_difference_is_shown_with_its_power(blocks, noise_frac):
    rng, runs = random.Random(5), 2_000
    middle = math.log1p(smallest_difference(blocks, noise_frac))
    logs = ([middle + rng.gauss(0, noise_frac * math.sqrt(2)) for _ in range(blocks)] for _ in range(runs))
    assert sum(estimate_mean_interval(each)[0] > 0 for each in logs) / runs == pytest.approx(POWER, abs=0.04)
