"""Odd text in the kernel's files is an error that names the file, wherever it is read."""

import pytest

from scheduler.errors import HostError, HostNotUsable
from scheduler.hosts.local.cgroup_paths import CgroupPaths, InitialGroups
from scheduler.hosts.local.cgroup_steps import read_pids
from scheduler.hosts.local.control_groups import ControlGroups
from scheduler.hosts.local.local_cpus import parse_cpu_tuple, parse_stat_row
from scheduler.model.split import IO

FILES = {
    "v1": {
        "cpu.stat": "throttled_time 5\n",
        "cpuacct.usage": "7\n",
        "cpuacct.usage_user": "3\n",
        "cpuacct.usage_sys": "4\n",
    },
    "v2": {"cpu.stat": "usage_usec 7\nuser_usec 3\nsystem_usec 4\n", "cpu.max": "max 100000\n", "cpu.weight": "100\n"},
}
STRANGE = ["", "²", "9" * 5000, "1 2 3", "1_0", "x", "\0"]


def groups(folder, version):
    """Return groups below a folder with a group's files, as the kernel would have them."""
    group = folder / "domtune" / "io"
    group.mkdir(parents=True)
    for name, text in FILES[version].items():
        (group / name).write_text(text)
    place = CgroupPaths(
        scheduler=f"cgroup-{version}",
        cpu=str(folder),
        cpuacct=str(folder),
        cpuset="",
        machine_root=False,
        contended_cpu=0,
        client_cpus=(0,),
    )
    return group, ControlGroups(place, InitialGroups())


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_counters_are_read(tmp_path, version):
    assert groups(tmp_path, version)[1].times(IO).total_s > 0


@pytest.mark.parametrize("strange", STRANGE)
@pytest.mark.parametrize(("version", "file"), [("v1", "cpuacct.usage"), ("v1", "cpu.stat"), ("v2", "cpu.stat")])
def test_counters_of_another_form_are_an_error_that_names_the_file(tmp_path, version, file, strange):
    group, found = groups(tmp_path, version)
    (group / file).write_text(f"usage_usec {strange}\nx\n" if file == "cpu.stat" else strange)
    with pytest.raises(HostError, match=file):
        found.times(IO)


@pytest.mark.parametrize("strange", ["²", "9" * 5000, "1_0", "x", "\0", "-1", str(2**40)])
def test_list_of_processes_of_another_form_is_an_error_that_names_the_file(tmp_path, strange):
    (tmp_path / "cgroup.procs").write_text(f"1\n{strange}\n")
    with pytest.raises(HostError, match=r"cgroup\.procs"):
        read_pids(tmp_path)


def test_bytes_that_are_no_text_are_no_processes(tmp_path):
    (tmp_path / "cgroup.procs").write_bytes(b"1\n\xff\xfe\n")
    with pytest.raises(HostError, match=r"cgroup\.procs"):
        read_pids(tmp_path)


def test_processes_elsewhere_and_a_missing_group_are_none(tmp_path):
    assert read_pids(tmp_path / "gone") == []
    (tmp_path / "cgroup.procs").write_text("0\n7\n0\n")
    assert read_pids(tmp_path) == [7]


def test_list_of_cpus_that_no_host_has_is_refused():
    with pytest.raises(HostNotUsable, match="4096"):
        parse_cpu_tuple("0-99999999999\n")


@pytest.mark.parametrize(
    "row", ["cpu0 ² 2 3 4 5 6 7 8 9", "cpu0 1 2 3 4 5 6 7 x", f"cpu0 {'9' * 5000} 2 3 4 5 6 7 8", ""]
)
def test_row_of_another_form_has_no_counters(row):
    assert parse_stat_row(row, None) is None
