"""Every way of dying while `local:` is swept for real: afterwards the computer is as it was, 0 leftovers."""

import contextlib
import json
import os
import pty
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.contract.postgres_fixture import memory_folder, open_folder
from tests.crash import world
from tests.crash.trial import (
    PLAN,
    REPO,
    environment,
    records_in,
    restore_problems,
    run_trial,
    wait_for,
)
from tests.volume import few

pytestmark = [pytest.mark.crash, pytest.mark.live]

_START_S = 60.0
_LATEST_S = 10.0  # after the start
USERS = 1  # of the plan


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """One home for all, so that the database is made once; the server's own account must be able to enter."""
    with open_folder(memory_folder()) as folder:
        yield folder


class Running:
    """A sweep of this computer that has changed it."""

    def __init__(self, home: Path, **options: object) -> None:
        self.home = home
        self.before = world.control_groups()
        plan = home / "plan.toml"
        plan.write_text(PLAN.format(host="local:"))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scheduler", "run", str(plan), "--json"],
            cwd=REPO,
            env=environment(home),
            **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, **options},
        )
        if not wait_for(self._measures, _START_S):
            self.kill()  # else it would be in the way of every test after this one
            log = self.home / "state/domtune.log"
            said = log.read_text(errors="replace")[-2000:] if log.exists() else "it has no log"
            pytest.fail(f"the sweep did not begin to measure within {_START_S:.0f} s: {said}")

    def kill(self) -> None:
        """End it, if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def _measures(self) -> bool:
        users = [line for line in world.processes(self.home) if "scheduler.loads.worker" in line]
        return bool(users) and bool(records_in(self.home))

    def kill_child(self, words: str) -> None:
        """Kill the first process of ours whose command line holds these words."""
        line = next(line for line in world.processes(self.home) if words in line)
        os.kill(int(line.split()[0]), signal.SIGKILL)

    def server(self) -> psutil.Process:
        """Return the embedded server's first process."""
        return psutil.Process(
            int(next(line for line in world.processes(self.home) if "bin/postgres" in line).split()[0])
        )

    def end(self) -> tuple[int, dict[str, object]]:
        out, _ = self.process.communicate(timeout=90)
        return self.process.returncode, json.loads(out or b"{}")

    def problems(self) -> list[str]:
        left = [f"still runs: {line}" for line in world.processes(self.home)]
        return left + restore_problems(self.home, self.before)


@pytest.fixture
def sweep(home) -> Iterator[Running]:
    running = Running(home)
    yield running
    running.kill()


@pytest.mark.parametrize("number", few([signal.SIGTERM], [signal.SIGINT]))
def test_sweep_with_signal_restores_this_computer(sweep, number):
    sweep.process.send_signal(number)
    code, answer = sweep.end()
    assert (code, answer["outcome"], answer["restored"]) == (3, "aborted", True)
    assert not records_in(sweep.home)
    assert sweep.problems() == []


def test_closed_terminal_restores_this_computer(home):
    ours, theirs = pty.openpty()
    running = Running(home, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True)
    os.close(theirs)
    os.close(ours)  # the terminal is gone: its processes are hung up, every write to it fails
    running.process.send_signal(signal.SIGHUP)  # the kernel does this for a controlling terminal
    assert running.process.wait(60) in {3, 1}
    assert not records_in(home)
    assert running.problems() == []


@pytest.mark.parametrize("words", ["scheduler.hosts.local.relay", "scheduler.loads.worker"])
def test_sweep_with_killed_helper_fails_and_restores(sweep, words):
    sweep.kill_child(words)
    code, answer = sweep.end()
    assert (code, answer["outcome"], answer["restored"]) == (1, "failed", True)
    assert answer["reason"]
    assert not records_in(sweep.home)
    assert sweep.problems() == []


def backends_of(postmaster):
    found = []
    for child in postmaster.children():
        with contextlib.suppress(psutil.NoSuchProcess):
            if "postgres: domtune" in child.cmdline()[0]:
                found.append(child)
    return found


@pytest.mark.parametrize(("victim", "said"), [("postmaster", "ended (signal 9)"), ("backend", "lost a process")])
def test_database_that_breaks_is_reported_with_its_log(sweep, victim, said):
    postmaster = sweep.server()
    # Before the users have connected, a lost backend is made good for by connecting anew.
    assert wait_for(lambda: len(backends_of(postmaster)) > USERS, 20)
    victims = [postmaster] if victim == "postmaster" else backends_of(postmaster)
    for process in victims:  # one backend might be a connection that is just being closed
        with contextlib.suppress(psutil.NoSuchProcess):  # it was, or the server ended the others at the first loss
            process.kill()
    code, answer = sweep.end()
    assert (code, answer["outcome"], answer["restored"]) == (1, "failed", True)
    _, second, *log = answer["reason"].splitlines()
    assert said in second, answer["reason"]
    assert len(log) > 1
    if victim == "backend":
        assert any(f"(PID {process.pid}) was terminated by signal 9" in log[0] for process in victims)
    assert sweep.problems() == []


def test_full_disk_restores_this_computer(small_disk):
    running = Running(small_disk)
    with contextlib.suppress(OSError), (small_disk / "fill").open("wb", buffering=0) as fill:
        while fill.write(b"x" * 1_000_000):
            pass
    code, answer = running.end()
    assert (code, answer["restored"]) == (1, True)
    assert running.problems() == []


@pytest.mark.parametrize("victim", few(["core", "window", "child"], ["both"]))
def test_kill_9_at_any_moment_leaves_nothing(home, victim):
    report = run_trial(home, "local:", victim, random.uniform(0.0, _LATEST_S))
    assert report.problems == [], report


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of 400 MiB: room for an embedded database and little else."""
    with open_folder(memory_folder()) as folder:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400m,mode=755", "domtune-test", folder], check=True)
        yield folder
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if str(folder) in " ".join(process.cmdline()):
                    process.kill()
        subprocess.run(["umount", "-l", folder], check=True)
