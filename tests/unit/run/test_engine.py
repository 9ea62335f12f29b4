"""Laws of the engine: what comes out, and that the host is always put back."""

from itertools import pairwise

import pytest

from scheduler.errors import WriteNotVerified
from scheduler.loads.fake_loads import FakeMemberRun
from scheduler.model.documents import LoadChecked, LoadsReady, RunOutcome, SettlingCause, TrialDone, TrialStarted
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import IO
from scheduler.plans.study_plan import list_certain_trials
from tests.unit.run.conftest import FOUND, SPEC, Bench, assert_as_found


def test_sweep_measures_all_that_its_plan_asks_and_restores(bench):
    assert bench.run() is RunOutcome.COMPLETED
    planned = [(trial.setting, trial.load, trial.block) for trial in list_certain_trials(SPEC)]
    assert [(done.setting, done.load, done.block) for done in bench.of(TrialDone)] == planned
    assert bench.states() == ["preparing", "running", "restoring", "closed"]
    assert_as_found(bench)


def test_every_trial_measures_exactly_its_window(bench):
    bench.run()
    for done in bench.of(TrialDone):
        counted = [s for s in bench.samples()[0] if s.trial == done.trial and not s.settling][: int(done.seconds)]
        assert len(counted) == done.seconds == 3
        assert done.mean_tps == pytest.approx(sum(s.throughput_tps for s in counted) / 3)
        assert done.settled_s >= 1


def test_trial_whose_setting_did_not_last_ends_the_sweep_and_does_not_count(bench):
    def meddle():
        bench.host.write(IO, CgroupParams(weight=77))

    bench.clock.at(20.0, meddle)
    assert bench.run() is RunOutcome.FAILED
    assert isinstance(bench.engine.error, WriteNotVerified)
    assert "it reads weight 77, quota none now" in bench.last().reason
    (struck,) = {started.trial for started in bench.of(TrialStarted)} - {done.trial for done in bench.of(TrialDone)}
    assert [done.trial for done in bench.of(TrialDone)] == list(range(struck))
    assert_as_found(bench)


def test_each_trial_reports_what_the_host_had_during_it(bench):
    had = {}

    def emit(document):
        bench.documents.append(document)
        if isinstance(document, TrialStarted | TrialDone):
            had[id(document)] = bench.found()

    bench.run(emit=emit)
    reported = [*bench.of(TrialStarted), *bench.of(TrialDone)]
    assert len(reported) == 2 * len(list_certain_trials(SPEC))
    assert [document.params for document in reported] == [had[id(document)] for document in reported]
    assert len({repr(document.params) for document in reported}) == len(SPEC.settings) + 1  # and the original settings


def test_settling_seconds_are_marked_and_do_not_count(bench):
    bench.run()
    for done in bench.of(TrialDone):
        (started,) = [s for s in bench.of(TrialStarted) if s.trial == done.trial]
        settling = [s for s in bench.samples()[0] if s.trial == done.trial and s.settling]
        assert len(settling) >= started.settle_s


def test_starved_domain_shows_in_the_figures(bench):
    bench.run()
    by_split = {d.setting.label: d for d in bench.of(TrialDone) if d.setting and d.load == "osdb-oltp"}
    assert by_split["1:2"].mean_tps > 1.5 * by_split["2:1"].mean_tps
    assert by_split["1:2"].allotted_frac == pytest.approx({"io": 1 / 3, "guest": 2 / 3}, abs=1e-3)


def test_each_load_starts_fresh_without_limits_and_is_checked(bench, monkeypatch):
    planned = list_certain_trials(SPEC)
    limits_at_prepare = []
    prepare = FakeMemberRun.prepare
    monkeypatch.setattr(FakeMemberRun, "prepare", lambda run: (limits_at_prepare.append(bench.found()), prepare(run)))
    bench.run()
    runs = [trial.load for i, trial in enumerate(planned) if i == 0 or planned[i - 1].load != trial.load]
    assert bench.loads.prepared == runs
    assert all(state == FOUND for state in limits_at_prepare)
    assert [check.load for check in bench.of(LoadChecked)] == bench.loads.prepared


def test_failed_check_fails_the_run(bench):
    bench.loads.checks_pass = False
    assert bench.run() is RunOutcome.FAILED
    assert "osdb-ir" in bench.last().reason
    assert_as_found(bench)


def test_each_trial_reports_what_was_changed_before_it(bench):
    bench.clock.at(30.0, bench.control.pause)
    bench.clock.at(40.0, bench.control.resume)
    bench.run()
    done = bench.of(TrialDone)
    numbers = [started.trial for started in bench.of(TrialStarted)]
    (repeated,) = {number for number in numbers if numbers.count(number) == 2}
    for before, trial in pairwise(done):
        usual = SettlingCause.SPLIT if before.load == trial.load else SettlingCause.LOAD
        assert trial.change is (SettlingCause.NONE if trial.trial == repeated else usual)
    assert done[0].change is SettlingCause.NONE
    assert all(len(trial.rates_tps) >= trial.seconds for trial in done)


def test_pause_gives_the_host_back_and_repeats_the_trial(bench):
    seen = []
    bench.clock.at(12.0, bench.control.pause)
    bench.clock.at(20.0, lambda: seen.append((bench.found(), bench.journal.path.exists())))
    bench.clock.at(30.0, bench.control.resume)
    assert bench.run() is RunOutcome.COMPLETED
    assert seen == [(FOUND, False)]
    assert bench.states() == ["preparing", "running", "paused", "running", "restoring", "closed"]
    numbers = [started.trial for started in bench.of(TrialStarted)]
    (repeated,) = {number for number in numbers if numbers.count(number) == 2}
    assert len(bench.of(TrialDone)) == len(list_certain_trials(SPEC))
    assert [done.trial for done in bench.of(TrialDone)].count(repeated) == 1
    assert_as_found(bench)


def test_host_is_touched_only_while_running_or_restoring(bench):
    write, touched_in = bench.host.write, []
    bench.host.write = lambda domain, params: (touched_in.append(bench.states()[-1]), write(domain, params))
    bench.clock.at(12.0, bench.control.pause)
    bench.clock.at(30.0, bench.control.resume)
    bench.run()
    # A pause gives the host back before it is announced, hence in the state "running".
    assert set(touched_in) <= {"running", "restoring"}


def test_pause_before_the_first_trial_touches_nothing(bench):
    bench.control.pause()
    bench.clock.at(5.0, lambda: bench.control.abort("enough"))
    assert bench.run() is RunOutcome.ABORTED
    assert not bench.command_log
    assert bench.states() == ["preparing", "paused", "restoring", "closed"]


def test_known_trials_are_taken_over_instead_of_measured(bench):
    bench.run()
    first = bench.of(TrialDone)
    second = Bench(bench.folder.parent)
    second.run(known=tuple(first[:9]))
    assert len(second.of(TrialDone)) == len(first)
    assert len(second.of(TrialStarted)) == len(first) - 9
    assert [done.mean_tps for done in second.of(TrialDone)][:9] == [done.mean_tps for done in first[:9]]


def test_load_that_was_just_started_settles_longer_when_trials_were_taken_over(bench):
    bench.run()
    second = Bench(bench.folder.parent)
    second.run(known=tuple(bench.of(TrialDone)[:2]))
    assert second.of(TrialStarted)[0].settle_s == SPEC.protocol.load_settle_s
    assert second.of(TrialDone)[2].settled_s >= SPEC.protocol.load_settle_s
    assert second.of(TrialStarted)[1].settle_s == SPEC.protocol.settle_s


def test_loads_report_what_they_are_before_the_first_write(bench):
    bench.run()
    kinds = [type(document) for document in bench.documents]
    assert kinds.index(LoadsReady) < kinds.index(TrialStarted)


@pytest.fixture
def inside(bench, monkeypatch):
    """A host whose I/O domain carries out the commands itself; notes whether users worked meanwhile."""
    bench.hold, bench.worked = True, []

    def noting(plain):
        def noted(*args):
            bench.worked.append(bench.loads.works)
            return plain(*args)

        return noted

    monkeypatch.setattr(bench.host, "write", noting(bench.host.write))
    monkeypatch.setattr(bench.lease, "confirm", noting(bench.lease.confirm))
    return bench


def test_users_wait_while_a_host_is_commanded_that_they_would_starve(inside):
    assert inside.run() is RunOutcome.COMPLETED
    assert len(inside.worked) > 30
    assert not any(inside.worked)
    assert all(done.valid and done.mean_tps > 0 for done in inside.of(TrialDone))
    assert_as_found(inside)


def test_elsewhere_users_work_on(inside):
    inside.hold = False
    inside.run()
    assert any(inside.worked)


def test_users_who_wait_can_be_paused_and_go_on(inside):
    inside.clock.at(12.0, inside.control.pause)
    inside.clock.at(30.0, inside.control.resume)
    assert inside.run() is RunOutcome.COMPLETED
    assert "paused" in inside.states()
    planned = [(trial.setting, trial.load, trial.block) for trial in list_certain_trials(SPEC)]
    assert [(done.setting, done.load, done.block) for done in inside.of(TrialDone)] == planned
    assert_as_found(inside)
