"""Laws of reading mounts and memberships."""

from pathlib import Path

import pytest

from scheduler.hosts.cgroup_mounts import parse_memberships, parse_mounts
from scheduler.hosts.local.local_cpus import parse_cpu_tuple

JOINED = """\
25 30 0:23 / /sys rw,nosuid - sysfs sysfs rw
31 25 0:28 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid,nodev shared:16 - cgroup cgroup rw,cpu,cpuacct
32 25 0:29 / /sys/fs/cgroup/cpuset rw,nosuid shared:17 - cgroup cgroup rw,cpuset,clone_children
33 25 0:30 / /sys/fs/cgroup/systemd rw,nosuid shared:11 - cgroup cgroup rw,xattr,name=systemd
34 25 0:31 / /sys/fs/cgroup/unified rw,nosuid shared:10 - cgroup2 cgroup2 rw,nsdelegate
"""


def by_controllers(text):
    return {mount.controllers: mount for mount in parse_mounts(text)}


def test_every_hierarchy_is_found_with_its_controllers_and_nothing_else():
    found = by_controllers(JOINED)
    assert set(found) == {
        frozenset({"cpu", "cpuacct"}),
        frozenset({"cpuset"}),
        frozenset({"name=systemd"}),
        frozenset(),
    }
    assert found[frozenset({"cpu", "cpuacct"})].point == Path("/sys/fs/cgroup/cpu,cpuacct")
    assert found[frozenset()].point == Path("/sys/fs/cgroup/unified")


def test_process_is_found_in_each_hierarchy():
    own = parse_memberships("4:cpu,cpuacct:/user.slice\n3:cpuset:/\n1:name=systemd:/a:b\n0::/user.slice/x.scope\n")
    found = by_controllers(JOINED)
    assert found[frozenset({"cpuacct", "cpu"})].folder_of(own) == Path("/sys/fs/cgroup/cpu,cpuacct/user.slice")
    assert found[frozenset({"cpuset"})].folder_of(own) == Path("/sys/fs/cgroup/cpuset")
    assert found[frozenset({"name=systemd"})].folder_of(own) == Path("/sys/fs/cgroup/systemd/a:b")
    assert found[frozenset()].folder_of(own) == Path("/sys/fs/cgroup/unified/user.slice/x.scope")


def test_mount_inside_a_container_shows_its_part_only():
    line = "31 25 0:28 /docker/ab /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n"
    [mount] = parse_mounts(line)
    assert mount.folder_of(parse_memberships("4:cpu:/docker/ab/deep\n")) == Path("/sys/fs/cgroup/cpu/deep")
    assert mount.folder_of(parse_memberships("4:cpu:/\n")) == Path("/sys/fs/cgroup/cpu")  # it stands outside
    assert mount.folder_of(parse_memberships("4:memory:/\n")) is None


@pytest.mark.parametrize("path", ["/..", "/../deep", "/../../x"])
def test_process_outside_of_our_namespace_is_outside(path):
    [mount] = parse_mounts("31 25 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n")
    outside = parse_memberships(f"4:cpu:{path}\n")
    assert mount.folder_of(outside) == Path("/sys/fs/cgroup/cpu")
    assert not mount.shows(outside)
    assert mount.shows(parse_memberships("4:cpu:/deep\n"))


def test_of_two_mounts_of_a_hierarchy_the_wider_one_counts():
    lines = "31 25 0:28 /part /mnt/part rw - cgroup2 none rw\n32 25 0:28 / /sys/fs/cgroup rw - cgroup2 none rw\n"
    for text in (lines, "\n".join(reversed(lines.splitlines()))):
        [mount] = parse_mounts(text)
        assert mount.point == Path("/sys/fs/cgroup")


def test_blanks_in_names_are_read():
    [mount] = parse_mounts(r"31 25 0:28 / /mnt/with\040blank rw - cgroup2 none rw" + "\n")
    assert mount.point == Path("/mnt/with blank")


def test_what_is_no_mount_is_passed_over():
    assert parse_mounts("") == ()
    assert parse_mounts("\n31 25\nnonsense - cgroup\n") == ()
    assert parse_memberships("\nnonsense\n") == {}


@pytest.mark.parametrize(
    ("text", "cpus"),
    [("0\n", (0,)), ("0-3,5\n", (0, 1, 2, 3, 5)), ("\n", ()), ("2,0-1", (0, 1, 2)), ("7-7", (7,))],
)
def test_cpu_lists_are_read(text, cpus):
    assert parse_cpu_tuple(text) == cpus
