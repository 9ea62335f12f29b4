"""Every way of dying on a made-up host: fast, so that each is tried on every run of the suite."""

import contextlib
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.model.codec import BeginRun, encode_line
from scheduler.model.plan_file import parse_plan
from scheduler.model.split import GUEST, IO
from tests.crash.trial import REPO, environment, wait_for

pytestmark = pytest.mark.crash

PLAN = """
host = "fake:{file}{faults}"
splits = ["1:1", "1:10"]
protocol = "grid"
repeats = {repeats}
measure_s = 1
settle_s = 0
load_settle_s = 0
"""


class World:
    """A made-up host, a home of its own, and runs on it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.file = home / "host.json"
        self.found = self.read()
        self.children: list[subprocess.Popen[bytes]] = []

    def read(self) -> dict[str, object]:
        host = FakeHost(self.file, InjectedFaults(), lambda *_: None)
        return {domain: host.read(domain) for domain in (IO, GUEST)}

    def plan(self, faults: str = "", repeats: int = 2) -> str:
        return PLAN.format(file=self.file, faults=faults, repeats=repeats)

    def start(self, *words: str, faults: str = "", repeats: int = 2, **options: object) -> subprocess.Popen[bytes]:
        (self.home / "plan.toml").write_text(self.plan(faults, repeats))
        child = subprocess.Popen(
            [sys.executable, "-m", "scheduler", *words],
            cwd=REPO,
            env=environment(self.home),
            **{"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
        )
        self.children.append(child)
        return child

    def run(self, *extra: str, faults: str = "") -> subprocess.Popen[bytes]:
        """Start a sweep and return once it has changed the host."""
        child = self.start("run", str(self.home / "plan.toml"), "--json", *extra, faults=faults)
        assert wait_for(lambda: self.read() != self.found or child.poll() is not None, 30)
        assert child.poll() is None, child.communicate()
        return child

    @property
    def armed(self) -> bool:
        return any((self.home / "state" / "journal").glob("*.json"))

    def restore(self, *extra: str) -> tuple[int, dict[str, object]]:
        done = self.start("restore", "--json", *extra)
        out, _ = done.communicate(timeout=30)
        return done.returncode, json.loads(out)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path)
    yield world
    for child in world.children:
        with contextlib.suppress(ProcessLookupError):
            child.kill()
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe is not None:
                pipe.close()
        child.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_signal_ends_the_sweep_and_restores(world, number):
    sweep = world.run()
    sweep.send_signal(number)
    out, _ = sweep.communicate(timeout=30)
    assert sweep.returncode == 3
    answer = json.loads(out)
    assert (answer["outcome"], answer["restored"]) == ("aborted", True)
    assert world.read() == world.found
    assert not world.armed


def test_restore_restores_what_a_killed_sweep_left(world):
    sweep = world.run()
    sweep.kill()
    sweep.wait()
    assert world.armed
    code, answer = world.restore("--list")
    assert (code, answer["clean"], answer["items"][0]["state"]) == (4, False, "armed")
    assert world.read() != world.found
    code, answer = world.restore()
    assert (code, answer["clean"], answer["items"][0]["state"]) == (0, True, "restored")
    assert world.read() == world.found
    assert world.restore() == (0, {"clean": True, "items": [], "applied": [], "recorded_runs": []})


def test_restore_leaves_a_running_sweep_alone(world):
    sweep = world.run()
    code, answer = world.restore()
    assert (code, answer["items"][0]["state"]) == (4, "running")
    assert sweep.poll() is None


def test_second_sweep_on_the_same_host_is_refused(world):
    world.run()
    second = world.start("run", str(world.home / "plan.toml"), "--json")
    out, _ = second.communicate(timeout=30)
    assert second.returncode == 5
    answer = json.loads(out)
    assert "another sweep" in answer["reason"]
    assert (answer["restored"], answer["busy"]) == (False, True), "what the host reads now is the first one's affair"


def test_next_sweep_restores_what_a_killed_one_left(world):
    sweep = world.run()
    sweep.kill()
    sweep.wait()
    assert world.armed
    second = world.start("run", str(world.home / "plan.toml"), "--json", repeats=1)
    out, _ = second.communicate(timeout=60)
    assert second.returncode == 0
    assert json.loads(out)["restored"]
    assert world.read() == world.found


def test_core_whose_window_is_gone_restores(world):
    core = world.start("core")
    core.stdin.write(encode_line(BeginRun(parse_plan(world.plan()))))
    core.stdin.flush()
    assert wait_for(lambda: world.read() != world.found, 30)
    core.stdin.close()
    core.stdout.close()  # the window's end of both pipes goes at once
    assert core.wait(30) == 3
    assert world.read() == world.found
    assert not world.armed


def test_terminal_that_is_gone_does_not_keep_the_host(world):
    sweep = world.run()
    sweep.stdout.close()
    sweep.stderr.close()
    sweep.send_signal(signal.SIGHUP)
    sweep.wait(30)
    assert world.read() == world.found
    assert not world.armed


def test_host_that_refuses_to_be_restored_is_reported_and_kept_for_later(world):
    sweep = world.run(faults="?fail_writes_after=9")  # at a split, so that restoring has to write
    out, _ = sweep.communicate(timeout=60)
    assert sweep.returncode == 4
    assert json.loads(out)["restored"] is False
    assert world.armed
    assert world.restore()[0] == 0
    assert world.read() == world.found


def test_damaged_record_is_reported_each_time_and_kept_until_it_is_forgotten(world):
    sweep = world.run()
    sweep.kill()
    sweep.wait()
    (record,) = (world.home / "state" / "journal").glob("*.json")
    body = record.read_bytes()[:-7]
    record.write_bytes(body)
    for words in ((), ("--list",), (), ("--list",)):
        code, answer = world.restore(*words)
        assert (code, answer["items"][0]["state"]) == (4, "corrupt")
        assert record.read_bytes() == body
    code, answer = world.restore("--forget", answer["items"][0]["host_id"])
    assert (code, answer["done"]) == (0, True)
    assert Path(answer["records"][0]["kept_as"]).read_bytes() == body
    assert world.restore() == (0, {"clean": True, "items": [], "applied": [], "recorded_runs": []})


def test_full_disk_ends_the_sweep_and_restores(world, small_disk):
    world.home = small_disk
    sweep = world.run()
    with contextlib.suppress(OSError), (small_disk / "fill").open("wb", buffering=0) as fill:
        while fill.write(b"x" * 65536):
            pass
    out, err = sweep.communicate(timeout=60)
    assert sweep.returncode == 1, err
    assert json.loads(out)["restored"] is True
    assert world.read() == world.found
    assert not world.armed


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 3 MiB (the suite runs as root)."""
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "domtune-test", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)
