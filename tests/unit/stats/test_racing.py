"""Laws of the race: who goes on, and when it is decided."""

import math

import msgspec
import numpy as np
import pytest

from scheduler.model.protocols import PROTOCOLS
from scheduler.stats.racing import STOP_DOUBT, assess_race
from tests.data_maker import make_spec
from tests.unit.stats.surface_maker import surface_of, trials_at

SPLITS = ("1:1", "1:2", "2:5")


def racing(protocol="adaptive", **changes):
    return msgspec.structs.replace(make_spec(**changes), protocol=PROTOCOLS[protocol])


def two(gap, *, blocks, sd, kinds=("osdb-ir",), protocol="adaptive"):
    surface = {kind: {"1:1": 100.0 * (1 - gap), "1:2": 100.0, "2:5": 60.0} for kind in kinds}
    trials = trials_at(surface, np.random.default_rng(7), blocks=blocks, sd=sd)
    return assess_race(trials, racing(protocol, splits=SPLITS, kinds=kinds))


def test_clear_gap_is_decided_and_a_narrow_one_is_not():
    assert two(0.10, blocks=8, sd=0.02).is_decided
    assert two(0.10, blocks=8, sd=0.02).leader == "1:2"
    narrow = two(0.025, blocks=5, sd=0.08)
    assert not narrow.is_decided
    assert {"1:1", "1:2"} <= set(narrow.active)


def test_tie_within_the_zone_is_decided_too():
    """Nothing is lost by taking either: what must be certain is the decision."""
    assert two(0.0, blocks=40, sd=0.02).is_decided


def test_too_few_pairs_decide_nothing_while_a_rival_is_alive():
    standing = two(0.04, blocks=3, sd=0.005)
    assert not standing.is_decided
    assert "1:1" in standing.active


def test_there_is_always_another_to_compare_with():
    standing = two(0.5, blocks=12, sd=0.01)
    assert standing.is_decided
    assert len(standing.active) == 2


def test_noise_halves_the_doubt_that_is_allowed():
    spec = racing(splits=SPLITS, kinds=("osdb-ir",))
    surface = {"osdb-ir": {"1:1": 62.0, "1:2": 100.0, "2:5": 40.0}}
    for seed in range(200):
        standing = assess_race(trials_at(surface, np.random.default_rng(seed), blocks=7, sd=0.25), spec)
        assert not (standing.is_decided and standing.doubt > STOP_DOUBT["adaptive"] / 2)


def test_quick_is_satisfied_sooner_and_strict_later():
    blocks = {
        name: next(n for n in range(2, 100) if two(0.03, blocks=n, sd=0.03, protocol=name).is_decided)
        for name in ("quick", "adaptive", "strict")
    }
    assert blocks["quick"] <= blocks["adaptive"] < blocks["strict"], blocks


def test_strict_goes_on_with_the_one_that_has_no_certificate():
    standing = two(0.05, blocks=4, sd=0.04, protocol="strict")
    assert not standing.is_decided
    assert {standing.leader, "1:1"} <= set(standing.active)
    assert two(0.05, blocks=60, sd=0.04, protocol="strict").active == ("1:2",)


def test_split_that_was_never_measured_keeps_its_place():
    spec = racing()
    trials = trials_at(surface_of("paper_base"), np.random.default_rng(1), blocks=6)
    without = [v for v in trials if v.setting is None or v.setting.label != "5:1"]
    standing = assess_race(without, spec)
    assert "5:1" in standing.active
    assert not standing.is_decided


def test_split_that_fails_again_and_again_loses_its_place():
    spec = racing()
    trials = trials_at(surface_of("paper_wide_gap"), np.random.default_rng(1), blocks=8)
    failing = [
        msgspec.structs.replace(v, valid=False) if v.setting is not None and v.setting.label == "5:1" else v
        for v in trials
    ]
    assert "5:1" not in assess_race(failing, spec).active


def test_nothing_measured_leaves_all_in():
    standing = assess_race([], racing())
    assert len(standing.active) == 9
    assert (standing.leader, standing.is_decided, standing.doubt) == ("", False, 1.0)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e6])
def test_units_do_not_matter(scale):
    trials = trials_at(surface_of("paper_base"), np.random.default_rng(3), blocks=4)
    scaled = [msgspec.structs.replace(v, mean_tps=v.mean_tps * scale) for v in trials]
    one, other = assess_race(trials, racing()), assess_race(scaled, racing())
    assert one.active == other.active
    assert math.isclose(one.doubt, other.doubt, rel_tol=1e-6)


@pytest.mark.parametrize(("blocks", "decided"), [(6, False), (7, True)])
def test_standing_of_few_pairs_with_baseline_goes_on_with_leader(blocks, decided):
    """A leader chosen after a few pairs overstates its gain, however clear it looks."""
    surface = {"osdb-ir": {"1:1": 60.0, "1:2": 100.0, "2:5": 50.0}}
    trials = trials_at(surface, np.random.default_rng(7), blocks=blocks, sd=0.01, baseline_tps={"osdb-ir": 60.0})
    standing = assess_race(trials, racing(splits=SPLITS, kinds=("osdb-ir",)))
    assert standing.best_known
    assert standing.is_decided is decided
    assert decided or standing.active == ("1:2",)
