"""Trials without a whole round of unequal operations say so."""

import msgspec

from scheduler.model.documents import TrialDone
from scheduler.model.plan_file import parse_plan
from scheduler.model.setting import parse_split_setting
from scheduler.model.split import GUEST, GUEST_2
from scheduler.stats.results import list_abandoned_trials, list_short_trials, summarise_run
from tests.data_maker import make_documents, make_spec


def trials_of(load, *rates_tps):
    return [
        TrialDone(
            t_s=number,
            trial=number,
            setting=parse_split_setting("1:3"),
            load=load,
            block=0,
            seconds=20,
            settled_s=4,
            mean_tps=rate,
        )
        for number, rate in enumerate(rates_tps)
    ]


def test_trials_without_a_whole_round_of_each_user_are_reported_once():
    spec = make_spec(kinds=["osdb-ir", "tpch"])
    whole = 22 * spec.load_of("tpch").users / 20
    assert list(list_short_trials(trials_of("tpch", whole, 2 * whole), spec)) == []
    [reported] = list_short_trials(trials_of("tpch", whole / 4, whole / 2, whole), spec)
    assert reported.startswith("2 of 3 trials under TPC-H were too short for a whole round of 22 of each user")
    assert "at 1:3, had 0.25" in reported


def test_short_trials_of_two_guests_are_counted_with_the_users_of_each():
    plan = 'host = "local:"\nstudy = "isolation"\nsecond_users = 8\n[[load]]\nkind = "tpch"\nusers = 2\n'
    whole = 22 * 2 / 20
    trials = [
        msgspec.structs.replace(each, guest=guest) for guest in (GUEST, GUEST_2) for each in trials_of("tpch", whole)
    ]
    [reported] = list_short_trials(trials, parse_plan(plan))
    assert reported.startswith("1 of 1 trials under TPC-H of the second guest were too short")


def test_loads_of_equal_operations_have_no_rounds():
    assert list(list_short_trials(trials_of("osdb-ir", 0.1), make_spec(kinds=["osdb-ir"]))) == []


def test_results_warn_of_it():
    documents = [*make_documents(spec=make_spec(kinds=["tpch"]), samples=False)]
    stopped = documents.pop()
    documents += trials_of("tpch", 0.5)
    assert any("too short for a whole round" in notice for notice in summarise_run([*documents, stopped]).notices)


def test_trial_with_operations_over_their_limit_is_reported_by_its_split():
    [trial] = trials_of("tpch", 5.0)
    over = msgspec.structs.replace(trial, valid=False, errors=1, reason="1 operations failed: Q17 over 60 s")
    assert list(list_abandoned_trials([trial, over])) == [
        "A trial of 1:3 under TPC-H does not count: 1 operations failed: Q17 over 60 s."
    ]
    assert list(list_abandoned_trials([msgspec.structs.replace(over, load="osdb-ir")])) == []
