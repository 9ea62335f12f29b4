"""Laws of the lease where the guest's vCPUs are changed: the same promise as for the schedulers' parameters."""

import os
import signal
import subprocess
import sys

import pytest

from scheduler.errors import JournalError, ParameterRefused, RestoreFailed, WriteNotVerified
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.setting import VcpusSetting
from scheduler.model.split import GUEST, IO
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.run.factor import VcpusFactor
from scheduler.run.journal import UndoRecord
from scheduler.run.lease import VCPUS_SCOPE, HostLease
from scheduler.run.undo_record import seal_record
from tests.unit.run.conftest import FOUND

ONE, FOUR = VcpuParams(1), VcpuParams(4)
FOUND_SIZED = {**FOUND, GUEST_VCPUS: ONE}


@pytest.fixture
def sized(bench):
    bench.host.faults.vcpus = 4
    bench.lease = HostLease(bench.host, bench.folder, bench.host_id, "fake:", bench.reopen, VCPUS_SCOPE)
    return bench


def now(bench) -> dict:
    host = bench.reopen(undo_of(bench))
    return {slot: host.read(slot) for slot in VCPUS_SCOPE.slots}


def undo_of(bench, originals=FOUND_SIZED) -> UndoRecord:
    context = bench.host.context()
    return UndoRecord(
        host_url="fake:", host_id=bench.host_id, context=context, originals=originals, armed_unix_s=1.0, pid=1
    )


def test_record_with_the_vcpus_is_on_disk_before_the_first_write_and_gone_after_the_last_read_back(sized):
    write, seen = sized.host.write, []
    sized.host.write = lambda slot, params: (seen.append((slot, params, sized.journal.read())), write(slot, params))
    with sized.lease:
        VcpusFactor(sized.lease).set(VcpusSetting(4))
        assert [slot for slot, _, _ in seen] == [GUEST_VCPUS, IO, GUEST]
        assert all(undo.originals == FOUND_SIZED for _, _, undo in seen)
        assert now(sized)[GUEST_VCPUS] == FOUR
        seen.clear()
    assert [(slot, params) for slot, params, _ in seen] == [(GUEST_VCPUS, ONE)]
    assert now(sized) == FOUND_SIZED
    assert not sized.journal.path.exists()


def test_vcpus_are_restored_after_the_domains_that_were_written_after_them(sized):
    order: list[str] = []
    with sized.lease:
        sized.lease.apply({GUEST_VCPUS: FOUR, GUEST: CgroupParams(weight=7), IO: CgroupParams(weight=8)})
        write = sized.host.write
        sized.host.write = lambda slot, params: (order.append(slot), write(slot, params))
    assert order == [IO, GUEST, GUEST_VCPUS]


def test_study_of_splits_neither_notes_nor_touches_the_vcpus(bench):
    bench.host.faults.vcpus = 4
    with bench.lease:
        bench.lease.apply({IO: CgroupParams(weight=50)})
        assert bench.journal.read().originals == FOUND


def test_record_without_vcpus_is_obeyed(sized):
    sized.folder.mkdir(parents=True)
    sized.folder.chmod(0o700)
    sized.journal.path.write_bytes(seal_record(undo_of(sized, FOUND)))
    sized.host.write(IO, CgroupParams(weight=9))
    with sized.lease:
        assert now(sized) == FOUND_SIZED


def test_number_that_does_not_last_is_reported(sized):
    with sized.lease:
        VcpusFactor(sized.lease).set(VcpusSetting(4))
        sized.lease.confirm()
        sized.host.write(GUEST_VCPUS, VcpuParams(2))
        with pytest.raises(WriteNotVerified, match=r"guest-vcpus.*did not last"):
            sized.lease.confirm()


def test_guest_that_does_not_take_the_number_is_reported_and_left_original(sized):
    sized.host.faults.ignore_writes_after = 0
    with sized.lease, pytest.raises(WriteNotVerified, match="reads back"):
        VcpusFactor(sized.lease).set(VcpusSetting(4))
    assert now(sized) == FOUND_SIZED


def test_more_than_the_guest_can_have_is_refused_and_nothing_is_written(sized):
    with sized.lease, pytest.raises(ParameterRefused, match=r"8 vCPUs.*1\.\.4"):
        VcpusFactor(sized.lease).set(VcpusSetting(8))
    assert now(sized) == FOUND_SIZED


def test_vcpus_that_cannot_be_restored_keep_the_record(sized):
    sized.lease.__enter__()
    VcpusFactor(sized.lease).set(VcpusSetting(4))
    sized.host.faults.fail_writes_after = 0
    with pytest.raises(RestoreFailed, match="guest-vcpus"):
        sized.lease.__exit__()
    assert sized.journal.path.exists()
    sized.host.faults.fail_writes_after = 10**9
    with HostLease(sized.host, sized.folder, sized.host_id, "fake:", sized.reopen):  # of whatever study comes next
        assert now(sized) == FOUND_SIZED


KILLED = """
import os, sys
from pathlib import Path
from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.model.setting import VcpusSetting
from scheduler.run.factor import VcpusFactor
from scheduler.run.lease import VCPUS_SCOPE, HostLease
host, writes = FakeHost(Path(sys.argv[1]), InjectedFaults(vcpus=8), lambda *_: None), 0
write = host.write
def dying(slot, params):
    global writes
    if writes == int(sys.argv[3]):
        os.kill(os.getpid(), 9)
    writes += 1
    write(slot, params)
host.write = dying
with HostLease(host, Path(sys.argv[2]), host.facts().host_id, "fake:", None, VCPUS_SCOPE) as lease:
    factor = VcpusFactor(lease)
    for number in (4, 2, 8):
        factor.set(VcpusSetting(number))
"""


@pytest.mark.parametrize("writes", [0, 1, 4, 9])
def test_who_was_killed_between_any_two_writes_leaves_what_puts_the_vcpus_back(sized, writes):
    words = [sys.executable, "-c", KILLED, sized.host.context()["path"], str(sized.folder), str(writes)]
    killed = subprocess.run(words, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert sized.journal.read() is not None
    with sized.lease:
        assert now(sized) == FOUND_SIZED
    assert not os.path.lexists(sized.journal.path)


def test_damaged_record_with_vcpus_is_not_obeyed(sized):
    sized.folder.mkdir(parents=True)
    sized.folder.chmod(0o700)
    sized.journal.path.write_bytes(seal_record(undo_of(sized)).replace(b'"online":1', b'"online":3'))
    with pytest.raises(JournalError, match="damaged"), sized.lease:
        pass
    assert now(sized) == FOUND_SIZED
