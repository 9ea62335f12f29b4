"""Sweep as a user in the groups of the helper that root runs once; the helper makes no more than it says."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

from scheduler.hosts.local.cgroup_paths import PARENT
from scheduler.hosts.local.cgroup_rights import find_cgroup_paths
from tests import leftover_groups

HELPER = Path(__file__).resolve().parents[2] / "resources/helper/domtune-cgroups"
REPO = HELPER.parents[2]
USER = 65534  # nobody: there everywhere, and owns nothing
SWEEP = """
import os, sys
from pathlib import Path
user, core = int(sys.argv[1]), Path(sys.argv[2], "cgroup.procs")
if core.read_text():  # version 2: the helper moves the user's shell there
    core.write_text("0")
os.setgroups([])
os.setgid(user)
os.setuid(user)
from scheduler.hosts.host_registry import open_host
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO
from scheduler.run.restore import restore_originals, write_and_verify
host = open_host("local:", lambda command, answer: None)
host.boot()
originals = {domain: host.read(domain) for domain in (IO, GUEST)}
for domain, original in originals.items():
    write_and_verify(host, domain, CgroupParams(original.weight, 10_000, 20_000))
used_s = {domain: used.user_s + used.system_s for domain, used in host.usage().items()}
restore_originals(host, originals)
host.close()
print(os.geteuid(), sorted(used_s))
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="making control groups for another user needs root")


def call(*words, **environment):
    return subprocess.run(
        [str(HELPER), *words],
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        umask=0o077,  # of a careful root; the user must be able to enter the groups all the same
    )


@pytest.fixture
def folders():
    place = find_cgroup_paths()
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


@pytest.fixture
def python():
    """Return an interpreter that the user may run: the environment's can lie in root's home."""
    for program in (sys.executable, "/usr/bin/python3"):
        words = [program, "-c", f"import sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"]
        try:
            if subprocess.run(words, user=USER, timeout=20, check=False).returncode == 0:
                return program
        except PermissionError:
            continue
    pytest.skip(f"user {USER} may not run the tests' interpreter")


@pytest.fixture
def home():
    folder = Path(tempfile.mkdtemp(prefix="domtune-user-"))
    os.chown(folder, USER, USER)
    yield folder
    shutil.rmtree(folder)


def test_sweep_as_user_in_helper_groups_restores_and_leaves_groups_empty(folders, process, python, home):
    assert call("create", process, SUDO_UID=str(USER)).returncode == 0
    swept = subprocess.run(
        [python, "-P", "-c", SWEEP, str(USER), str(folders[0] / "core")],
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": f"{REPO}:{sysconfig.get_path('purelib')}",
            "DOMTUNE_HOME": str(home),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (swept.stdout, swept.stderr) == (f"{USER} ['guest', 'io']\n", "")
    for folder in folders:
        assert [(folder / name / "cgroup.procs").read_text() for name in ("io", "guest")] == ["", ""]


def test_create_gives_user_process_and_limit_files_only(folders, process):
    for _ in range(2):  # a second call changes nothing
        answer = call("create", process, SUDO_UID=str(USER))
        assert (answer.returncode, answer.stderr) == (0, "")
    for folder in folders:
        for domain in ("io", "guest", "core"):
            assert "cgroup.procs" in owned(folder / domain)
            assert owned(folder / domain) <= {
                *("cgroup.procs", "tasks", "cpu.weight", "cpu.max"),
                *("cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_period_us"),
            }
    assert {"cpu.shares", "cpu.weight"} & owned(folders[0] / "io")


def test_what_is_in_use_is_not_removed(folders, process):
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
def test_wrong_words_and_unknown_callers_are_refused_with_nothing_made(folders, words, environment):
    answer = call(*words, **environment)
    assert answer.returncode == 2
    assert answer.stderr.startswith("domtune-cgroups: ")
    assert not any(folder.exists() for folder in folders)
