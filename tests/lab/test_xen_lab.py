"""Laws of the Xen lab, on a real one: it answers, survives who started it, crashes visibly and leaves nothing."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import psycopg2
import pytest

from scheduler.labs.xen import folders
from tests.lab.xen_lab import XenLab

pytestmark = [pytest.mark.lab, pytest.mark.timeout(3_600)]


@pytest.fixture
def up(xen_lab):
    return xen_lab.under("credit2")


def test_that_everything_answers_and_the_hypervisor_itself_says_its_scheduler(xen_lab, up):
    answer = xen_lab.status()
    assert (answer.code, answer.answer["state"]) == (0, "up")
    assert xen_lab.ssh("domtune-xen", "xl info xen_scheduler").strip() == "credit2"
    assert [domain["name"] for domain in answer.answer["domains"]] == ["Domain-0", "db1"]
    assert answer.answer["stale"] is False


def test_that_xl_and_libvirt_see_the_same_guest(xen_lab, up):
    xen_lab.ssh("domtune-xen", "xl sched-credit2 -d db1 -w 512")
    seen = xen_lab.ssh(
        "domtune-xen", "virsh -q -c xen:///system schedinfo db1; xl domid db1; virsh -c xen:///system domid db1"
    )
    xen_lab.ssh("domtune-xen", "xl sched-credit2 -d db1 -w 256")
    assert "weight         : 512" in seen
    [mine, theirs] = seen.split()[-2:]
    assert mine == theirs


def test_that_the_guests_database_can_be_used_by_the_loads(up):
    with contextlib.closing(psycopg2.connect(up["database_url"], connect_timeout=20)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT current_user, current_database(), rolsuper FROM pg_roles WHERE rolname = current_user"
            )
            assert cursor.fetchone() == ("osdb", "osdb", False)
            cursor.execute("CREATE SCHEMA lab_test; DROP SCHEMA lab_test")
            cursor.execute("CHECKPOINT")


def test_that_dom0_has_what_guards_and_accounts_without_root_need(xen_lab, up):
    xen_lab.ssh("domtune-xen", "command -v flock setsid xentop xl sudo systemd-run virsh nc sh")
    user = subprocess.run(
        ["ssh", "-F", up["ssh_config"], "-l", "domtune", "domtune-xen", "id -un; sudo -n true 2>&1 || echo refused"],
        capture_output=True,
        text=True,
        timeout=90,
        check=True,
    )
    assert user.stdout.split()[0] == "domtune"
    assert user.stdout.split()[-1] == "refused"


def test_that_no_other_host_key_is_accepted(up, tmp_path):
    config = Path(up["ssh_config"]).read_text()
    other = tmp_path / "known_hosts"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True, timeout=30)
    key = (tmp_path / "key.pub").read_text()
    other.write_text("".join(f"[127.0.0.1]:{port} {key}" for port in up["ports"].values()))
    (tmp_path / "ssh_config").write_text(config.replace(str(Path(up["ssh_config"]).parent / "known_hosts"), str(other)))
    done = subprocess.run(
        ["ssh", "-F", tmp_path / "ssh_config", "-o", "BatchMode=yes", "domtune-xen", "true"],
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 255
    assert "Host key verification failed" in done.stderr


def test_that_nothing_leads_out_of_the_lab(xen_lab, up):
    came: list[object] = []
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        listener.settimeout(60)

        def accept():
            with contextlib.suppress(OSError):
                came.append(listener.accept())

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        line = f"timeout 10 bash -c 'echo x > /dev/tcp/10.0.2.2/{listener.getsockname()[1]}' && echo out || echo stays"
        assert xen_lab.ssh("domtune-xen", line).split()[-1] == "stays"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(70)
    assert came == []


def test_that_the_lab_outlives_the_terminal_that_started_it(up):
    emulator = psutil.Process(up["pid"])
    assert os.getsid(emulator.pid) != os.getsid(0)
    assert emulator.terminal() is None
    assert os.getpid() not in [parent.pid for parent in emulator.parents()]


def test_that_up_twice_is_fine_and_another_scheduler_is_refused(xen_lab, up):
    again = xen_lab.up("credit2")
    assert (again.code, again.answer["pid"]) == (0, up["pid"])
    other = xen_lab.up("credit")
    assert other.code == 5
    assert "credit2" in other.answer["text"]
    assert "domtune lab xen down" in other.answer["hint"]


def test_that_a_killed_emulator_is_seen_and_the_next_up_starts_afresh(xen_lab, up):
    os.kill(up["pid"], signal.SIGKILL)
    psutil.wait_procs([psutil.Process(up["pid"])] if psutil.pid_exists(up["pid"]) else [], timeout=20)
    crashed = xen_lab.status()
    assert (crashed.code, crashed.answer["state"], crashed.answer["pid"]) == (1, "crashed", 0)
    afresh = xen_lab.up("credit")
    assert (afresh.code, afresh.answer["scheduler"]) == (0, "credit")
    assert afresh.answer["pid"] != up["pid"]


def test_that_down_lifts_caps_shuts_down_cleanly_and_leaves_nothing(xen_lab: XenLab):
    running = xen_lab.under("credit")
    images = Path(running["images"])
    written = {path.name: path.stat().st_mtime_ns for path in images.glob("*.img")}
    assert len(written) == 2
    xen_lab.ssh("domtune-xen", "xl sched-credit -d db1 -c 9")
    ended = xen_lab.down()
    assert (ended.code, ended.answer["state"]) == (0, "down")
    assert "ended by" not in ended.said, "it had to be ended by force"
    assert not psutil.pid_exists(running["pid"])
    assert not folders.running().exists()
    assert sorted(path.name for path in folders.base().iterdir()) == ["images", "lock"]
    assert {path.name: path.stat().st_mtime_ns for path in images.glob("*.img")} == written
    for port in running["ports"].values():
        with socket.socket() as asking:
            assert asking.connect_ex(("127.0.0.1", port)) != 0


def test_that_a_start_that_is_broken_off_leaves_nothing(xen_lab: XenLab):
    xen_lab.down()
    words = ["-m", "scheduler", "lab", "xen", "up", "--scheduler", "credit"]
    start = subprocess.Popen([sys.executable, *words], stderr=subprocess.PIPE, text=True)
    with start:
        assert start.stderr is not None
        for line in start.stderr:
            if "booting" in line:
                break
        start.send_signal(signal.SIGTERM)
        assert start.wait(60) == 3
    found = xen_lab.status()
    assert found.answer["state"] == "down"
    assert not folders.running().exists()
    lines = [" ".join(process.info["cmdline"] or ()) for process in psutil.process_iter(["cmdline"])]
    assert [line for line in lines if str(folders.running()) in line] == []


def test_that_rtds_really_runs_or_its_absence_is_said(xen_lab: XenLab):
    xen_lab.down()
    begun = xen_lab.up("rtds")
    if begun.code == 0:
        assert begun.answer["scheduler"] == "rtds"
        assert "db1" in xen_lab.ssh("domtune-xen", "xl sched-rtds -v all")
    else:
        assert (begun.code, begun.answer["state"]) == (5, "down")
        assert "source packages" in begun.answer["text"]
