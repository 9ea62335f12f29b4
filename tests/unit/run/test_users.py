"""The number of users as what a study varies."""

from scheduler.model.documents import LoadChecked, RunOutcome, SettlingCause, TrialDone
from scheduler.model.plan_file import parse_plan
from tests.unit.run.conftest import assert_as_found

PLAN = """host = "fake:"
study = "capacity"
protocol = "grid"
repeats = 1
measure_s = 2
settle_s = 1
load_settle_s = 3
{more}
[[load]]
kind = "osdb-ir"
users = 4
"""


def test_each_number_is_started_again_and_checked_and_the_host_restored(bench):
    bench.spec = parse_plan(PLAN.format(more='splits = ["1:2", "1:1"]'))
    assert bench.run() is RunOutcome.COMPLETED
    trials = bench.of(TrialDone)
    assert len(trials) == 6
    assert sorted(how.users for how in bench.loads.started) == [1, 2, 4]
    assert len(bench.of(LoadChecked)) == 3
    assert [done.change for done in trials] == [
        SettlingCause.NONE,
        SettlingCause.SPLIT,
        SettlingCause.USERS,
        SettlingCause.SPLIT,
        SettlingCause.USERS,
        SettlingCause.SPLIT,
    ]
    assert max(done.settled_s for done in trials[1:]) < 2.0  # tables and connections are as they were
    assert trials[0].settled_s >= 3.0
    assert_as_found(bench)


def test_without_splits_the_host_is_measured_original(bench):
    bench.spec = parse_plan(PLAN.format(more=""))
    before = bench.found()
    assert bench.run() is RunOutcome.COMPLETED
    assert bench.found() == before
    assert all(not done.allotted_frac for done in bench.of(TrialDone))
    assert_as_found(bench)


def test_continued_study_measures_only_what_is_missing(bench):
    bench.spec = parse_plan(PLAN.format(more='splits = ["1:2"]'))
    bench.run()
    known = bench.of(TrialDone)[:2]
    bench.documents.clear()
    bench.loads.started.clear()
    assert bench.run(tuple(known)) is RunOutcome.COMPLETED
    assert len(bench.loads.started) == 1
    assert len(bench.of(TrialDone)) == 3
