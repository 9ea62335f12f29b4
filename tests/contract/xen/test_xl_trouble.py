"""What may go wrong on a Xen host; the toolstack's programs are doubles, everything else is real."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scheduler.errors import GuardFired, HostBusy, HostNotUsable, RestoreFailed
from scheduler.hosts.xen.xen_host import open_host, reopen_host
from scheduler.model.host_properties import Severity
from scheduler.model.scheduler_params import Credit2Params
from scheduler.model.split import GUEST, IO
from scheduler.run.restore import restore_originals
from tests.killing import kill
from tests.sshd import until
from tests.xen_double.looking import texts, weights

REPO = Path(__file__).resolve().parents[3]
WANTED = Credit2Params(weight=700, cap_pct=40)
FOUND = Credit2Params(weight=256)

# A sweep that writes, says what `restore` needs, and is killed.
DIES = """
import json, sys
from scheduler.hosts.xen import host_survey
from scheduler.hosts.xen.xen_host import open_host
from scheduler.model.scheduler_params import Credit2Params
host_survey.LOOK_S = 0.1
host = open_host("xl:", lambda *_: None, "", "", "")
host.facts()
context = dict(host.context())
host.boot()
for domain in ("io", "guest"):
    host.write(domain, Credit2Params(weight=700, cap_pct=40))
print(json.dumps(context), flush=True)
sys.stdin.read()
"""


def killed_sweep():
    """Return the context of a sweep that was killed after its writes."""
    child = subprocess.Popen(
        [sys.executable, "-c", DIES], cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with child:
        context = json.loads(child.stdout.readline())
        os.kill(child.pid, signal.SIGKILL)
    return context


def test_no_write_happens_without_a_guard(double, host, tmp_path):
    (tmp_path / "run").write_text("not a folder")
    with pytest.raises(HostNotUsable):
        host.write(GUEST, WANTED)
    assert weights(double) == [(256, 0), (256, 0)]


def test_killed_sweep_is_restored_by_another_process(double, guard):
    context = killed_sweep()
    assert weights(double) == [(700, 40), (700, 40)]
    assert guard().state == "armed"
    restorer = reopen_host("xl:", context, lambda *_: None)
    restore_originals(restorer, {IO: FOUND, GUEST: FOUND})
    restorer.close()
    assert weights(double) == [(256, 0), (256, 0)]
    assert guard().state == "none"


def test_killed_sweep_keeps_others_out_until_then(double, host):
    context = killed_sweep()
    assert "holds this host" in texts(host.facts(), Severity.WARNING)
    with pytest.raises(HostBusy):
        host.boot()
    reopen_host("xl:", context, lambda *_: None).read(IO)
    host.boot()
    host.write(GUEST, WANTED)


def test_guard_that_was_killed_stops_the_sweep_with_the_host_restored(double, host, tmp_path):
    host.boot()
    host.write(GUEST, WANTED)
    pid = int((tmp_path / "run/sweep/pid").read_text())
    kill(pid)
    with pytest.raises(GuardFired, match="was restored"):
        host.write(GUEST, Credit2Params(weight=300))
    assert weights(double) == [(256, 0), (256, 0)]


def measure(host):
    """Look at a host's counters until it ends that, at most for longer than a heartbeat may take to notice."""
    deadline_s = time.monotonic() + 90.0
    while time.monotonic() < deadline_s:
        host.usage()
        threading.Event().wait(0.1)


def test_trial_ends_when_its_guard_was_killed(double, host, tmp_path, monkeypatch):
    monkeypatch.setattr("scheduler.hosts.remote.guard_session.TTL_S", 12)  # a quarter of it until the next heartbeat
    host.boot()
    host.write(GUEST, WANTED)
    kill(int((tmp_path / "run/sweep/pid").read_text()))
    with pytest.raises(GuardFired, match="was restored"):
        measure(host)
    assert weights(double) == [(256, 0), (256, 0)]


def test_guard_that_cannot_restored_is_reported_with_its_log(double, host, tmp_path):
    host.boot()
    host.write(GUEST, WANTED)
    assert host.failure_details() == ""
    with double.changing() as state:
        state["scheduler"] = "credit"  # as if the pool had been made anew: what is to be restored fits no more
    kill(int((tmp_path / "run/sweep/pid").read_text()))
    with pytest.raises(GuardFired) as fired:
        host.write(GUEST, WANTED)
    assert not fired.value.restored
    assert "Getting domain sched credit2: Invalid argument" in host.failure_details()


@pytest.mark.parametrize("slow_s", [1.0, 3.0])
def test_connection_cut_in_mid_write_is_read_back_before_going_on(double, double_sshd, slow_s):
    lines = []
    host = open_host(double_sshd.url, lambda *line: lines.append(line), "", "", "")
    host.boot()
    with double.changing() as state:
        state["slow_s"] = slow_s
    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(host.write, GUEST, WANTED)
        until((double.folder / "state.changing").exists, time.monotonic() + 60, "nothing is written")
        for pid in double_sshd.sessions():
            kill(pid)
        written.result(timeout=60)
    with double.changing() as state:
        state["slow_s"] = 0.0
    assert host.read(GUEST) == WANTED
    host.close()
    assert weights(double) == [(256, 0), (256, 0)]


def test_values_stay_where_they_are_to_be_kept(double, host, guard):
    host.write(GUEST, WANTED)
    host.guard.disarm_restore()
    host.close()
    assert weights(double) == [(256, 0), (700, 40)]
    assert guard().state == "none"


def test_pause_takes_the_guard_away(double, host, guard):
    for domain in (IO, GUEST):
        host.write(domain, WANTED)
    assert guard().state == "armed"
    restore_originals(host, {IO: FOUND, GUEST: FOUND})
    assert guard().state == "none"


def test_closing_in_mid_sweep_restores(double, host, guard):
    host.write(GUEST, WANTED)
    host.close()
    assert weights(double) == [(256, 0), (256, 0)]
    assert guard().state == "none"


def test_restore_that_fails_is_reported(double, host):
    host.boot()
    host.write(IO, WANTED)
    with double.changing() as state:
        state["scheduler"] = "credit"
    with pytest.raises(RestoreFailed):
        restore_originals(host, {IO: FOUND, GUEST: FOUND})
    with double.changing() as state:
        state["scheduler"] = "credit2"
