"""A run that ended undecided is continued for the minutes that it names."""

import re

import pytest

from scheduler import places
from scheduler.commands.results_table import results_lines
from scheduler.model.decision import DecisionKind
from scheduler.model.documents import TrialDone, TrialStarted
from scheduler.stats.results import summarise_run
from scheduler.store.run_store import RunStore
from tests.data_maker import make_documents

SPLITS = 'splits = ["2:5", "1:2", "1:1"]'
WINDOWS = 'protocol = "adaptive"\nlimit_min = 15'
LOADS = '[[load]]\nkind = "osdb-ir"\n[[load]]\nkind = "osdb-oltp"'


@pytest.fixture
def undecided(call_once, plan):
    """Return what a race printed that had to end before anything was decided."""
    done = call_once("run", plan(host='host = "sim:"', splits=SPLITS, windows=WINDOWS, load=LOADS), "--quiet")
    assert "Keep the original settings for now" in done.out
    return done


def command_in(text):
    [command] = re.findall("^To continue for about .*: domtune (.*)$", text, re.MULTILINE)
    return command.split()


def trials_of(run_id, kind):
    with RunStore(places.store_path(), read_only=True) as store:
        return [each for each in store.documents(run_id, samples=False) if isinstance(each, kind)]


def newest():
    with RunStore(places.store_path(), read_only=True) as store:
        return store.newest()


def test_undecided_run_names_command_that_continues_it(undecided, call):
    before = newest()
    command = command_in(undecided.out)
    assert command[:3] == ["run", "--continue", before]
    again = call(*command, "--json", "--quiet")
    assert again.code == 0
    earlier, whole = trials_of(before, TrialDone), trials_of(newest(), TrialDone)
    measured = [(each.setting, each.load, each.block, each.mean_tps) for each in earlier]
    assert [(each.setting, each.load, each.block, each.mean_tps) for each in whole[: len(earlier)]] == measured
    assert len(trials_of(newest(), TrialStarted)) == len(whole) - len(earlier) > 0
    minutes, before_s = int(command[4].removesuffix("m")), sum(each.settled_s + each.seconds for each in earlier)
    assert again.json["measured_s"] < before_s + 1.3 * 60 * minutes


def test_continued_run_keeps_to_its_plan_and_last_names_a_run(undecided, call):
    again = call("run", "--continue", "last", "--for", "5m", "--json", "--quiet")
    assert again.code == 0
    refused = call("run", "--continue", "last", "--quiet")
    assert refused.code == 1
    assert "Add --for TIME" in refused.err


@pytest.mark.parametrize(
    ("words", "why"),
    [((), "PLAN: none given"), (("--for", "5m"), "no run to measure longer"), (("--continue", "last"), "no runs yet")],
)
def test_run_without_plan_or_run_is_refused(call, words, why):
    refused = call("run", *words)
    assert refused.code != 0
    assert why in refused.err


def test_decided_run_names_no_command():
    results = summarise_run(make_documents(samples=False))
    assert results.answer.decision.kind is DecisionKind.STAY
    assert "To continue" not in "\n".join(results_lines(results))
