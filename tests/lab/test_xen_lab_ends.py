"""Laws of the Xen lab, on a real one: it ends cleanly, crashes visibly, and leaves nothing; RTDS is really RTDS."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from scheduler.labs.xen import folders
from tests.lab.xen_lab import XenLab

pytestmark = [pytest.mark.lab, pytest.mark.timeout(3_600)]


def test_that_down_lifts_caps_shuts_down_cleanly_and_leaves_nothing(xen_lab: XenLab):
    running = xen_lab.under("credit")
    images = Path(running["images"])
    written = _written(images)
    assert {"dom0.img", "guest.img"} <= written.keys()
    xen_lab.ssh("domtune-xen", "xl sched-credit -d db1 -c 9")
    ended = xen_lab.down()
    assert (ended.code, ended.answer["state"]) == (0, "down")
    assert "ended by" not in ended.said, "it had to be ended by force"
    assert not _runs(running["pid"])
    assert not folders.running().exists()
    assert sorted(path.name for path in folders.base().iterdir()) == ["images", "lock"]
    assert _written(images) == written
    for port in running["ports"].values():
        with socket.socket() as asking:
            assert asking.connect_ex(("127.0.0.1", port)) != 0


def _runs(pid: int) -> bool:
    # Its parent has long ended: when a dead process is taken away is up to this computer's first one.
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def _written(images: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in images.glob("*.img")}


def test_that_rtds_really_runs_or_its_absence_is_said(xen_lab: XenLab):
    xen_lab.down()
    begun = xen_lab.up("rtds")
    if begun.code == 0:
        assert begun.answer["scheduler"] == "rtds"
        assert "db1" in xen_lab.ssh("domtune-xen", "xl sched-rtds -v all")
    else:
        assert (begun.code, begun.answer["state"]) == (5, "down")
        assert "source packages" in begun.answer["text"]


def test_that_after_a_killed_emulator_a_start_that_is_broken_off_leaves_nothing(xen_lab: XenLab):
    pid = xen_lab.status().answer["pid"] or xen_lab.under("credit")["pid"]
    os.kill(pid, signal.SIGKILL)
    psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=20)
    crashed = xen_lab.status()
    assert (crashed.code, crashed.answer["state"], crashed.answer["pid"]) == (1, "crashed", 0)
    words = ["-m", "scheduler", "lab", "xen", "up", "--scheduler", "credit"]
    start = subprocess.Popen([sys.executable, *words], stderr=subprocess.PIPE, text=True)
    with start:
        assert start.stderr is not None
        said = []
        for line in start.stderr:
            said.append(line)
            if "booting" in line:
                break
        start.send_signal(signal.SIGTERM)
        assert start.wait(60) == 3
    assert any("removing the one before" in line for line in said), said
    found = xen_lab.status()
    assert found.answer["state"] == "down"
    assert not folders.running().exists()
    lines = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    assert [line for line in lines if str(folders.running()) in line] == []
