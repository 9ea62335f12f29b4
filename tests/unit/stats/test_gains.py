"""Laws of what an answer says of the host as found: a gain with its interval, or none."""

import math

import numpy as np
import pytest
from scipy.special import stdtrit

from scheduler.model.setting import BASELINE
from scheduler.model.spec import Mode
from scheduler.stats.gain import gain_of
from scheduler.stats.recommend import recommend
from scheduler.stats.spread import spread_of
from tests.data_maker import make_spec, make_visits
from tests.unit.stats.surface_maker import surface_of, visits_at

EVEN = {"osdb-ir": 0.5, "osdb-oltp": 0.5}


def test_that_a_faster_host_as_found_is_said_plainly():
    answer = recommend(make_visits(), make_spec())
    assert answer.gain_frac < 0
    low, high = answer.gain_ci95_frac
    assert low < answer.gain_frac < high < 0
    assert "faster than the best partition" in answer.reasons[1]
    assert "costs 15 % of the throughput" in answer.reasons[1]


def test_that_a_gain_over_the_host_as_found_is_given_with_its_interval():
    base = {"osdb-ir": 5_000.0, "osdb-oltp": 5_000.0}
    visits = visits_at(surface_of("paper_wide_gap"), np.random.default_rng(4), baseline_tps=base)
    answer = recommend(visits, make_spec())
    assert answer.gain_frac == pytest.approx(1.0, abs=0.15)
    assert any("over the host as found (95 % interval" in line for line in answer.reasons)


@pytest.mark.parametrize("kinds", [("osdb-ir",), ("osdb-ir", "osdb-oltp")])
def test_that_the_interval_of_a_gain_is_students_with_the_fewest_degrees_of_freedom_in_it(kinds):
    visits = visits_at(surface_of("paper_base"), np.random.default_rng(2), baseline_tps=dict.fromkeys(EVEN, 100.0))
    spreads, weight = {kind: spread_of(visits, kind) for kind in kinds}, 1 / len(kinds)
    gain = gain_of("1:2", spreads, dict.fromkeys(kinds, weight))
    means = [spreads[kind].of_mean(label) for kind in kinds for label in ("1:2", BASELINE)]
    half = stdtrit(min(dof for _, dof in means), 0.975) * weight * math.sqrt(sum(variance for variance, _ in means))
    middle = math.log1p(gain.frac)
    assert [math.log1p(end) for end in gain.ci95_frac] == pytest.approx([middle - half, middle + half], rel=1e-9)


def test_that_without_a_baseline_no_gain_is_claimed():
    answer = recommend([v for v in make_visits() if v.setting is not None], make_spec())
    assert answer.gain_frac is None
    assert not any("host as found" in line for line in answer.reasons)


def test_that_a_faster_host_as_found_is_said_in_share_mode_too():
    spec = make_spec(splits=("1:1", "1:10"), mode=Mode.SHARE, repeats=6)
    surface = {"osdb-ir": {"1:1": 100.0, "1:10": 50.0}, "osdb-oltp": {"1:1": 100.0, "1:10": 50.0}}
    base = {"osdb-ir": 150.0, "osdb-oltp": 150.0}
    visits = visits_at(surface, np.random.default_rng(1), blocks=6, baseline_tps=base, drift_sd=0.01)
    answer = recommend(visits, spec)
    assert "The host as found is faster: 1:1 costs" in answer.reasons[1]
    assert "Leave it as it is." in answer.reasons[1]
    assert answer.headline.startswith("Change nothing: every split costs throughput, the cheapest, 1:1, ")
