"""The suite sees what an earlier one left on this computer: named, with what takes it away, and never skipped."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scheduler.hosts.local.cgroup_lock import CgroupLock
from scheduler.hosts.local.cgroup_paths import PARENT
from scheduler.hosts.local.cgroup_rights import find_cgroup_paths
from tests import leftover_groups
from tests.crash.trial import REPO

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="others may find groups that the helper made for them")

HELPER = "tests/contract/test_cgroup_helper.py"


@pytest.fixture
def left():
    """A group as a broken sweep leaves it."""
    folder = Path(find_cgroup_paths().cpu, PARENT)
    for path in (folder, folder / "io"):
        path.mkdir()
    yield folder
    for path in (folder / "io", folder):
        with contextlib.suppress(FileNotFoundError):
            path.rmdir()


def suite(*words, **environment):
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *words],
        cwd=REPO,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def lodger(left):
    """A process in it."""
    with subprocess.Popen(["sleep", "60"]) as inside:
        (left / "io/cgroup.procs").write_text(str(inside.pid))
        yield inside.pid
        inside.kill()


def test_suite_refuses_to_begin_on_leftover_groups(left, lodger, tmp_path):
    done = suite(HELPER, DOMTUNE_HOME=str(tmp_path))
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"are left over, which hold the processes {lodger}: {left}/io {left}" in done.stderr
    assert f"rmdir {left}/io {left}" in done.stderr
    assert "passed" not in done.stdout


@pytest.mark.parametrize(("folder", "remedy"), [("journal", "domtune restore"), ("applied", "domtune revert")])
def test_record_of_ours_decides_what_takes_the_groups_away(left, tmp_path, monkeypatch, folder, remedy):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path))
    record = tmp_path / "state" / folder / "local-1.json"
    record.parent.mkdir(parents=True)
    record.write_text("{}")
    assert leftover_groups.complaint(find_cgroup_paths()).endswith(remedy)


def test_empty_groups_that_no_one_claims_are_taken_away_and_named(left, tmp_path):
    done = suite(HELPER, "-k", "no_such_law", DOMTUNE_HOME=str(tmp_path))
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
    assert left.exists()  # no test was to make groups
    done = suite(HELPER, "--collect-only", DOMTUNE_HOME=str(tmp_path))
    assert done.returncode == 0
    assert f"taken away, empty and nobody's: {left}/io {left}" in done.stderr
    assert not left.exists()


def test_groups_with_a_record_are_never_taken_away(left, tmp_path):
    record = tmp_path / "state/journal/local-1.json"
    record.parent.mkdir(parents=True)
    record.write_text("{}")
    done = suite(HELPER, DOMTUNE_HOME=str(tmp_path))
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "domtune restore" in done.stderr
    assert left.exists()


def test_sweep_that_runs_is_not_called_a_leftover(left):
    claim = CgroupLock(find_cgroup_paths().cpu)
    claim.take()
    try:
        assert "a sweep runs" in leftover_groups.complaint(find_cgroup_paths())
    finally:
        claim.release()
