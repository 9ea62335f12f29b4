"""Laws of the emulator: what it is told, how it is known again, and that it can always be ended."""

import contextlib
import os
import signal
import subprocess
import sys

import pytest

from labs.xen.emulator import LabDisks, LabEmulator, PortTaken, emulator_command
from scheduler.errors import HostNotUsable
from tests.unit.labs.qmp_peer import monitor_of

PORTS = {"dom0": 20022, "postgresql": 25432}


def words_of(tmp_path, scheduler="credit2", disks=None):
    return emulator_command(
        tmp_path / "images", tmp_path / "run", scheduler, PORTS, disks or LabDisks(tmp_path / "images")
    )


def test_only_loopback_leads_in_and_nothing_leads_out(tmp_path):
    [net] = [word for word in words_of(tmp_path) if word.startswith("user,")]
    assert "restrict=on" in net.split(",")
    forwards = [part for part in net.split(",") if part.startswith("hostfwd=")]
    assert forwards == ["hostfwd=tcp:127.0.0.1:20022-10.0.2.15:22", "hostfwd=tcp:127.0.0.1:25432-10.0.2.16:5432"]


def test_four_cpus_are_for_dom0_without_pins_and_one_cpu_is_as_before(tmp_path):
    disks = LabDisks(tmp_path)
    one, four = (emulator_command(tmp_path, tmp_path, "credit2", {}, disks, cpus) for cpus in (1, 4))
    assert [words[words.index("-smp") + 1] for words in (one, four)] == ["1", "4"]
    xen = [words[words.index("-append") + 1] for words in (one, four)]
    assert "dom0_max_vcpus=1 dom0_vcpus_pin credit2_cap_period_ms=200" in xen[0]
    assert "dom0_max_vcpus=4 credit2_cap_period_ms=200" in xen[1]
    assert "dom0_vcpus_pin" not in xen[1]
    assert {text.rpartition("=")[2] for text in xen} == {"credit2"}


def drives_of(words):
    return [word.split(",") for word in words if word.startswith("file=")]


@pytest.mark.parametrize(("suffix", "last"), [("img", "guest.img"), ("qcow2", "guest-2.qcow2")])
def test_second_guest_has_a_disk_and_memory_more_and_the_default_lab_none(tmp_path, suffix, last):
    one, two = (words_of(tmp_path, disks=LabDisks(tmp_path, suffix, guests=guests)) for guests in (1, 2))
    assert drives_of(two)[2][0] == f"file={tmp_path}/{last}"
    assert [words[words.index("-m") + 1] for words in (one, two)] == ["2048", "2560"]
    assert [len(drives_of(words)) for words in (one, two)] == [2, 3]
    assert "snapshot=on" in drives_of(two)[2]


@pytest.mark.parametrize("suffix", ["img", "qcow2"])
def test_neither_an_image_nor_a_saved_state_is_ever_written(tmp_path, suffix):
    drives = drives_of(words_of(tmp_path, disks=LabDisks(tmp_path, suffix)))
    assert [drive[0] for drive in drives] == [f"file={tmp_path}/{name}.{suffix}" for name in ("dom0", "guest")]
    assert all("snapshot=on" in drive for drive in drives)
    assert all(f"format={'raw' if suffix == 'img' else 'qcow2'}" in drive for drive in drives)


def test_only_what_is_to_be_saved_is_written(tmp_path):
    drives = drives_of(words_of(tmp_path, disks=LabDisks(tmp_path, "qcow2", kept=True)))
    assert [(drive[0], "snapshot=off" in drive) for drive in drives] == [
        (f"file={tmp_path}/{name}.qcow2", True) for name in ("dom0", "guest")
    ]


@pytest.mark.parametrize(("scheduler", "file"), [("credit", "xen"), ("credit2", "xen"), ("rtds", "xen-rtds")])
def test_xen_gets_its_scheduler(tmp_path, scheduler, file):
    words = words_of(tmp_path, scheduler)
    assert words[words.index("-kernel") + 1] == str(tmp_path / "images" / file)
    assert words[words.index("-append") + 1].split()[-1] == f"sched={scheduler}"


def test_comma_in_a_folder_stays_in_the_name(tmp_path):
    words = words_of(tmp_path / "a,b")
    assert f"file={tmp_path}/a,,b/images/dom0.img,if=none" in " ".join(words)


@contextlib.contextmanager
def emulator(folder, code="import time; time.sleep(600)"):
    """A process with the emulator's pid file in its command line, as QEMU has it."""
    folder.mkdir(parents=True, exist_ok=True)
    pidfile = folder / "qemu.pid"
    process = subprocess.Popen([sys.executable, "-c", code, "-pidfile", pidfile], stdout=subprocess.PIPE)
    pidfile.write_text(f"{process.pid}\n")
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Could not set up host forwarding rule 'tcp:127.0.0.1:15432-10.0.2.16:5432'", PortTaken),
        ("could not allocate memory", HostNotUsable),
    ],
)
def test_port_that_was_taken_meanwhile_is_distinguished_from_other_failures(tmp_path, said, kind):
    with pytest.raises(HostNotUsable, match=said[:20]) as caught:
        LabEmulator(tmp_path).start([sys.executable, "-c", f"import sys; sys.exit({said!r})"])
    assert type(caught.value) is kind


def test_it_is_known_by_its_command_line(tmp_path):
    with emulator(tmp_path) as process:
        assert LabEmulator(tmp_path).pid() == process.pid


def test_another_process_with_its_number_is_left_alone(tmp_path):
    (tmp_path / "qemu.pid").write_text(f"{os.getpid()}\n")
    machine = LabEmulator(tmp_path)
    assert machine.pid() == 0
    assert machine.end() == "itself"  # and we still live


@pytest.mark.parametrize("text", ["", "nonsense", "-1"])
def test_broken_pid_file_names_no_one(tmp_path, text):
    (tmp_path / "qemu.pid").write_text(text)
    assert LabEmulator(tmp_path).pid() == 0


def test_process_that_ended_does_not_run(tmp_path):
    with emulator(tmp_path, "pass") as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # stays a zombie
        assert LabEmulator(tmp_path).pid() == 0


def test_without_a_monitor_it_is_ended_by_its_number(tmp_path):
    with emulator(tmp_path) as process:
        assert LabEmulator(tmp_path).end() == "SIGTERM"
        assert process.wait(10) == -signal.SIGTERM


def test_it_is_ended_by_its_monitor_where_that_listens(tmp_path):
    with emulator(tmp_path) as process:

        def quits(_):
            process.terminate()
            return {}

        with monitor_of(tmp_path, {"quit": quits}) as peer:
            assert LabEmulator(tmp_path).end() == "the emulator's monitor"
            assert peer.commands[-1] == "quit"


def test_start_that_fails_reports_the_emulators_words(tmp_path):
    script = "echo 'it says why' >&2; exit 3"
    with pytest.raises(HostNotUsable, match="ended with 3: it says why"):
        LabEmulator(tmp_path).start(["sh", "-c", script])


def test_missing_emulator_is_named_with_its_package(tmp_path):
    with pytest.raises(HostNotUsable) as caught:
        LabEmulator(tmp_path).start([str(tmp_path / "no-such-program")])
    assert "qemu-system-x86" in caught.value.hint


@pytest.mark.parametrize("line", ["(XEN) Panic on CPU 0:", "[1.0] Kernel panic - not syncing: VFS"])
def test_panic_is_seen_on_the_console(tmp_path, line):
    machine = LabEmulator(tmp_path)
    assert machine.has_panicked() is False
    machine.console.write_text("booting\r\n" * 5 + line + "\r\n")
    assert machine.has_panicked() is True
