"""Two rates under one split are recognised; noise with one rate is not."""

import msgspec
import numpy as np
import pytest

from scheduler.model.documents import TrialDone
from scheduler.stats.rate_modes import list_two_modes
from scheduler.stats.recommendation import recommend_split
from tests.data_maker import make_spec
from tests.unit.stats.surface_maker import trials_at

_SURFACE = {"osdb-ir": {"1:5": 900.0, "1:2": 1_100.0, "1:1": 1_300.0, "2:1": 1_000.0, "5:1": 700.0}}


def trials(seed: int, *, ratio: float = 1.0, sd: float = 0.04, blocks: int = 8) -> list[TrialDone]:
    """Return a sweep whose trials run `ratio` times faster in every other case, drawn at random."""
    dice = np.random.default_rng(seed)
    found = trials_at(_SURFACE, dice, blocks=blocks, sd=sd, drift_sd=0.02)
    return [msgspec.structs.replace(one, mean_tps=one.mean_tps * dice.choice((1.0, ratio))) for one in found]


@pytest.mark.parametrize("seed", range(5))
def test_modes_of_trials_with_two_rates_returns_both(seed):
    (found,) = list_two_modes(trials(seed, ratio=1.7))
    assert found.load == "osdb-ir"
    assert found.high_tps / found.low_tps == pytest.approx(1.7, rel=0.15)


@pytest.mark.parametrize("sd", [0.01, 0.06, 0.25])
def test_modes_of_trials_with_one_rate_returns_none(sd):
    assert not any(list_two_modes(trials(seed, sd=sd)) for seed in range(20))


def test_modes_of_few_trials_or_one_slow_trial_returns_none():
    steady = trials(1, sd=0.02)
    slow = [msgspec.structs.replace(steady[0], mean_tps=steady[0].mean_tps / 3), *steady[1:]]
    assert list_two_modes(trials(1, ratio=1.7, blocks=2)) == list_two_modes(slow) == list_two_modes([]) == ()


def test_recommend_with_two_rates_reports_them():
    spec = make_spec(splits=list(_SURFACE["osdb-ir"]), kinds=["osdb-ir"])
    found = recommend_split(trials(3, ratio=1.7), spec)
    assert any("Trials under IR run at two rates" in line for line in found.limits)
    assert not any("two rates" in line for line in recommend_split(trials(3), spec).limits)
