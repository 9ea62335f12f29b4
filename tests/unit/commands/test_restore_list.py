"""`domtune restore --list` asks no host, so it does not claim to know what a guard did meanwhile."""

import time

import pytest

from scheduler import places
from scheduler.run.journal import UndoJournal, UndoRecord


@pytest.mark.parametrize("guarded", [False, True])
def test_list_reports_that_a_guard_may_have_restored_the_host(call, home, guarded):
    context = {"token": "0123"} if guarded else {}
    record = UndoJournal(places.journal_dir(), "xen-1")
    record.arm(
        UndoRecord(
            host_url="xl:", host_id="xen-1", context=context, originals={}, armed_unix_s=time.time() - 600, pid=1
        )
    )
    reported = call("restore", "--list")
    assert reported.code == 4
    assert "settings of a sweep that did not end are still there" in reported.out
    assert ("unless the guard on the host has restored them" in reported.out) == guarded
