"""Runs in the background: they outlive their window, and the host is restored on each way out."""

import json
import os
import signal
import subprocess
import sys

import pytest

from scheduler.background_runs import AttachedProgram, attach_background_runs, socket_folder
from scheduler.model.codec import (
    AbortRun,
    BeginRun,
    DetachRun,
    RunDetached,
    decode_detached,
    decode_document,
    encode_line,
)
from scheduler.model.documents import RunStopped
from scheduler.model.plan_file import parse_plan
from tests.crash.test_follow_detached import alive
from tests.crash.test_made_up_host import World
from tests.crash.trial import REPO, environment, records_in, wait_for

pytestmark = pytest.mark.crash

_WAIT_S = 60.0


@pytest.fixture
def world(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    (tmp_path / "host.json").write_text(json.dumps({}))
    made = World(tmp_path)
    yield made
    for child in made.children:
        child.kill()
        child.wait()
        for pipe in filter(None, (child.stdin, child.stdout, child.stderr)):
            pipe.close()


def window(world: World, *words: str) -> subprocess.Popen[bytes]:
    """Start the real window; it prints the core's process when the core has begun a trial."""
    (world.home / "plan.toml").write_text(world.plan(repeats=99))
    command = [sys.executable, "-m", "tests.crash.background_window", *words]
    environ = {**environment(world.home), "QT_QPA_PLATFORM": "offscreen"}
    child = subprocess.Popen(command, cwd=REPO, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    world.children.append(child)
    return child


def core_of(child: subprocess.Popen[bytes]) -> int:
    return int(child.stdout.readline())


def attach() -> AttachedProgram:
    (program,) = attach_background_runs()
    return program


def test_detached_sweep_outlives_its_windows_and_restores_at_its_end(world: World):
    first = window(world, str(world.home / "plan.toml"), "detach")
    core = core_of(first)
    assert first.wait(_WAIT_S) == 0
    second = window(world)
    assert core_of(second) == core
    second.kill()
    second.wait()
    program = attach()
    assert (program.pid, alive(core), records_in(world.home) != []) == (core, True, True)
    program.write(encode_line(AbortRun()))
    os.set_blocking(program.stdout.fileno(), True)
    *_, last = [decode_document(line) for line in program.stdout]
    program.close_pipes()
    program.abandon()
    assert isinstance(last, RunStopped)
    assert last.restored
    assert wait_for(lambda: not alive(core), _WAIT_S)
    assert (world.read(), records_in(world.home), list(socket_folder().iterdir())) == (world.found, [], [])


def test_killed_sweep_in_the_background_is_restored_from_its_record(world: World):
    child = world.start("core", stderr=subprocess.DEVNULL)
    child.stdin.write(encode_line(BeginRun(parse_plan(world.plan(repeats=99)))))
    child.stdin.flush()
    assert wait_for(lambda: world.read() != world.found, _WAIT_S)
    child.stdin.write(encode_line(DetachRun()))
    child.stdin.close()
    assert any(decode_detached(line) == RunDetached() for line in child.stdout)
    core = child.pid
    assert child.poll() is None
    os.kill(core, signal.SIGKILL)
    child.wait(timeout=_WAIT_S)
    assert attach_background_runs() == []
    command = [sys.executable, "-m", "scheduler", "restore", "--json"]
    restored = subprocess.run(command, cwd=REPO, env=environment(world.home), capture_output=True, check=False)
    assert restored.returncode == 0, restored.stderr
    assert (world.read(), records_in(world.home), list(socket_folder().iterdir())) == (world.found, [], [])


def test_sweep_that_was_not_detached_ends_with_its_killed_window(world: World):
    child = window(world, str(world.home / "plan.toml"))
    core = core_of(child)
    assert attach_background_runs() == []
    child.kill()
    assert wait_for(lambda: not alive(core), _WAIT_S)
    assert (world.read(), records_in(world.home)) == (world.found, [])
