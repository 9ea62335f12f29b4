"""Laws of what is proposed between the measured splits."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.model.results import SplitVerdict
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import PAPER_SPLITS, Mode
from scheduler.model.split import any_split, parse_split
from scheduler.shares.model_lookup import build_settable_check
from scheduler.stats.interpolation import find_prospect
from scheduler.stats.leader_comparison import compare_with_leader
from scheduler.stats.paired_comparison import build_cells
from scheduler.stats.recommendation import gather_evidence, recommend_from_evidence
from tests.data_maker import make_facts, make_spec
from tests.settings import labels
from tests.unit.stats.surface_maker import trials_at
from tests.volume import times

KIND = "osdb-ir"
FIVE = ("1:9", "1:4", "1:1", "4:1", "9:1")


def place(label):
    return parse_split_setting(label).position


def hill(top, curvature=0.15, splits=FIVE):
    """Return a surface that is a parabola in ln(utility), highest at a position of the axis."""
    return {KIND: {label: 1000 * math.exp(-curvature * (place(label) - top) ** 2) for label in splits}}


def seen(surface, *, sd=0.002, blocks=8, seed=1, settable=any_split):
    cells = build_cells(trials_at(surface, np.random.default_rng(seed), blocks=blocks, sd=sd), list(surface))
    return find_prospect(cells, compare_with_leader(cells, {KIND: 1.0}), settable)


@settings(max_examples=times(20, 60), deadline=None)
@given(top=st.floats(-1.3, 1.3), curvature=st.floats(0.1, 0.5))
def test_top_of_a_parabola_is_found_between_the_leaders_neighbours(top, curvature):
    surface = hill(top, curvature)
    found = seen(surface)
    leader = max(surface[KIND], key=surface[KIND].__getitem__)
    to_gain = curvature * (place(leader) - top) ** 2
    if to_gain > math.log1p(0.03):
        assert place(found.between[0]) < found.setting.position < place(found.between[1])
        assert found.gain_frac == pytest.approx(math.expm1(to_gain), rel=0.25)
        assert curvature * (found.setting.position - top) ** 2 < 0.3 * to_gain
    if to_gain < math.log1p(0.01):
        assert found.setting is None


@settings(max_examples=times(20, 60), deadline=None)
@given(seed=st.integers(0, 100_000), sd=st.floats(0.001, 0.2))
def test_whatever_is_proposed_lies_next_to_the_leader_was_not_measured_and_has_small_terms(seed, sd):
    dice = np.random.default_rng(seed)
    surface = {KIND: {label: float(dice.uniform(100, 130)) for label in PAPER_SPLITS}}
    found = seen(surface, sd=sd, blocks=3, seed=seed)
    if found.setting is None:
        return
    split = found.setting.split
    assert split.label not in PAPER_SPLITS
    assert max(split.io, split.guest) <= 20
    assert place(found.between[0]) < found.setting.position < place(found.between[1])
    assert not [label for label in PAPER_SPLITS if place(found.between[0]) < place(label) < place(found.between[1])]
    assert found.text.startswith(f"Interpolated, not measured: {split.label}, between ")


def test_leader_at_the_edge_proposes_nothing_and_reports_that_the_best_may_lie_beyond():
    found = seen(hill(3.0))
    assert (found.setting, found.beyond) == (None, True)
    assert found.text == "9:1 is the outermost split that was measured: the best may lie beyond it."


def test_flat_top_promises_nothing():
    found = seen({KIND: dict.fromkeys(FIVE, 100.0)})
    assert (found.setting, found.beyond) == (None, False)
    assert "has a predicted gain over" in found.text
    assert "of more than 2 % and more than noise" in found.text


def test_noise_is_no_promise():
    """Between 1:4 and 1:1, level, and a steep fall beside them lies a gain of some 4 %, if the figures are true."""
    steep = {KIND: {"1:9": 80.0, "1:4": 100.0, "1:1": 100.0, "4:1": 75.0, "9:1": 50.0}}
    assert seen(steep).setting
    wild = [seen(steep, sd=0.25, blocks=2, seed=seed) for seed in range(40)]
    assert sum(bool(found.setting) for found in wild) < 20


def test_only_what_the_host_can_be_set_to_is_proposed():
    can = build_settable_check(make_facts(scheduler="credit2"), Mode.WEIGHTS, 20_000)
    assert seen(hill(-0.6), settable=can).setting
    for none in (build_settable_check(make_facts(scheduler="null"), Mode.WEIGHTS, 20_000), lambda split: False):
        found = seen(hill(-0.6), settable=none)
        assert found.setting is None
        assert "can be set on this host" in found.text


def test_split_of_which_one_would_be_warned_is_not_proposed_unasked():
    can = build_settable_check(make_facts(scheduler="credit2"), Mode.CAPS, 20_000)
    assert can(parse_split("1:8"))
    assert not can(parse_split("1:10"))  # less than 10 % for the I/O domain
    rounding = build_settable_check(make_facts(scheduler="sedf"), Mode.CAPS, 20_000)
    assert not rounding(parse_split("1:8"))  # hands out less of the CPU than its neighbours do


def test_two_splits_make_no_curve():
    assert seen({KIND: {"1:1": 100.0, "1:2": 80.0}}).text == ""


def test_answer_carries_the_proposal_labelled_and_reports_how_to_measure_it():
    spec = make_spec(splits=FIVE, repeats=8)
    surface = hill(-0.6) | {"osdb-oltp": hill(-0.6)[KIND]}
    evidence = gather_evidence(trials_at(surface, np.random.default_rng(1), blocks=8, sd=0.005), spec)
    answer = recommend_from_evidence(evidence)
    proposal = answer.proposal
    assert answer.verdict is SplitVerdict.RECOMMEND
    assert not answer.interpolated
    assert (answer.label, labels(proposal.between)) == ("1:1", ("1:4", "1:1"))
    assert {label: tps > answer.expected_tps[label] for label, tps in proposal.expected_tps.items()} == {
        "osdb-ir": True,
        "osdb-oltp": True,
    }
    assert answer.sentences[-1].startswith(f"Interpolated, not measured: {proposal.label}, between 1:4 and 1:1, may")
    assert answer.sentences[-1].endswith(f'run the same plan with splits = ["1:1", "{proposal.label}"].')
    assert recommend_from_evidence(evidence, {"osdb-ir": 1.0}).proposal.expected_tps.keys() == {"osdb-ir", "osdb-oltp"}


def test_guess_proposes_nothing():
    trials = trials_at(hill(-0.6), np.random.default_rng(1), blocks=1)
    answer = recommend_from_evidence(gather_evidence(trials, make_spec(splits=FIVE, kinds=(KIND,))))
    assert (answer.verdict, answer.proposal) == (SplitVerdict.NONE, None)
