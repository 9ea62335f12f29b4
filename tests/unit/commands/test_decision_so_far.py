"""A whole sweep states its decision while it goes on: stored, sent to a window, printed on a terminal."""

import pytest

from scheduler import places
from scheduler.model.documents import DecisionSoFar, TrialDone
from scheduler.stats.replay import replay_run
from scheduler.store.run_store import RunStore

LOADS = '[[load]]\nkind = "osdb-ir"\n[[load]]\nkind = "osdb-oltp"'


def stored_documents():
    with RunStore(places.store_path(), read_only=True) as store:
        return list(store.documents(store.newest(), samples=False))


@pytest.fixture
def swept(call_once, plan):
    """Return what a sweep of nine splits by the standard protocol printed, of which 15 minutes are simulated."""
    windows = 'protocol = "adaptive"\nlimit_min = 15'
    return call_once("run", plan(host='host = "sim:"', splits="", windows=windows, load=LOADS))


def test_sweep_states_first_comparison_within_three_minutes(swept):
    compared = [each for each in stored_documents() if isinstance(each, DecisionSoFar) and " ahead of " in each.text]
    assert compared[0].t_s <= 180
    assert not compared[0].decision.ordered


def test_sweep_states_decision_after_each_trial_of_first_block_then_after_blocks(swept):
    documents = stored_documents()
    stated = [each for each in documents if isinstance(each, DecisionSoFar)]
    first_block = [each for each in stated if not each.blocks]
    blocks = [each.block for each in documents if isinstance(each, TrialDone)]
    assert len(first_block) == blocks.count(0) >= 20  # before the first trial and after all but the last
    later = [each.blocks for each in stated[len(first_block) :]]
    assert later == sorted(set(later))
    assert len(later) <= max(blocks) + 1
    assert [each.ended for each in stated] == [False] * (len(stated) - 1) + [True]


def test_sweep_ends_with_the_headline_of_its_result(swept):
    last = [each for each in stored_documents() if isinstance(each, DecisionSoFar)][-1]
    assert last.text in swept.out


def test_terminal_shows_a_line_after_each_block_and_each_minute_of_the_first(swept):
    words = " ".join(swept.err.split())
    stated = [each for each in stored_documents() if isinstance(each, DecisionSoFar) and not each.ended]
    shown = [each for each in stated if each.text in words]
    assert {each.blocks for each in stated} == {each.blocks for each in shown}
    assert 2 <= len([each for each in shown if not each.blocks]) <= 10
    assert len({each.text for each in shown}) <= words.count("So far: ") <= len(shown)  # a trial again changes no word


def test_grid_sweep_counts_complete_blocks(call, plan, home):
    path = plan(host='host = "sim:"', windows='protocol = "grid"\nrepeats = 2')
    assert call("run", path, "--quiet").code == 0
    blocks = [each.blocks for each in stored_documents() if isinstance(each, DecisionSoFar)]
    assert blocks == [0, 0, 0, 1, 2]


def test_replay_gives_each_decision_that_the_sweep_stated(swept):
    documents = stored_documents()
    stated = [each for each in documents if isinstance(each, DecisionSoFar)]
    for each in (stated[1], stated[2], stated[len(stated) // 2], stated[-2]):
        answer = replay_run(documents, each.t_s).results.answer
        assert (answer.headline, answer.decision) == (each.text, each.decision)


def test_runs_at_a_time_shows_the_decision_stated_then(swept, call):
    stated = [each for each in stored_documents() if isinstance(each, DecisionSoFar)]
    then = next(each for each in stated if each.t_s >= 300)
    shown = call("runs", "last", "--at", f"{then.t_s:.3f}s").out
    assert "This is not the final answer." in shown
    assert " ".join(then.text.split()) in " ".join(shown.split())
    assert stated[-1].text not in shown


def test_runs_at_a_time_after_the_end_shows_the_final_answer(swept, call):
    after, now = call("runs", "last", "--at", "1d").out, call("runs", "last").out
    assert after.endswith(now)
    assert after.startswith("At minute ")
    assert call("runs", "last", "--at", "1d", "--json").json["results"] == call("runs", "last", "--json").json


def test_runs_refuses_a_time_without_a_run_and_a_wrong_time(swept, call):
    assert "Name the run" in call("runs", "--at", "3m").err
    assert "'soon' is not a time" in call("runs", "last", "--at", "soon").err
