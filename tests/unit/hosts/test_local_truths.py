"""What this computer says of its control groups is what a sweep of it uses."""

from scheduler.hosts.local.cgroup_paths import CgroupPaths
from scheduler.hosts.local.describe_computer import list_cgroup_properties


def rows(**more):
    folders = {"cpu": "/sys/fs/cgroup/cpu", "cpuacct": "/sys/fs/cgroup/cpuacct", "cpuset": "/sys/fs/cgroup/cpuset"}
    place = CgroupPaths(
        **{"scheduler": "cgroup-v1", "machine_root": True, "contended_cpu": 0, "client_cpus": (1,), **folders, **more}
    )
    return {truth.label: truth.value for truth in list_cgroup_properties(place)}


def test_version_and_folders_are_reported():
    assert rows() == {
        "Control groups": "version 1, below /sys/fs/cgroup/cpu",
        "Kept on CPU 0 by": "CPU sets below /sys/fs/cgroup/cpuset",
    }


def test_affinity_is_reported_where_cpu_sets_cannot_be_used():
    reported = rows(scheduler="cgroup-v2", cpuset="", contended_cpu=3)
    assert reported["Control groups"].startswith("version 2, ")
    assert reported["Kept on CPU 3 by"] == "CPU affinity: CPU sets cannot be used here"
