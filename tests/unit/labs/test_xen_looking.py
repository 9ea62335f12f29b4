"""Laws of `domtune lab xen`: every state of a lab is told, and `down` leaves nothing of a broken one."""

import fcntl
import json
import subprocess
import sys
import threading
import time

import psutil
import pytest

from labs.xen import folders
from labs.xen.dom0 import write_ssh_files
from labs.xen.lab import stop_lab
from labs.xen.lab_plans import HOST_URL
from labs.xen.lab_record import LabRecord, hold_lab, load_record, save_record
from labs.xen.lab_status import read_status
from labs.xen.ports import choose_ports
from scheduler.commands.exit_codes import ExitCode
from scheduler.commands.parser import main
from scheduler.errors import HostBusy
from scheduler.model.lab import LabState


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def record():
    """A lab that was started a minute ago, on ports where nothing listens."""
    images = folders.images_dir("0123456789abcdef")
    images.mkdir(parents=True)
    for name in ("dom0", "guest"):
        (images / f"{name}.host-key").write_text("ssh-ed25519 AAAA root\n")
    folder = folders.running_dir()
    folder.mkdir()
    ports = choose_ports({"dom0": 0, "guest": 0, "postgresql": 0})
    record = LabRecord(scheduler="credit", ports=ports, images=str(images), started_unix_s=time.time() - 60, ready=True)
    save_record(folder, record)
    write_ssh_files(folder, images, ports)
    (folder / "console.log").write_text("(XEN) the last words\r\n")
    return record


@pytest.fixture
def emulator(record):
    pidfile = folders.running_dir() / "qemu.pid"
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", "-pidfile", pidfile])
    pidfile.write_text(str(process.pid))
    while "-pidfile" not in psutil.Process(process.pid).cmdline():  # within exec(2) a process has none yet
        assert process.poll() is None
    yield process
    process.kill()
    process.wait()


def test_no_lab_is_down():
    assert read_status().state is LabState.DOWN


def test_record_is_read_as_it_was_written(record):
    assert load_record(folders.running_dir()) == record


def test_lab_whose_emulator_is_gone_has_crashed_and_its_last_words_are_reported(record):
    found = read_status()
    assert (found.state, found.pid, found.uptime_s) == (LabState.CRASHED, 0, 0.0)
    assert "the last words" in found.text
    assert "down" in found.hint


def test_panic_is_a_crash_though_the_emulator_runs(emulator):
    with (folders.running_dir() / "console.log").open("a") as console:
        console.write("(XEN) Panic on CPU 0:\r\n")
    found = read_status()
    assert (found.state, found.pid) == (LabState.CRASHED, emulator.pid)


def test_lab_that_does_not_answer_is_not_called_up(emulator, record):
    found = read_status()
    assert found.state is LabState.UNWELL
    assert found.ports == record.ports
    assert found.uptime_s >= 60


def test_files_without_a_record_are_reported():
    folders.running_dir().mkdir(parents=True)
    assert read_status().state is LabState.CRASHED


def test_second_command_is_refused_and_status_reports_busy():
    with hold_lab():
        assert read_status().state is LabState.BUSY
        with pytest.raises(HostBusy), hold_lab():
            pytest.fail("two at once")
    assert read_status().state is LabState.DOWN


def end_soon(look):
    threading.Event().wait(0.1)
    fcntl.flock(look, fcntl.LOCK_UN)


def test_look_at_the_lab_keeps_neither_another_look_nor_a_command_out():
    with hold_lab():
        pass
    with folders.lock_path().open("a+") as look:
        fcntl.flock(look, fcntl.LOCK_SH)
        assert read_status().state is LabState.DOWN
        end = threading.Thread(target=end_soon, args=(look,))
        end.start()
        with hold_lab():
            assert read_status().state is LabState.BUSY
        end.join()


def test_down_leaves_nothing_of_a_crashed_lab(record):
    assert stop_lab([].append).state is LabState.DOWN
    assert not folders.running_dir().exists()


def test_down_ends_an_emulator_whose_dom0_does_not_answer(emulator):
    said: list[str] = []
    assert stop_lab(said.append).state is LabState.DOWN
    assert emulator.wait(10) != 0
    assert said[-1] == "ended by SIGTERM"
    assert not folders.running_dir().exists()


def test_down_without_a_lab_is_fine_and_twice_too():
    assert [stop_lab([].append).state, stop_lab([].append).state] == [LabState.DOWN, LabState.DOWN]


def test_status_prints_the_urls_of_host_and_database(record, capsys):
    assert main(["lab", "xen", "status"]) == ExitCode.FAILED
    lines = capsys.readouterr().out.splitlines()
    assert f"  host:     {HOST_URL}" in lines
    assert any("postgresql://osdb@127.0.0.1" in line for line in lines)


def test_command_answers_with_one_object_and_an_exit_code(home):
    words = [sys.executable, "-m", "scheduler", "lab", "xen", "status", "--json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, json.loads(done.stdout)["state"]) == (1, "down")
    done = subprocess.run([*words[:-2], "down", "--json"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, json.loads(done.stdout)["state"]) == (0, "down")
