"""Laws of how a run ends: aborted, broken or refused, the host is put back or said not to be."""

import pytest

from scheduler.errors import DatabaseUnreachable, HostBusy, LoadDied, ParameterRefused, RestoreFailed, StoreError
from scheduler.loads.fake_loads import FakeMemberRun
from scheduler.model.documents import Notice, RunOutcome, RunState, StateChanged
from scheduler.model.host_properties import Severity
from tests.unit.run.conftest import FOUND, assert_as_found


def test_abort_ends_the_run_and_restores(bench):
    bench.clock.at(12.0, lambda: bench.control.abort("enough"))
    assert bench.run() is RunOutcome.ABORTED
    assert bench.last().reason == "enough"
    assert_as_found(bench)


def test_abort_while_paused_ends_the_run(bench):
    bench.clock.at(12.0, bench.control.pause)
    bench.clock.at(20.0, lambda: bench.control.abort("enough"))
    assert bench.run() is RunOutcome.ABORTED
    assert_as_found(bench)


def test_dead_users_fail_the_run_with_their_reason(bench):
    bench.loads.dies_after = 7
    assert bench.run() is RunOutcome.FAILED
    (notice,) = [notice for notice in bench.of(Notice) if notice.level is Severity.ERROR]
    assert "died" in notice.text
    assert_as_found(bench)


def test_users_who_fall_silent_fail_the_run(bench, monkeypatch):
    poll = FakeMemberRun.poll
    monkeypatch.setattr(FakeMemberRun, "poll", lambda run: poll(run) if bench.clock.now() < 1010 else [])
    assert bench.run() is RunOutcome.FAILED
    assert "not reported" in bench.last().reason
    assert_as_found(bench)


@pytest.mark.parametrize("writes", range(8))
def test_refused_write_at_any_moment_leaves_no_trace(bench, writes):
    bench.host.faults.fail_writes_after = writes
    assert bench.run() is RunOutcome.FAILED
    # The host refuses the restoring writes as well: the record must stay, and say so.
    assert bench.last().restored == (bench.found() == FOUND)
    if not bench.last().restored:
        assert bench.journal.path.exists()


def test_failed_restore_does_not_hide_what_went_wrong_first(bench, monkeypatch):
    poll = FakeMemberRun.poll

    def die_at_a_split(run):
        if bench.found() == FOUND:
            return poll(run)
        bench.host.faults.fail_writes_after = 0
        raise LoadDied("user 3 died")

    monkeypatch.setattr(FakeMemberRun, "poll", die_at_a_split)
    assert bench.run() is RunOutcome.FAILED
    assert "could not be restored" in bench.last().reason
    assert "user 3 died" in bench.last().reason


def test_host_that_a_sweep_elsewhere_holds_is_reported_to_be_busy_and_nothing_of_how_it_remains(bench):
    """The guard on the host says so, not the lock of this computer; what was written is ours to answer for."""

    def held():
        raise HostBusy("another sweep holds this host")

    bench.host.boot = held
    assert bench.run() is RunOutcome.FAILED
    assert (bench.last().busy, bench.last().restored) == (True, False)
    assert bench.found() == FOUND


def test_write_that_is_not_taken_is_noticed(bench):
    bench.host.faults.ignore_writes_after = 4
    assert bench.run() is RunOutcome.FAILED
    assert "reads back" in bench.last().reason


@pytest.mark.parametrize("calls", [1, 3, 10, 25, 60])
def test_host_out_of_reach_leaves_an_armed_record_or_nothing(bench, calls):
    bench.host.faults.unreachable_after = bench.host._calls + calls
    assert bench.run() is RunOutcome.FAILED
    changed = bench.found() != FOUND
    assert not changed or bench.journal.path.exists()
    assert not changed or not bench.last().restored


def test_results_that_cannot_be_kept_end_the_run_and_restore(bench):
    def keep(document):
        if len(bench.documents) > 40:
            raise StoreError("the disk is full")
        bench.documents.append(document)

    assert bench.run(emit=keep) is RunOutcome.FAILED
    assert "disk is full" in str(bench.engine.error)
    assert bench.found() == FOUND
    assert not bench.journal.path.exists()


@pytest.mark.parametrize("call", ["connect", "halt", "check", "poll", "prepare"])
def test_abort_ends_as_aborted_whatever_the_way_out_meets(bench, monkeypatch, call):
    plain = getattr(FakeMemberRun, call)

    def broken(*args):
        if bench.clock.now() < 1000.3 + 12.0:
            return plain(*args)
        bench.control.abort_soon("enough")  # as a signal does while a load is switched
        raise DatabaseUnreachable("no connection to osdb@10.0.0.5/osdb: no answer within 10 s")

    monkeypatch.setattr(FakeMemberRun, call, broken)
    assert bench.run() is RunOutcome.ABORTED
    assert bench.last().reason == "enough"
    assert bench.engine.error is None
    assert any("no answer within 10 s" in notice.text for notice in bench.of(Notice))
    assert_as_found(bench)


def test_what_breaks_before_an_abort_is_why_a_sweep_failed(bench, monkeypatch):
    def broken(run):
        raise LoadDied("the users died")

    monkeypatch.setattr(FakeMemberRun, "poll", broken)
    monkeypatch.setattr(bench.loads, "close", lambda: bench.control.abort_soon("too late"))
    assert bench.run() is RunOutcome.FAILED
    assert "the users died" in bench.last().reason


def test_aborted_sweep_whose_host_is_not_restored_reports_both(bench):
    def abort():
        bench.host.write = refused
        bench.control.abort("enough")

    def refused(domain, params):
        raise ParameterRefused("the host takes nothing any more")

    bench.clock.at(20.0, abort)
    assert bench.run() is RunOutcome.ABORTED
    assert "takes nothing any more" in bench.last().reason
    assert isinstance(bench.engine.error, RestoreFailed)
    assert not bench.last().restored
    assert bench.journal.path.exists()


def test_end_reports_first_that_it_waits_for_the_users_then_that_the_host_is_restored(bench, monkeypatch):
    said = []
    close = bench.loads.close
    monkeypatch.setattr(bench.loads, "close", lambda: (said.extend(bench.of(StateChanged)), close())[1])
    bench.clock.at(12.0, lambda: bench.control.abort("enough"))
    assert bench.run() is RunOutcome.ABORTED
    assert (said[-1].state, said[-1].text) == (RunState.RESTORING, "waiting for the users' statements to end")
    texts = [state.text for state in bench.of(StateChanged) if state.state is RunState.RESTORING]
    assert texts == ["waiting for the users' statements to end", "restoring the host"]
