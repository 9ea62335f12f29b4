"""CPU sets of the domains' groups: the plans, on ordinary folders with files in the kernel's formats."""

import os

import pytest

from scheduler.hosts.local.cgroup_paths import CgroupPaths, InitialGroups, ProcessOrigin
from scheduler.hosts.local.cgroup_steps import ConfineProcess, ConfineTask, EmptyGroup, SetFile
from scheduler.hosts.local.cgroup_v1 import CgroupV1
from scheduler.hosts.local.control_groups import ControlGroups
from scheduler.model.split import GUEST, IO

EFFECTIVE = {"cgroup-v1": "cpuset.effective_cpus", "cgroup-v2": "cpuset.cpus.effective"}


def place_of(base, scheduler):
    return CgroupPaths(
        scheduler=scheduler,
        cpu=str(base),
        cpuacct=str(base),
        cpuset=str(base),
        machine_root=True,
        contended_cpu=0,
        client_cpus=(1, 2, 3),
    )


def make_group(base, domain, cpus):
    folder = base / "domtune" / domain
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cpuset.cpus").write_text(cpus)
    (folder / "cgroup.procs").write_text("")
    return folder


def test_parent_set_of_v1_grows_and_keeps_the_cpus_of_the_other_group(tmp_path):
    for domain, cpus in (("", "0"), (IO, "0")):
        make_group(tmp_path, domain, cpus)
    guest = make_group(tmp_path, GUEST, "0")
    steps = list(CgroupV1(place_of(tmp_path, "cgroup-v1")).confine_cpus(guest, (1, 2)))
    parent = tmp_path / "domtune/cpuset.cpus"
    assert steps == [SetFile(parent, "0,1,2"), SetFile(guest / "cpuset.cpus", "1,2")]
    for step in steps:
        step.do()
    assert list(CgroupV1(place_of(tmp_path, "cgroup-v1")).confine_cpus(guest, (1, 2))) == []


@pytest.mark.parametrize("scheduler", EFFECTIVE)
def test_effective_cpus_are_those_that_the_groups_above_allow(tmp_path, scheduler):
    groups = ControlGroups(place_of(tmp_path, scheduler), InitialGroups())
    folder = make_group(tmp_path, GUEST, "1-3")
    (folder / EFFECTIVE[scheduler]).write_text("2-3\n")
    assert groups.effective_cpus(GUEST) == (2, 3)


def test_leave_restores_the_affinity_of_each_task_that_is_still_in_the_group(tmp_path):
    mine = os.getpid()
    guest = make_group(tmp_path, GUEST, "0")
    (guest / "cgroup.procs").write_text(f"{mine}\n")
    found = tuple(sorted(os.sched_getaffinity(mine)))
    stay = ProcessOrigin(mine, {}, found, {mine: found[-1:], 1: (0,)})
    groups = ControlGroups(place_of(tmp_path, "cgroup-v2"), InitialGroups(folders=(str(guest),)))
    steps = [step for step in groups.leave(GUEST, stay) if not isinstance(step, EmptyGroup)]
    assert steps == [ConfineProcess(mine, found), ConfineTask(mine, found[-1:])]
    try:
        for step in steps:
            assert step.do() == "ok"
        assert os.sched_getaffinity(mine) == {found[-1]}
    finally:
        os.sched_setaffinity(mine, found)
