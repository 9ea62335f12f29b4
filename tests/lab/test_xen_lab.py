"""Laws of the Xen lab, on a real one: it answers, lets nothing out, and survives who started it."""

import contextlib
import os
import socket
import subprocess
import threading
from pathlib import Path

import psutil
import psycopg2
import pytest

pytestmark = [pytest.mark.lab, pytest.mark.timeout(3_600)]


@pytest.fixture(scope="module")
def up(xen_lab):
    return xen_lab.under("credit2")


def test_everything_answers_and_the_hypervisor_itself_reports_its_scheduler(xen_lab, up):
    answer = xen_lab.status()
    assert (answer.code, answer.answer["state"]) == (0, "up")
    assert xen_lab.ssh("domtune-xen", "xl info xen_scheduler").strip() == "credit2"
    assert [domain["name"] for domain in answer.answer["domains"]] == ["Domain-0", "db1"]
    assert answer.answer["stale"] is False


def test_xl_and_libvirt_see_the_same_guest(xen_lab, up):
    xen_lab.ssh("domtune-xen", "xl sched-credit2 -d db1 -w 512")
    seen = xen_lab.ssh(
        "domtune-xen", "virsh -q -c xen:///system schedinfo db1; xl domid db1; virsh -c xen:///system domid db1"
    )
    xen_lab.ssh("domtune-xen", "xl sched-credit2 -d db1 -w 256")
    assert "weight         : 512" in seen
    [mine, theirs] = seen.split()[-2:]
    assert mine == theirs


def test_guests_database_can_be_used_by_the_loads(up):
    with contextlib.closing(psycopg2.connect(up["database_url"], connect_timeout=20)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT current_user, current_database(), rolsuper FROM pg_roles WHERE rolname = current_user"
            )
            assert cursor.fetchone() == ("osdb", "osdb", False)
            cursor.execute("CREATE SCHEMA lab_test; DROP SCHEMA lab_test")
            cursor.execute("CHECKPOINT")


def test_dom0_has_what_guards_and_accounts_without_root_need(xen_lab, up):
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


def test_no_other_host_key_is_accepted(up, tmp_path):
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


def test_nothing_leads_out_of_the_lab(xen_lab, up):
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


def test_lab_outlives_the_terminal_that_started_it(up):
    emulator = psutil.Process(up["pid"])
    assert os.getsid(emulator.pid) != os.getsid(0)
    assert emulator.terminal() is None
    assert os.getpid() not in [parent.pid for parent in emulator.parents()]


def test_up_twice_is_fine_and_another_scheduler_is_refused(xen_lab, up):
    again = xen_lab.up("credit2")
    assert (again.code, again.answer["pid"]) == (0, up["pid"])
    other = xen_lab.up("credit")
    assert other.code == 5
    assert "credit2" in other.answer["text"]
    assert "domtune lab xen down" in other.answer["hint"]
