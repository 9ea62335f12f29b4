"""The undo record here, the guard there: `domtune restore` itself, beside the guard, after a sweep was killed.

The sweep's lease, the journal, the guard and the commands are real; only the toolstack's programs are doubles.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from scheduler.hosts.remote.guard_commands import GuardCommands
from scheduler.hosts.remote.guard_state import fire_guard, read_guard_state
from scheduler.hosts.remote.local_shell import LocalShell
from tests.guard_world import END_S, NO_SYSTEMD, wait_for
from tests.volume import times
from tests.xen_double.state import Double

pytestmark = [pytest.mark.crash, pytest.mark.timeout(300)]

REPO = Path(__file__).resolve().parents[3]
RACES = times(2, 6)


class Place:
    """A doubled Xen host, a home of its own, and what runs on them."""

    def __init__(self, folder):
        self.double = Double(folder / "xen")
        self.double.install()
        systemd_run = self.double.sbin / "systemd-run"
        systemd_run.write_text(NO_SYSTEMD)
        systemd_run.chmod(0o755)
        self.found = self.double.parameters()
        self.sweep_folder = folder / "run" / "sweep"
        self.journal = folder / "home" / "state" / "journal"
        self.environment = {
            **os.environ,
            "DOMTUNE_HOME": str(folder / "home"),
            "DOMTUNE_XEN_SBIN": str(self.double.sbin),
            "DOMTUNE_GUARD_RUN": str(folder / "run"),
            "PATH": f"{self.double.sbin}:{os.environ['PATH']}",
        }
        self.children = []

    def start(self, *words):
        child = subprocess.Popen(
            [sys.executable, "-m", *words],
            env=self.environment,
            cwd=REPO,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.children.append(child)
        return child

    def sweep(self, changes=2):
        """Start a sweep; returns when it has made so many changes."""
        client = self.start("tests.crash.guard.lease_client")
        assert [client.stdout.readline() for _ in range(changes)] == ["changed\n"] * changes, client.communicate()
        assert self.double.parameters() != self.found
        return client

    def guard(self):
        return psutil.Process(int((self.sweep_folder / "pid").read_text()))

    def fire(self):
        """Let the guard fire, as one does that hears nothing."""
        shell = LocalShell()
        words = GuardCommands(shell, str(self.sweep_folder.parent), ["env", f"PATH={self.environment['PATH']}"])
        assert fire_guard(words, read_guard_state(words).token)
        shell.close()

    def restore(self):
        return self.start("scheduler", "restore", "--json")

    @property
    def due(self):
        return [path.name for path in self.journal.glob("*.json")]

    def assert_as_found(self):
        assert self.double.parameters() == self.found
        assert self.due == []
        assert not self.sweep_folder.exists()


@pytest.fixture
def place(tmp_path):
    place = Place(tmp_path)
    yield place
    for child in place.children:
        child.kill()
        child.communicate(timeout=END_S)
    for process in psutil.process_iter(["cmdline"]):
        if any(str(tmp_path) in word for word in process.info["cmdline"] or []):
            process.kill()


def end(child):
    """Return the exit code and the one object that was printed."""
    out, err = child.communicate(timeout=120)
    assert err == ""
    return child.returncode, json.loads(out)


def killed(client):
    client.kill()
    client.communicate(timeout=END_S)


def test_restore_restores_what_a_killed_sweep_left_without_waiting_for_the_guard(place):
    killed(place.sweep())
    guard = place.guard()
    assert len(place.due) == 1
    code, answer = end(place.restore())
    assert (code, answer["clean"], [item["state"] for item in answer["items"]]) == (0, True, ["restored"])
    place.assert_as_found()
    guard.wait(END_S)


def test_restore_leaves_a_living_sweep_alone(place):
    place.sweep()
    code, answer = end(place.restore())
    assert (code, answer["items"][0]["state"]) == (4, "running")  # 4: something is not as it was found
    assert place.double.parameters() != place.found


@pytest.mark.parametrize("number", range(RACES))
def test_restore_and_a_guard_that_fires_at_the_same_time_end_with_the_originals(place, number):
    killed(place.sweep(changes=1 + number))
    guard = place.guard()
    # Restore takes about a second to reach the host: the guard fires before, at, or after that moment.
    moment_s = random.Random(number).uniform(0.0, 2.0)
    restoring = place.restore()
    threading.Event().wait(moment_s)
    if guard.is_running():
        guard.send_signal(signal.SIGTERM)
    code, answer = end(restoring)
    assert (code, answer["clean"]) == (0, True)
    place.assert_as_found()


def test_restore_after_the_guard_finds_everything_back_and_clears_up(place):
    killed(place.sweep())
    place.guard().send_signal(signal.SIGTERM)
    wait_for((place.sweep_folder / "restored").exists, 60.0, "the guard did not restore")
    assert place.double.parameters() == place.found
    assert len(place.due) == 1
    code, answer = end(place.restore())
    assert (code, answer["clean"]) == (0, True)
    place.assert_as_found()


def test_restore_needs_no_guard(place):
    client = place.sweep()
    place.guard().kill()
    killed(client)
    code, answer = end(place.restore())
    assert (code, answer["clean"]) == (0, True)
    place.assert_as_found()


def test_restore_needs_no_folder_of_a_guard(place):
    client = place.sweep()
    place.guard().kill()
    killed(client)
    place.sweep_folder.rename(place.sweep_folder.parent / "lost")
    code, answer = end(place.restore())
    assert (code, answer["clean"]) == (0, True)
    place.assert_as_found()


def test_sweep_whose_guard_is_killed_ends_by_itself_with_the_host_restored(place):
    client = place.sweep()
    place.guard().kill()
    out, _ = client.communicate(timeout=120)
    assert client.returncode == 3
    assert "the host was restored" in out.splitlines()[-1]
    place.assert_as_found()


def test_new_sweep_after_a_killed_one_puts_the_host_back_first(place):
    killed(place.sweep())
    first = place.guard()
    second = place.sweep()
    assert place.guard().pid != first.pid
    killed(second)
    code, _ = end(place.restore())
    assert code == 0
    place.assert_as_found()


STEPS = ("changed", "fired", "regained", "changed again")


@pytest.mark.parametrize("last", STEPS[1:])
def test_sweep_killed_while_it_takes_its_host_again_is_restored(place, last):
    client = place.start("tests.crash.guard.regain_client")
    for step in STEPS[: STEPS.index(last) + 1]:
        assert client.stdout.readline() == f"{step}\n", client.communicate()
        assert len(place.due) == 1
        if step == "changed":
            place.fire()
        if step != last:
            client.stdin.write("\n")
            client.stdin.flush()
    killed(client)
    assert len(place.due) == 1
    code, said = end(place.restore())
    assert code == 0, said
    place.assert_as_found()
