"""A write of ours that broke off half-way is ours; anything else that we never set is somebody else's."""

from scheduler.model.lock_owner import LockOwner
from scheduler.model.scheduler_params import CgroupParams, RtdsParams, RtdsVcpu
from scheduler.model.split import GUEST, IO
from scheduler.run.foreign_values import is_foreign
from scheduler.run.journal import UndoJournal
from scheduler.run.lease import FOLLOW_SCOPE, HostLease
from tests.unit.run.conftest import FOUND

HALF, THIRD = CgroupParams(100, 50_000), CgroupParams(200, 33_000)
ONCE = {IO: CgroupParams(100, 30_000), GUEST: CgroupParams(100, 70_000)}
TWICE = {IO: CgroupParams(100, 60_000), GUEST: CgroupParams(100, 40_000)}


def test_what_was_found_or_set_is_ours_and_so_is_what_lies_between():
    assert not any(is_foreign(params, (HALF, THIRD)) for params in (HALF, THIRD))
    assert not is_foreign(CgroupParams(200, 50_000), (HALF, THIRD))
    assert is_foreign(CgroupParams(100, 49_000), (HALF, THIRD))
    assert is_foreign(CgroupParams(100, None), (HALF, THIRD))


def vcpus(*budgets):
    return RtdsParams(tuple(RtdsVcpu(10_000, budget, False) for budget in budgets))


def test_vcpus_which_are_set_one_after_the_other_are_looked_at_one_by_one():
    ours = (vcpus(2000, 2000), vcpus(5000, 5000))
    assert not is_foreign(vcpus(5000, 2000), ours)
    assert is_foreign(vcpus(5000, 3000), ours)
    assert is_foreign(vcpus(5000, 2000, 2000), ours)


def test_record_reports_whether_the_host_was_followed_or_swept(bench):
    """Before anything is set, too: the record comes first."""
    lease = HostLease(bench.host, bench.folder, bench.host_id, "fake:", lambda undo: bench.host, FOLLOW_SCOPE)
    with bench.lease:
        bench.lease.apply(ONCE)
        assert bench.journal.read().by is LockOwner.SWEEP
    with lease:
        lease._write_undo_record()
        assert bench.journal.read().by is LockOwner.FOLLOW
        lease.apply(ONCE)
        assert bench.journal.read().by is LockOwner.FOLLOW


def test_record_of_a_heeding_lease_holds_the_last_two_values_and_no_more(bench):
    lease = HostLease(bench.host, bench.folder, bench.host_id, "fake:", lambda undo: bench.host, FOLLOW_SCOPE)
    journal = UndoJournal(bench.folder, bench.host_id)
    with lease:
        for params in (ONCE, TWICE, ONCE, TWICE):
            lease.apply(params)
        undo = journal.read()
        assert undo.originals == FOUND
        assert {domain: set(those) for domain, those in undo.ours.items()} == {
            domain: {ONCE[domain], TWICE[domain]} for domain in (IO, GUEST)
        }
    assert bench.found() == FOUND
    assert journal.read() is None
