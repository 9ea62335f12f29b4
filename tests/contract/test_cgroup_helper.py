"""The helper that root runs once: makes exactly what it says, for whom it says, and takes it away again."""

import os
import subprocess
from pathlib import Path

import pytest

from scheduler.hosts.local.place import PARENT
from scheduler.hosts.local.rights import find_place
from tests import leftover_groups

HELPER = Path(__file__).resolve().parents[2] / "packaging/helper/domtune-cgroups"
USER = 65534  # nobody: there everywhere, and owns nothing

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="making control groups for another user needs root")


def call(*words, **environment):
    return subprocess.run(
        [str(HELPER), *words],
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )


@pytest.fixture
def folders():
    place = find_place()
    assert leftover_groups.complaint(place) == ""
    yield [Path(base, PARENT) for base in dict.fromkeys((place.cpu, place.cpuacct))]
    call("remove")
    assert not Path(place.cpu, PARENT).exists()


@pytest.fixture
def process():
    """A process of the user's, which version 2 moves beside the groups."""
    with subprocess.Popen(["sleep", "60"], user=USER) as running:
        yield str(running.pid)
        running.kill()
        running.wait(10)


def owned(folder):
    return {path.name for path in folder.iterdir() if path.stat().st_uid == USER}


def test_that_the_user_may_move_and_limit_in_the_two_groups_and_no_more(folders, process):
    for _ in range(2):  # a second call changes nothing
        answer = call("create", process, SUDO_UID=str(USER))
        assert (answer.returncode, answer.stderr) == (0, "")
    for folder in folders:
        for domain in ("io", "guest"):
            assert "cgroup.procs" in owned(folder / domain)
            assert owned(folder / domain) <= {
                *("cgroup.procs", "tasks", "cpu.weight", "cpu.max"),
                *("cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_period_us"),
            }
    assert {"cpu.shares", "cpu.weight"} & owned(folders[0] / "io")


def test_that_what_is_in_use_is_not_removed(folders, process):
    call("create", process, SUDO_UID=str(USER))
    with subprocess.Popen(["sleep", "60"]) as inside:
        (folders[0] / "io/cgroup.procs").write_text(str(inside.pid))
        answer = call("remove")
        inside.kill()
    assert answer.returncode == 1
    assert "processes are still in" in answer.stderr
    assert (folders[0] / "io").exists()


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        ((), {"SUDO_UID": str(USER)}),
        (("destroy",), {"SUDO_UID": str(USER)}),
        (("create",), {}),
        (("create",), {"SUDO_UID": "0; rm"}),
        (("create",), {"PKEXEC_UID": ""}),
    ],
)
def test_that_wrong_words_and_unknown_callers_are_refused_with_nothing_made(folders, words, environment):
    answer = call(*words, **environment)
    assert answer.returncode == 2
    assert answer.stderr.startswith("domtune-cgroups: ")
    assert not any(folder.exists() for folder in folders)
