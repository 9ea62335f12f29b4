"""Laws of the odds and of what was saved: the integral is right, doubt counts, and sentences quote the figures."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler.model.number_texts import format_duration
from scheduler.model.results import SplitVerdict
from scheduler.stats.best_probability import TEMPER, BestOdds, estimate_odds, expected_lead
from scheduler.stats.leader_comparison import LeaderComparison
from scheduler.stats.paired_comparison import PairwiseComparison
from scheduler.stats.recommendation import recommend_split
from scheduler.stats.saved_time import describe_saved_time, paper_s, saved_frac
from scheduler.stats.verdict import SplitJudgement
from tests.data_maker import make_spec, make_trials
from tests.settings import split_at
from tests.unit.stats.surface_maker import trials_at

SPLITS = ("1:1", "1:2", "2:1")


def rival(ahead: float, scale: float = 0.02, dof: int = 6) -> PairwiseComparison:
    return PairwiseComparison(ahead=ahead, scale=scale, dof=dof, pairs=3, p_better=0.0, p_worse=0.0, tolerance=0.02)


def answered(second: float, *, sd: float = 0.02, seed: int = 3):
    surface = {"osdb-ir": {"1:1": 100.0, "1:2": second, "2:1": 50.0}}
    trials = trials_at(surface, np.random.default_rng(seed), blocks=6, sd=sd)
    return recommend_split(trials, make_spec(splits=SPLITS, kinds=("osdb-ir",), repeats=6))


@given(st.floats(-0.5, 0.5), st.floats(0.002, 0.3), st.integers(4, 200))
def test_expected_lead_is_the_integral(ahead, scale, dof):
    from scipy.integrate import quad  # they take their time: not for every worker that collects
    from scipy.stats import t as student

    law, level = student(dof), ahead / scale  # ahead is zero there; the peak is at zero
    parts = [(level, 0.0), (0.0, math.inf)] if level < 0 else [(level, math.inf)]
    # In units of the scale: what is as small as a scale of 0.002 quad takes for integrated too soon.
    whole = math.fsum(quad(lambda x: (x - level) * law.pdf(x), *part, limit=400, epsabs=1e-9)[0] for part in parts)
    assert expected_lead(rival(ahead, scale, dof)) == pytest.approx(scale * whole, rel=1e-5, abs=1e-8)


def test_rival_far_behind_costs_nothing_and_one_far_ahead_costs_its_lead():
    assert expected_lead(rival(5.0)) < 1e-9
    assert expected_lead(rival(-1.0)) == pytest.approx(1.0, rel=1e-3)


def test_closer_the_second_the_less_certain_the_best():
    found = [answered(second) for second in (60.0, 85.0, 92.0)]
    assert [answer.verdict for answer in found[:2]] == [SplitVerdict.RECOMMEND] * 2
    chances, losses = ([getattr(answer, name) for answer in found] for name in ("best_prob", "expected_loss_frac"))
    assert chances == sorted(chances, reverse=True)
    assert losses == sorted(losses)
    assert chances[0] > 0.99
    assert losses[0] < 0.001


@pytest.mark.parametrize("leads", [(0.05,), (0.03, 0.08), (0.01, 0.01, 0.02)])
def test_odds_are_tempered_sums_over_the_rivals(leads: tuple[float, ...]):
    rivals = {f"1:{number}": rival(lead) for number, lead in enumerate(leads, start=2)}
    against = LeaderComparison(leader="1:1", values={}, rivals=rivals, sd=0.02, passes=3)
    judgement = SplitJudgement(
        verdict=SplitVerdict.RECOMMEND, named="1:1", setting=split_at("1:1"), members=("1:1",), against=against
    )
    odds = estimate_odds(judgement)
    assert odds.best_prob == pytest.approx(max(0.0, 1 - TEMPER * sum(one.p_ahead for one in rivals.values())))
    assert math.log1p(-odds.expected_loss_frac) == pytest.approx(-TEMPER * sum(map(expected_lead, rivals.values())))
    assert TEMPER == 2


def test_odds_are_reported_in_their_figures():
    assert answered(90.0).best_prob < answered(40.0).best_prob <= 1
    assert BestOdds(0.97, 0.0021).sentence("1:1").startswith("1:1 is the very best with a probability of 97 %; ")
    assert "loses 0.2 % on average" in BestOdds(0.97, 0.0021).sentence("1:1")
    assert "less than 0.1 %" in BestOdds(0.97, 0.0004).sentence("1:1")
    assert "above 99 %" in BestOdds(0.9999, 0.0).sentence("1:1")
    assert BestOdds(0.2, 0.011).sentence("1:1").startswith("Which split is the very best is open; against it 1:1 ")


def test_where_splits_are_proven_equal_no_best_is_reported():
    flat = {"osdb-ir": {"1:1": 100.0, "1:2": 100.0}}
    trials = trials_at(flat, np.random.default_rng(2), blocks=12, sd=0.005)
    answer = recommend_split(trials, make_spec(splits=("1:1", "1:2"), kinds=("osdb-ir",)))
    assert answer.verdict is SplitVerdict.EQUIVALENT
    assert answer.proven
    assert answer.best_prob is answer.expected_loss_frac is None
    assert not any("very best" in line for line in answer.sentences)


def test_without_a_recommendation_there_are_no_odds_and_nothing_was_saved():
    answer = recommend_split(make_trials(noise=0.6), make_spec())
    assert answer.verdict is SplitVerdict.NONE
    assert (answer.best_prob, answer.expected_loss_frac, answer.saved_frac) == (None, None, None)
    assert not any("saved" in line or "very best" in line for line in answer.sentences)


def test_what_was_saved_is_reported_in_the_minutes_of_the_trials():
    spec, trials = make_spec(), make_trials()
    answer = recommend_split(trials, spec)
    spent_s = sum(trial.settled_s + trial.seconds for trial in trials)
    [line] = [line for line in answer.sentences if line.startswith("This took")]
    paper = len(spec.settings) * len(spec.loads) * 50 * 60
    assert f"took {format_duration(spent_s)} of settling" in line
    assert f"instead of {format_duration(paper)} as" in line
    assert paper == paper_s(spec)
    assert answer.saved_frac == pytest.approx(1 - spent_s / paper_s(spec))
    assert "saved" not in line  # "100 % saved" is no news


def test_sweep_as_long_as_the_papers_is_reported_to_save_nothing():
    spec = make_spec(splits=SPLITS, kinds=("osdb-ir",))
    assert saved_frac(spec, 0.88 * paper_s(spec)) == pytest.approx(0.12)
    assert describe_saved_time(spec, 0.88 * paper_s(spec)).startswith("This took 2 h 12 min")
    assert describe_saved_time(spec, 0.95 * paper_s(spec)) == describe_saved_time(spec, 1.1 * paper_s(spec)) == ""
