"""Laws of the Xen lab, on a real one: what it starts from, how it ends, what it leaves; RTDS is really RTDS."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from labs.xen import folders, recipe, saved_states
from tests.killing import has_ended, kill
from tests.lab.xen_lab import XenLab

NAMES = ("domtune-xen", "domtune-xen-guest")
LATE_S = 60.0  # between setting a clock and looking at it

pytestmark = [pytest.mark.lab, pytest.mark.timeout(3_600)]


def test_damaged_state_is_dropped_and_the_lab_booted_and_saved(xen_lab: XenLab):
    """The one boot that every run makes, with whatever emulator is installed."""
    xen_lab.end()
    [images] = (path for path in folders.images_dir("any").parent.iterdir() if not recipe.missing_files(path, "credit"))
    # The other lanes begin under the others: nobody waits for this boot.
    scheduler = "credit" if recipe.missing_files(images, "rtds") else "rtds"
    state = saved_states.state_folder(images, scheduler)
    state.mkdir(parents=True, exist_ok=True)
    for name in ("memory", "dom0.qcow2", "guest.qcow2"):
        part = state / name
        part.touch()
        os.truncate(part, part.stat().st_size // 2)
    begun = xen_lab.up(scheduler)
    assert f"{state} is dropped" in begun.said
    assert (begun.code, begun.answer["state"]) == (0, "up"), begun
    assert begun.answer["saved_state"] == str(state)
    assert begun.answer["took_s"].keys() >= {"dom0", "guest", "postgresql", "saved", "resumed"}
    print(begun.answer["took_s"])


def test_start_from_a_state_is_quick_fresh_and_on_time_and_writes_nothing_to_it(xen_lab: XenLab):
    running = xen_lab.under("credit")
    state = Path(running["saved_state"])
    before = _written(state)
    for name in NAMES:
        xen_lab.ssh(name, "echo changed >/root/changed && sync")
    begun = xen_lab.anew("credit")
    assert begun["took_s"].keys() == {"images", "resumed"}
    print(begun["took_s"])
    for name in NAMES:
        left, time_unix_s = xen_lab.ssh(name, "ls /root/changed 2>/dev/null || echo nothing; date +%s").split()
        assert left == "nothing"
        assert abs(int(time_unix_s) - time.time()) < LATE_S
    assert _written(state) == before


def test_down_lifts_caps_shuts_down_cleanly_and_leaves_nothing(xen_lab: XenLab):
    running = xen_lab.under("credit")
    images = Path(running["images"])
    written = _written(images)
    assert {"dom0.img", "guest.img"} <= written.keys()
    xen_lab.ssh("domtune-xen", "xl sched-credit -d db1 -c 9")
    ended = xen_lab.down()
    assert (ended.code, ended.answer["state"]) == (0, "down")
    assert "ended by" not in ended.said, "it had to be ended by force"
    assert not _runs(running["pid"])
    assert not folders.running_dir().exists()
    assert sorted(path.name for path in folders.lab_dir().iterdir()) == ["images", "lock"]
    assert _written(images) == written
    for port in running["ports"].values():
        with socket.socket() as asking:
            assert asking.connect_ex(("127.0.0.1", port)) != 0


def _runs(pid: int) -> bool:
    # Its parent has long ended: when a dead process is taken away is up to this computer's first one.
    return not has_ended(pid)


def _written(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir() if path.is_file()}


def test_rtds_really_runs_or_its_absence_is_reported(xen_lab: XenLab):
    xen_lab.end()
    begun = xen_lab.up("rtds")
    if begun.code == 0:
        assert begun.answer["scheduler"] == "rtds"
        assert "db1" in xen_lab.ssh("domtune-xen", "xl sched-rtds -v all")
    else:
        assert (begun.code, begun.answer["state"]) == (5, "down")
        assert "source packages" in begun.answer["text"]


@pytest.mark.parametrize(("more", "moment"), [((), "going on"), (("--fresh",), "booting")])
def test_after_a_killed_emulator_a_start_that_is_broken_off_leaves_nothing(xen_lab: XenLab, more, moment):
    pid = xen_lab.under("credit")["pid"]
    kill(pid)
    crashed = xen_lab.status()
    assert (crashed.code, crashed.answer["state"], crashed.answer["pid"]) == (1, "crashed", 0)
    kept = _states(Path(crashed.answer["images"]))
    words = ["-m", "scheduler", "lab", "xen", "up", "--scheduler", "credit", *more]
    start = subprocess.Popen([sys.executable, *words], stderr=subprocess.PIPE, text=True)
    with start:
        assert start.stderr is not None
        said = []
        for line in start.stderr:
            said.append(line)
            if moment in line:
                break
        start.send_signal(signal.SIGTERM)
        assert start.wait(60) == 3, said
    assert any("removing the one before" in line for line in said), said
    found = xen_lab.status()
    assert found.answer["state"] == "down"
    assert not folders.running_dir().exists()
    assert _states(Path(crashed.answer["images"])) == kept
    lines = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    assert [line for line in lines if str(folders.running_dir()) in line] == []


def _states(images: Path) -> list[str]:
    return sorted(path.name for path in images.glob("states/credit-*"))
