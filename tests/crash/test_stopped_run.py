"""A run whose process is stopped for a while, as by a suspended computer: the trial is marked, the host restored."""

import json
import os
import signal
import subprocess
import sys

import pytest

from tests.crash.test_made_up_host import World
from tests.crash.trial import REPO, environment, records_in, wait_for

pytestmark = pytest.mark.crash

_STOPPED_S = 1.2
_IN_TRIAL_S = 0.3  # from the first change of the host to the waits of its trial
_WAIT_S = 60.0


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    yield made
    for child in made.children:
        child.kill()
        child.communicate()


def start(world: World, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tests.crash.stopped_run", *words]
    child = subprocess.Popen(command, cwd=REPO, env=environment(world.home), stdout=subprocess.PIPE)
    world.children.append(child)
    return child


def stop_for_a_while(child: subprocess.Popen[bytes]) -> None:
    child.send_signal(signal.SIGSTOP)
    wait_for(lambda: False, _STOPPED_S)
    child.send_signal(signal.SIGCONT)


def test_stopped_sweep_marks_its_trial_and_restores_the_host(world):
    (world.home / "plan.toml").write_text(world.plan(repeats=1))
    sweep = start(world, "run", str(world.home / "plan.toml"), "--json", "--quiet")
    assert wait_for(lambda: world.read() != world.found, _WAIT_S)
    wait_for(lambda: False, _IN_TRIAL_S)
    stop_for_a_while(sweep)
    out, _ = sweep.communicate(timeout=_WAIT_S)
    answer = json.loads(out)
    assert (sweep.returncode, answer["outcome"], answer["restored"]) == (0, "completed", True)
    assert [text for text in answer["notices"] if "DomTune was stopped for" in text and "is measured again" in text]
    assert {point["trials"] for point in answer["points"]} == {1}
    assert (world.read(), records_in(world.home)) == (world.found, [])


def test_inhibitor_ends_with_a_killed_sweep(world, monkeypatch):
    program, record = world.home / "systemd-inhibit", world.home / "inhibited"
    program.write_text('#!/bin/sh\nfor word in "$@"; do :; done\n"$word"\necho released >>"$INHIBITED"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{world.home}:{os.environ['PATH']}")
    monkeypatch.setenv("INHIBITED", str(record))
    sweep = world.run("--quiet")
    assert not record.exists()
    sweep.kill()
    assert wait_for(record.exists, _WAIT_S)
    assert world.restore()[0] == 0
