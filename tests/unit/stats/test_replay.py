"""Replay of a run: the same answer as at the end, and as of a run that was stopped at that time."""

import msgspec
import pytest

from scheduler.errors import StoreError
from scheduler.model.documents import RunOutcome, TrialDone
from scheduler.stats.replay import describe_moment, list_moments_s, replay_run
from scheduler.stats.results import summarise_run
from tests.data_maker import make_documents, make_spec


def test_replay_at_the_end_gives_the_final_results():
    documents = make_documents(samples=False)
    last_s = list_moments_s(documents)[-1]
    for t_s in (last_s, last_s + 1000):
        moment = replay_run(documents, t_s)
        assert moment.final
        assert moment.results == summarise_run(documents)


def test_replay_at_a_time_answers_like_a_run_that_was_stopped_then():
    documents = make_documents(samples=False)
    for trials in (5, 31):
        stopped = make_documents(samples=False, trials=trials, outcome=RunOutcome.ABORTED)
        ended_s = [each.t_s for each in stopped if isinstance(each, TrialDone)][-1]
        moment, then = replay_run(documents, ended_s), summarise_run(stopped)
        assert (moment.trial, moment.final) == (trials, False)
        assert moment.results.points == then.points
        assert moment.results.measured_s == then.measured_s
        headline = moment.results.answer.headline
        assert headline.startswith("So far: ")
        assert moment.results.answer == msgspec.structs.replace(then.answer, headline=headline)


def test_replay_counts_more_trials_at_each_moment():
    documents = make_documents(samples=False, spec=make_spec(splits=("1:2", "1:1"), repeats=3))
    moments = [replay_run(documents, t_s) for t_s in list_moments_s(documents)]
    assert [each.trial for each in moments] == list(range(moments[-1].trials + 1))
    assert [sum(point.trials for point in each.results.points) for each in moments] == sorted(
        sum(point.trials for point in each.results.points) for each in moments
    )
    assert [each.final for each in moments] == [False] * (len(moments) - 1) + [True]


def test_replay_before_the_first_trial_has_no_answer_and_says_so():
    moment = replay_run(make_documents(samples=False), 0.0)
    assert moment.results.answer.headline == "So far: no measurements yet."
    assert moment.results.restored
    assert describe_moment(moment).startswith("As it was at minute 0 of ")


def test_replay_without_the_first_document_is_an_error():
    with pytest.raises(StoreError, match="first document"):
        replay_run(make_documents(samples=False)[1:], 5.0)
