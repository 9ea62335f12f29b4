"""Laws of telling which control groups of ours stand, whoever left them."""

import os
import subprocess

import pytest

from scheduler.hosts.local.leftover_groups import list_leftover_groups


@pytest.fixture
def process(tmp_path):
    """A process that stands in a slice of a hierarchy mounted in a folder."""
    made = tmp_path / "proc"
    made.mkdir()
    line = f"32 31 0:29 / {tmp_path}/cpu rw - cgroup cgroup rw,cpu\n34 31 0:30 / /gone rw - cgroup2 cgroup2 rw\n"
    (made / "mountinfo").write_text(line)
    (made / "cgroup").write_text("3:cpu:/user.slice\n0::/\n")
    return made


def test_every_group_is_reported_with_what_is_in_it(process, tmp_path):
    assert list_leftover_groups(process) == ()
    for base, quota in (("cpu", "5000"), ("cpu/user.slice", "-1")):
        folder = tmp_path / base / "domtune" / "io"
        folder.mkdir(parents=True)
        (folder / "cpu.cfs_quota_us").write_text(f"{quota}\n")
        (folder / "cgroup.procs").write_text("")
    with subprocess.Popen(["sleep", "60"]) as inside:
        (tmp_path / "cpu/domtune/io/cgroup.procs").write_text(f"{inside.pid}\n")
        reported = list_leftover_groups(process)
        inside.kill()
    assert reported == (
        f"{tmp_path}/cpu/domtune/io: processes {inside.pid}, 5000 us of CPU time per period",
        f"{tmp_path}/cpu/user.slice/domtune/io: no processes",
    )


@pytest.mark.skipif(os.geteuid() != 0, reason="giving a file to another account needs root")
def test_standing_names_user_for_whom_helper_made_group(process, tmp_path):
    folder = tmp_path / "cpu/domtune/io"
    folder.mkdir(parents=True)
    (folder / "cgroup.procs").touch()
    os.chown(folder / "cgroup.procs", 65534, 65534)
    assert list_leftover_groups(process) == (f"{folder}: no processes, made by the helper for user 65534",)


def test_standing_ignores_hierarchy_that_cannot_be_looked_at(process):
    unreadable = f"/{'x' * 300}"  # for root, too, whom no folder is closed to
    (process / "mountinfo").write_text(f"32 31 0:29 / {unreadable} rw - cgroup cgroup rw,cpu\n")
    assert list_leftover_groups(process) == ()


def test_process_folder_that_cannot_be_read_is_no_error(tmp_path):
    assert list_leftover_groups(tmp_path / "none") == ()
