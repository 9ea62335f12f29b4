"""Laws of lease and journal: undo record before the first write, gone after the last read-back."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest

from scheduler.errors import HostBusy, HostUnreachable, JournalCorrupt, JournalError, RestoreFailed, WriteNotVerified
from scheduler.model.lock_owner import LockOwner
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO
from scheduler.run.journal import HostLock, UndoJournal, UndoRecord, list_pending_records
from scheduler.run.lease import HostLease
from tests.unit.run.conftest import FOUND

OTHER = {IO: CgroupParams(weight=50), GUEST: CgroupParams(weight=200, quota_us=5000, period_us=20000)}


def undo_of(bench) -> UndoRecord:
    return UndoRecord(
        host_url="fake:",
        host_id=bench.host_id,
        context=bench.host.context(),
        originals=FOUND,
        armed_unix_s=1.0,
        pid=1,
    )


def test_record_is_on_disk_before_the_first_write(bench):
    write, seen = bench.host.write, []
    bench.host.write = lambda domain, params: (seen.append(bench.journal.read()), write(domain, params))
    with bench.lease:
        bench.lease.apply(OTHER)
        assert seen[0] is not None
        assert seen[0].originals == FOUND
        assert bench.found() == OTHER
    assert bench.found() == FOUND
    assert not bench.journal.path.exists()


def test_nothing_is_written_when_the_record_cannot_be(bench):
    bench.folder.parent.mkdir(exist_ok=True)
    with bench.lease:
        bench.journal.path.with_suffix(".tmp").mkdir()  # a folder in the way of the record
        with pytest.raises(JournalError, match="nothing was changed"):
            bench.lease.apply(OTHER)
        assert not bench.command_log
    assert bench.found() == FOUND


def test_what_is_applied_is_confirmed_until_it_is_restored(bench):
    with bench.lease:
        bench.lease.apply(OTHER)
        bench.lease.confirm()
        bench.host.write(GUEST, OTHER[IO])
        with pytest.raises(WriteNotVerified, match="did not last"):
            bench.lease.confirm()
        bench.lease.restore_host()
        bench.lease.confirm()  # nothing of ours is in force
    assert bench.found() == FOUND


def test_lease_without_a_write_leaves_no_record(bench):
    with bench.lease:
        pass
    assert not list(list_pending_records(bench.folder))
    assert not bench.command_log


def test_write_that_reads_back_differently_is_an_error(bench):
    bench.host.faults.ignore_writes_after = 0
    with bench.lease, pytest.raises(WriteNotVerified, match="reads back"):
        bench.lease.apply(OTHER)


def test_one_domain_that_fails_does_not_keep_the_other_from_its_original(bench):
    write = bench.host.write

    def refuse_to_put_io_back(domain, params):
        write(domain, CgroupParams(weight=0) if (domain, params) == (IO, FOUND[IO]) else params)

    bench.host.write = refuse_to_put_io_back
    with pytest.raises(RestoreFailed) as failure, bench.lease:
        bench.lease.apply(OTHER)
    assert set(failure.value.pending) == {IO}
    assert bench.found()[GUEST] == FOUND[GUEST]
    assert bench.journal.read() is not None


def test_run_begins_by_restoring_what_an_earlier_one_left(bench, caplog):
    bench.journal.arm(undo_of(bench))
    for domain, params in OTHER.items():
        bench.host.write(domain, params)
    with bench.lease:
        assert bench.found() == FOUND
        assert not bench.journal.path.exists()
    assert "left changed by an earlier run" in caplog.text


def test_host_that_cannot_be_recovered_counts_as_changed(bench, caplog):
    bench.journal.arm(undo_of(bench))

    def out_of_reach(undo):
        raise HostUnreachable(f"{undo.host_url} does not answer, as asked for")

    lease = HostLease(bench.host, bench.folder, bench.host_id, "fake:", out_of_reach)
    with pytest.raises(HostUnreachable), lease:
        pass
    assert lease.pending
    with bench.lease:
        assert not bench.lease.pending
    assert "left changed by an earlier run" in caplog.text


def test_recovery_that_does_not_read_back_keeps_the_record(bench, caplog):
    bench.journal.arm(undo_of(bench))
    bench.host.write(IO, OTHER[IO])

    def deaf(undo):
        host = bench.reopen(undo)
        host.faults.ignore_writes_after = 0
        return host

    with pytest.raises(RestoreFailed), HostLease(bench.host, bench.folder, bench.host_id, "fake:", deaf):
        pass
    assert bench.journal.read() == undo_of(bench)
    with bench.lease:
        assert bench.found() == FOUND
    assert not bench.journal.path.exists()
    assert "left changed by an earlier run" in caplog.text


def test_domain_that_did_not_exist_is_gone_afterwards(bench):
    bench.host.write(GUEST, None)
    with bench.lease:
        bench.lease.apply(OTHER)
        assert bench.found() == OTHER
    assert bench.found() == {**FOUND, GUEST: None}


def test_damaged_record_never_counts_as_restored(bench):
    bench.journal.path.parent.mkdir(parents=True)
    bench.journal.path.write_bytes(b"{")
    with pytest.raises(JournalCorrupt), bench.lease:
        pass
    assert bench.lease.pending


def test_records_that_come_and_go_do_not_disturb_a_look(tmp_path):
    done = threading.Event()

    def come_and_go():
        while not done.is_set():
            for i in range(20):
                (tmp_path / f"{i}.json").touch()
            for i in range(20):
                (tmp_path / f"{i}.json").unlink()

    worker = threading.Thread(target=come_and_go)
    worker.start()
    try:
        looks = [len(list(list_pending_records(tmp_path))) for _ in range(2000)]
    finally:
        done.set()
        worker.join()
    assert max(looks) > 0


def test_second_run_on_the_same_host_is_refused(bench):
    second = HostLease(bench.host, bench.folder, bench.host_id, "fake:", bench.reopen)
    with bench.lease, pytest.raises(HostBusy, match=str(os.getpid())), second:
        pass


def test_dead_holder_does_not_block_its_host(bench):
    program = "import sys; from pathlib import Path; from scheduler.run.journal import HostLock;"
    program += "HostLock(Path(sys.argv[1]), sys.argv[2]).__enter__(); print('held', flush=True); sys.stdin.read()"
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(bench.folder), bench.host_id],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert child.stdout.readline() == b"held\n"
    with pytest.raises(HostBusy), HostLock(bench.folder, bench.host_id):
        pass
    child.kill()
    child.communicate()
    with HostLock(bench.folder, bench.host_id):
        pass


HELD = [
    (LockOwner.SWEEP, "another sweep holds this host"),
    (LockOwner.FOLLOW, "this host is being followed"),
    (LockOwner.RESTORE, "this host is being restored"),
    (LockOwner.UNKNOWN, "another DomTune process uses this host"),
]


@pytest.mark.parametrize(("holder", "words"), HELD)
def test_who_meets_a_lock_hears_what_the_host_is_held_for(bench, holder, words):
    words = f"{words} \\(process {os.getpid()}\\)"
    with HostLock(bench.folder, bench.host_id, holder), pytest.raises(HostBusy, match=words) as met:
        HostLock(bench.folder, bench.host_id).__enter__()
    assert met.value.holder == holder


@pytest.mark.parametrize("noted", ["4711", "4711 mend", "4711 sweep of a later version"])
def test_lock_of_another_version_still_reports_its_process(bench, noted):
    with HostLock(bench.folder, bench.host_id, LockOwner.SWEEP):
        next(bench.folder.glob("*.lock")).write_text(noted)
        with pytest.raises(HostBusy, match=r"another DomTune process uses this host \(process 4711\)"):
            HostLock(bench.folder, bench.host_id).__enter__()


@pytest.mark.parametrize("body", [b"", b"{", b'{"host_url": 1}', b"\xff\xfe", b'{"format":"domtune-undo/1"}'])
def test_damaged_record_is_named_and_stays_due_however_often_it_is_read(bench, body):
    bench.journal.path.parent.mkdir(parents=True)
    bench.journal.path.write_bytes(body)
    for _ in range(3):
        with pytest.raises(JournalCorrupt) as failure:
            bench.journal.read()
        assert failure.value.path == bench.journal.path
    assert bench.journal.path.read_bytes() == body
    assert list_pending_records(bench.folder) == [bench.journal.path]


def test_records_of_all_hosts_stay_apart(tmp_path: Path, bench):
    first, second = UndoJournal(tmp_path / "j", "a/b"), UndoJournal(tmp_path / "j", "../c")
    first.arm(undo_of(bench))
    second.arm(undo_of(bench))
    assert {path.parent for path in list_pending_records(tmp_path / "j")} == {tmp_path / "j"}
    first.disarm()
    assert list(list_pending_records(tmp_path / "j")) == [second.path]
    assert msgspec.structs.replace(second.read(), pid=1) == undo_of(bench)


def test_record_of_a_newer_version_is_kept_where_it_is(bench):
    newer = msgspec.json.encode({"format": "domtune-undo/4", "hosts": []})
    bench.folder.mkdir(parents=True)
    bench.journal.path.write_bytes(newer)
    with pytest.raises(JournalError, match="newer DomTune"):
        bench.journal.read()
    assert bench.journal.path.read_bytes() == newer


def test_look_at_the_lock_does_not_cost_a_sweep_its_host(bench, monkeypatch):
    look, waits_s = HostLock(bench.folder, bench.host_id), []
    look.__enter__()

    def look_ends(wait_s):
        waits_s.append(wait_s)
        look.__exit__()

    monkeypatch.setattr(time, "sleep", look_ends)
    with bench.lease:
        bench.lease.apply(OTHER)
    assert len(waits_s) == 1
    assert waits_s[0] < 0.1


def test_parameters_that_change_while_processes_are_taken_out_are_noticed(bench):
    write = bench.host.write
    bench.host.release_domain = lambda domain: write(domain, OTHER[domain])
    with pytest.raises(RestoreFailed, match="reads back"), bench.lease:
        bench.lease.apply(OTHER)
    assert bench.journal.path.exists()
