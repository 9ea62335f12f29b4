"""Kill -9 in the middle of a study of two guests on this computer: all three groups are given back, nothing is left."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from scheduler.errors import HostNotUsable
from scheduler.hosts.local.cgroup_paths import group_folder
from scheduler.hosts.local.cgroup_rights import find_cgroup_paths
from scheduler.hosts.local.cgroup_steps import read_pids
from scheduler.model.split import GUEST_2
from tests.contract.postgres_fixture import memory_folder, open_folder
from tests.crash import world
from tests.crash.trial import REPO, Sweep, environment, records_in, restore_problems, wait_for
from tests.lacking import lacking

pytestmark = [pytest.mark.crash, pytest.mark.live]

PLAN = """
host = "{host}"
study = "isolation"
splits = ["2:1:1"]
repeats = 20
measure_s = 1
settle_s = 0
load_settle_s = 0
[[load]]
kind = "osdb-ir"
users = 2
tuples = 2000
"""
_START_S = 120.0


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with open_folder(memory_folder()) as folder:
        yield folder
        # A study that was given up here was killed: nobody else knows of its undo record.
        subprocess.run([sys.executable, "-m", "scheduler", "restore"], cwd=REPO, env=environment(folder), check=True)


@pytest.fixture(scope="module")
def second() -> Path:
    try:
        return group_folder(find_cgroup_paths().cpu, GUEST_2)
    except HostNotUsable as error:
        lacking(f"{error} {error.hint}")


def quota_of(folder: Path) -> str:
    for name in ("cpu.cfs_quota_us", "cpu.max"):
        if (folder / name).exists():
            return (folder / name).read_text().split()[0]
    return ""


def test_kill_9_while_the_second_guest_is_capped_takes_its_group_away(home, second):
    if os.geteuid() != 0 and second.parent.exists():
        pytest.skip("the control groups were made by the helper: no third one can be")
    before = world.control_groups()
    sweep = Sweep(home, "local:", with_window=False, text=PLAN)
    try:
        assert wait_for(lambda: quota_of(second) == "5000" and read_pids(second), _START_S), sweep.last_words()
        (record,) = records_in(home)
        written = msgspec.json.decode(record.read_bytes())
        assert written["undo"]["originals"] == {"io": None, "guest": None, "guest-2": None}
        sweep.kill("core")
        assert sweep.wait_until_gone() == []
        assert second.exists()
    finally:
        sweep.close()
    problems = restore_problems(home, before)
    assert [problem for problem in problems if "/domtune-test-" not in problem] == []  # groups of other tests
    assert not second.exists()
