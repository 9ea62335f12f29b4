"""Laws of lease and engine with a second guest: the same promise as for the other domains."""

import msgspec
import pytest

from scheduler.model.documents import LoadChecked, RunOutcome, TrialDone
from scheduler.model.guests import LoadedGuests
from scheduler.model.plan_file import parse_plan
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, GUEST_2, IO, ROLES
from scheduler.plans.study_plan import choose_plan
from scheduler.run.engine import SweepEngine
from scheduler.run.engine_parts import EngineParts
from scheduler.run.factor import create_factor, lease_scope
from scheduler.run.journal import UndoRecord
from scheduler.run.lease import GUESTS_SCOPE, HostLease
from scheduler.run.monitor import HostMonitor
from scheduler.shares.model_lookup import find_share_model
from tests.unit.run.conftest import FOUND

FOUND_THREE = {**FOUND, GUEST_2: CgroupParams(weight=100)}
PLAN = 'host = "fake:"\nstudy = "isolation"\nsplits = ["2:1:1"]\nrepeats = 2\nmeasure_s = 3\nload_settle_s = 2\n'


@pytest.fixture
def shared(bench):
    bench.spec = parse_plan(PLAN)
    bench.host.faults.guests = 2
    bench.host.add_guest()
    assert lease_scope(bench.spec) == GUESTS_SCOPE
    bench.lease = HostLease(bench.host, bench.folder, bench.host_id, "fake:", bench.reopen, GUESTS_SCOPE)
    return bench


def run(bench) -> RunOutcome:
    parts = EngineParts(
        host=bench.host,
        lease=bench.lease,
        open_loads=lambda: bench.loads,
        factor=create_factor(bench.spec, bench.lease, find_share_model("cgroup-v2")),
        monitor=HostMonitor(bench.host, 1),
        control=bench.control,
        emit=bench.documents.append,
        began_s=bench.clock.now(),
    )
    return SweepEngine(parts).run(choose_plan(bench.spec))


def now(bench) -> dict:
    host = bench.reopen(undo_of(bench))
    return {domain: host.read(domain) for domain in ROLES}


def undo_of(bench) -> UndoRecord:
    context = bench.host.context()
    return UndoRecord(
        host_url="fake:", host_id=bench.host_id, context=context, originals=FOUND_THREE, armed_unix_s=1.0, pid=1
    )


def test_whole_study_sets_three_domains_reports_both_guests_and_leaves_nothing(shared):
    assert run(shared) is RunOutcome.COMPLETED
    trials = shared.of(TrialDone)
    assert len(trials) == 2 * 2 * 4
    by_number = {done.trial: [each for each in trials if each.trial == done.trial] for done in trials}
    assert len(by_number) == 2 * 2 * 3
    for results in by_number.values():
        assert tuple(done.guest for done in results) == results[0].setting.loaded.guests
    for trial in trials:
        assert trial.valid, trial.reason
        assert set(trial.params) == set(trial.used_frac) == set(ROLES)
        assert trial.allotted_frac == pytest.approx({IO: 0.5, GUEST: 0.25, GUEST_2: 0.25})
        capped = trial.setting.mode == "caps"
        assert all((params.quota_us is not None) == capped for params in trial.params.values())
        assert trial.mean_tps > 0
    assert now(shared) == FOUND_THREE
    assert not shared.journal.path.exists()
    assert shared.last().restored


def test_record_with_the_second_guest_is_on_disk_before_the_first_write(shared):
    write, seen = shared.host.write, []
    shared.host.write = lambda domain, params: (seen.append((domain, shared.journal.read())), write(domain, params))
    assert run(shared) is RunOutcome.COMPLETED
    assert [domain for domain, _ in seen[:3]] == [GUEST_2, IO, GUEST]
    assert all(undo.originals == FOUND_THREE for _, undo in seen)
    assert tuple(seen[0][1].originals) == ROLES


def test_killed_study_is_restored_by_who_comes_next(shared):
    shared.lease.restore_host = lambda: None  # a killed process does not
    with shared.lease:
        create_factor(shared.spec, shared.lease, find_share_model("cgroup-v2")).set(shared.spec.settings[0])
    assert now(shared) != FOUND_THREE
    with HostLease(shared.host, shared.folder, shared.host_id, "fake:", shared.reopen, GUESTS_SCOPE):
        assert now(shared) == FOUND_THREE
    assert not shared.journal.path.exists()


def test_guest_whose_users_die_costs_its_trial_and_not_the_study(shared):
    shared.loads.dying.append(("osdb-ir", GUEST_2))
    assert run(shared) is RunOutcome.COMPLETED
    void = [trial for trial in shared.of(TrialDone) if not trial.valid]
    assert len({trial.trial for trial in void}) == 1
    assert all("IR of the second guest: a made-up user" in trial.reason for trial in void)
    assert [trial.guest for trial in void] == list(void[0].setting.loaded.guests)
    assert void[0].setting.loaded is not LoadedGuests.FIRST
    assert now(shared) == FOUND_THREE


def test_guest_whose_users_die_in_each_trial_ends_the_study(shared):
    shared.loads.dying += [("osdb-ir", GUEST_2)] * 3
    alone = [setting for setting in shared.spec.settings if setting.loaded is LoadedGuests.SECOND]
    shared.spec = msgspec.structs.replace(shared.spec, settings=tuple(alone))
    assert run(shared) is RunOutcome.FAILED
    assert "IR of the second guest" in shared.last().reason
    assert "3 times in a row" in shared.last().reason
    assert now(shared) == FOUND_THREE


def test_each_guests_check_is_reported_and_a_failed_one_named(shared):
    shared.loads.checks_pass = False
    assert run(shared) is RunOutcome.FAILED
    guests = [check.guest for check in shared.of(LoadChecked)]
    assert tuple(guests) in {loaded.guests for loaded in LoadedGuests}
    assert f"osdb-ir of {guests[0]}: fake load, no check" in shared.last().reason
