"""Which of the paper's statements hold: decided by intervals, each of three outcomes can come about."""

import math

import msgspec
import pytest

from scheduler.papers.claim_check import check_statements
from scheduler.papers.claims import ClaimOutcome, MissingReason
from scheduler.papers.comparison import load_papers
from scheduler.papers.log_ratios import LogRatios
from tests.unit.papers.made_runs import AS_STATED, IR, OLTP, but, run_at
from tests.volume import times

PAPER = next(paper for paper in load_papers() if paper.study == "split")
IDS = [said.id for said in PAPER.statements if said.claim is not None]
REVERSED = {load: {split: 1e7 / rate for split, rate in rates.items()} for load, rates in AS_STATED.items()}

AGAINST = {
    "ir-worst": but(AS_STATED, IR, {"1:10": 2800}),
    "ir-gap": but(AS_STATED, IR, {"1:10": 1900}),
    "ir-balanced": but(AS_STATED, IR, {"5:1": 8500}),
    "ir-first": but(AS_STATED, IR, {"2:5": 12_000}),
    "oltp-best": but(AS_STATED, OLTP, {"1:1": 12_000}),
    "oltp-third": but(AS_STATED, OLTP, {"1:5": 4500}),
    "oltp-worst": but(AS_STATED, OLTP, {"10:1": 3000}),
    "oltp-gap": but(AS_STATED, OLTP, {"10:1": 2600, "5:1": 2800}),
    "oltp-even": but(AS_STATED, OLTP, {"1:1": 7000}),
    "apart": but(AS_STATED, IR, {"1:1": 8500}),
    "good-in-both": but(AS_STATED, IR, {"2:5": 2700}),
    "low-in-both": but(AS_STATED, IR, {"1:10": 9500}),
}
"""For each statement a machine on which it is false."""


def told(results):
    return {fact.id: fact for fact in check_statements(PAPER, results)}


def test_everything_holds_where_everything_is_true():
    facts = told(run_at(AS_STATED))
    assert list(facts) == IDS
    assert {name: fact.holds for name, fact in facts.items()} == dict.fromkeys(IDS, ClaimOutcome.YES)
    assert all(any(sign.isdigit() for sign in fact.figures) for fact in facts.values())


@pytest.mark.parametrize("name", IDS)
def test_each_statement_fails_where_it_is_false(name: str):
    fact = told(run_at(AGAINST[name], blocks=8))[name]
    assert (fact.holds, fact.lack) == (ClaimOutcome.NO, MissingReason.NOTHING), fact.figures
    assert any(sign.isdigit() for sign in fact.figures)


def test_reversed_order_does_not_hold():
    facts = told(run_at(REVERSED))
    holding = {name for name, fact in facts.items() if fact.holds is ClaimOutcome.YES}
    assert holding == {"ir-gap", "oltp-gap", "apart"}  # the two ends are as far apart, whichever is the better one
    assert [name for name, fact in facts.items() if fact.holds is ClaimOutcome.OPEN] == []


def test_noise_leaves_every_statement_open():
    facts = told(run_at(AS_STATED, sd=1.0, blocks=2, seed=3))
    assert {fact.holds for fact in facts.values()} == {ClaimOutcome.OPEN}
    assert {fact.lack for fact in facts.values()} == {MissingReason.INTERVAL}
    single = told(run_at(AS_STATED, blocks=1))
    assert {fact.holds for fact in single.values()} == {ClaimOutcome.OPEN}


def test_what_was_not_measured_is_named():
    one_load = told(run_at({IR: AS_STATED[IR]}))
    for name in ("oltp-best", "oltp-gap", "apart", "low-in-both"):
        assert (one_load[name].holds, one_load[name].lack) == (ClaimOutcome.OPEN, MissingReason.LOAD)
        assert one_load[name].figures == "OLTP was not measured."
    assert one_load["ir-worst"].holds is ClaimOutcome.YES
    few = told(run_at(AS_STATED, splits=("1:1", "1:2", "2:5", "1:5")))
    assert few["ir-first"].holds is ClaimOutcome.YES
    for name in ("ir-worst", "ir-gap", "ir-balanced", "oltp-even", "apart", "low-in-both"):
        assert (few[name].holds, few[name].lack) == (ClaimOutcome.OPEN, MissingReason.SPLIT)
    assert few["ir-worst"].figures == "Without a figure here: 2:1, 5:1, 5:2, 10:1 and 1:10."


def test_pair_that_is_reversed_settles_an_order_whatever_was_not_measured():
    few = told(run_at(AGAINST["oltp-third"], splits=("1:1", "1:5", "1:2")))
    assert few["oltp-third"].holds is ClaimOutcome.NO
    assert few["oltp-third"].figures.startswith("1:1 is ")


def test_split_that_could_not_be_held_has_no_figure():
    results = run_at(AS_STATED)
    points = tuple(
        msgspec.structs.replace(point, mean_tps=None, ci95_tps=None, valid=False, responsive=False, trials=0)
        if point.label == "1:10"
        else point
        for point in results.points
    )
    facts = told(msgspec.structs.replace(results, points=points))
    assert facts["ir-worst"].lack is MissingReason.SPLIT


def test_other_splits_of_a_run_do_not_count():
    more = {load: {**rates, "1:3": 3e4} for load, rates in AS_STATED.items()}
    facts = told(run_at(more, splits=(*PAPER.splits, "1:3")))
    assert {fact.holds for fact in facts.values()} == {ClaimOutcome.YES}


def test_lead_against_the_best_is_that_of_the_recommendation():
    results = run_at(AS_STATED)
    leads = LogRatios(results, IR, PAPER.splits)
    row = next(row for row in results.answer.regret if row.label == "10:1")
    lead = leads.lead("1:1", "10:1")
    assert (lead.back.low, lead.back.high) == (-lead.high, -lead.low)
    assert lead.low < lead.middle < lead.high
    low, high = row.loss_ci95_frac[IR]
    assert (1 - low, 1 - high) == pytest.approx((math.exp(-lead.low), math.exp(-lead.high)))
    pair = leads.lead("1:2", "2:5")
    assert pair.low < pair.middle < pair.high
    assert leads.lead("2:5", "1:2").low == pytest.approx(-pair.high)


def test_splits_that_are_alike_are_seldom_distinguished():
    """Where all splits are equal, an order holds, or is reversed, by chance alone: each in at most 5 % of runs."""
    level = {load: dict.fromkeys(rates, 5000.0) for load, rates in AS_STATED.items()}
    runs = times(60, 1000)
    found = [told(run_at(level, sd=0.05, blocks=3, seed=seed)) for seed in range(runs)]
    for name in ("ir-worst", "ir-balanced", "ir-first", "oltp-best", "oltp-third", "low-in-both", "apart"):
        for holds in (ClaimOutcome.YES, ClaimOutcome.NO):
            by_chance = sum(facts[name].holds is holds for facts in found)
            assert by_chance <= 0.05 * runs + 3 * (0.05 * 0.95 * runs) ** 0.5, (name, holds, by_chance)
