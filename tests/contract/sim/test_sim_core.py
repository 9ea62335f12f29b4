"""A simulated sweep behind the window's wire: it can be paused, rests meanwhile, goes on, and can be ended."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import psutil
import pytest

from scheduler.model.codec import AbortRun, BeginRun, PauseRun, ResumeRun, encode_line
from scheduler.model.load import LoadSpec
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import RunSpec

REPO = Path(__file__).resolve().parents[3]
DEADLINE_S = 60.0


@pytest.fixture
def core(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "scheduler", "core"],
        cwd=REPO,
        env={**os.environ, "DOMTUNE_HOME": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    yield process
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def tell(core, order):
    core.stdin.write(encode_line(order))
    core.stdin.flush()


def read_until(core, law):
    watchdog = threading.Timer(DEADLINE_S, core.kill)  # noqa: TID251 - ends a test that would wait for ever
    watchdog.start()
    try:
        for line in core.stdout:
            document = json.loads(line)
            if law(document):
                return document
    finally:
        watchdog.cancel()
    raise AssertionError("the core ended before")


def in_state(state):
    return lambda document: document["$"] == "StateChanged" and document["state"] == state


def test_paused_simulation_rests_and_its_time_remains_still(core):
    spec = RunSpec(
        host_url="sim:",
        settings=(parse_split_setting("1:1"), parse_split_setting("1:2")),
        loads=(LoadSpec("osdb-ir"),),
        protocol=PROTOCOLS["replicate"],
    )
    tell(core, BeginRun(spec))
    read_until(core, lambda document: document["$"] == "TrialDone")
    tell(core, PauseRun())
    paused = read_until(core, in_state("paused"))
    process = psutil.Process(core.pid)
    before_s = sum(process.cpu_times()[:2])
    threading.Event().wait(1.5)
    assert sum(process.cpu_times()[:2]) - before_s < 0.5
    tell(core, ResumeRun())
    resumed = read_until(core, in_state("running"))
    assert resumed["t_s"] == pytest.approx(paused["t_s"], abs=1.0)
    tell(core, AbortRun())
    stopped = read_until(core, lambda document: document["$"] == "RunStopped")
    assert (stopped["outcome"], stopped["restored"]) == ("aborted", True)
    core.wait(DEADLINE_S)
