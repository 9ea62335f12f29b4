"""Laws of what stood in the way: when it is said, and when it forbids a recommendation."""

import msgspec
import numpy as np
import pytest

from scheduler.model.number_texts import format_duration
from scheduler.model.results import SplitVerdict
from scheduler.stats.points import build_points
from scheduler.stats.recommendation import recommend_split
from scheduler.stats.trial_quality import assess_trials
from tests.data_maker import make_spec
from tests.unit.stats.surface_maker import surface_of, trials_at


@pytest.fixture
def trials():
    return trials_at(surface_of("paper_wide_gap"), np.random.default_rng(1), blocks=5, baseline_tps=None)


def hit(trials, every, frac=0.2):
    return [msgspec.structs.replace(v, stalled_frac=0 if v.trial % every else frac) for v in trials]


def test_nothing_is_reported_of_a_sweep_that_nothing_disturbed(trials):
    found = assess_trials(trials)
    assert (found.sentence, found.obstacle, found.lost_s) == ("", "", 0)
    assert (assess_trials(()).sentence, assess_trials(()).obstacle) == ("", "")


def test_few_stalls_are_counted_and_no_more(trials):
    stalled = hit(trials, 10)
    answer = recommend_split(stalled, make_spec())
    assert answer.verdict is SplitVerdict.RECOMMEND
    assert not any("Stalls (" in reason for reason in answer.sentences)
    assert sum(point.stalled_s for point in build_points(stalled)) == pytest.approx(2 * len(trials) / 10)


def test_notable_stalls_are_reported_with_their_seconds(trials):
    answer = recommend_split(hit(trials, 5, 0.4), make_spec())
    assert answer.verdict is SplitVerdict.RECOMMEND
    (line,) = [reason for reason in answer.sentences if "Stalls (" in reason]
    assert f"{format_duration(len(trials) / 5 * 4)} of {format_duration(len(trials) * 10)} of trials, 8 %" in line


def test_nothing_is_recommended_where_stalls_hit_more_than_a_quarter_of_the_trials(trials):
    answer = recommend_split(hit(trials, 3), make_spec())
    assert answer.verdict is SplitVerdict.NONE
    assert answer.label == "1:2"
    assert f"stalls hit {len(trials) // 3} of {len(trials)} trials" in answer.sentences[0]
    assert "Check for other programs on that host" in answer.sentences[0]
