"""Laws of planning: which lines lead from one state of the control group files to another.

The folders are ordinary ones with files in the kernel's formats; what the kernel makes of the lines is tested in
tests/contract/local.
"""

import os
import subprocess
from pathlib import Path

import pytest

from scheduler.errors import DomainGone, HostError, HostNotUsable, ParameterRefused
from scheduler.hosts.local.cgroup_paths import CgroupPaths, ProcessOrigin, read_initial_groups
from scheduler.hosts.local.cgroup_steps import EmptyGroup, EnterGroup, RemoveFolder, SetFile
from scheduler.hosts.local.control_groups import ControlGroups
from scheduler.hosts.local.original_groups import exit_folder, find_origin, refuse_no_return
from scheduler.hosts.local.step_runner import run_steps
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO

ME = 4242
ME_ALIVE = os.getpid()


def write(folder: Path, **files):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(f"{text}\n")


def unified(base: Path, *, cpuset=True, machine_root=False, inside="", passed_on="") -> CgroupPaths:
    write(base, cgroup__procs=inside, cgroup__subtree_control=passed_on, cgroup__controllers="cpuset cpu memory pids")
    return CgroupPaths(
        scheduler="cgroup-v2",
        cpu=str(base),
        cpuacct=str(base),
        cpuset=str(base) if cpuset else "",
        machine_root=machine_root,
        contended_cpu=2,
        client_cpus=(3,),
    )


def v2_group(base: Path, domain, procs="", weight=100, cpu_max="max 100000"):
    write(base / "domtune", cgroup__subtree_control="cpu cpuset", cgroup__procs="")
    folder = base / "domtune" / domain
    write(folder, cgroup__procs=procs, cpu__weight=weight, cpuset__cpus="")
    (folder / "cpu.max").write_text(f"{cpu_max}\n")
    return folder


def lines(steps, base):
    return [step.line.replace(str(base), "~") for step in steps]


def groups_of(place):
    return ControlGroups(place, read_initial_groups(place, booted=True))


def test_first_write_on_v2_makes_room_enables_and_sets(tmp_path):
    groups = groups_of(unified(tmp_path, inside=f"{ME}"))
    assert lines(groups.make_and_set(IO, CgroupParams(100, 5_000, 20_000)), tmp_path) == [
        "mkdir -p ~/domtune",
        "mkdir -p ~/domtune/core",
        "for p in $(cat ~/cgroup.procs); do echo $p > ~/domtune/core/cgroup.procs; done",
        "echo +cpu +cpuset > ~/cgroup.subtree_control",
        "echo +cpu +cpuset > ~/domtune/cgroup.subtree_control",
        "mkdir -p ~/domtune/io",
        "echo 5000 20000 > ~/domtune/io/cpu.max",
    ]


def test_machines_root_keeps_its_processes(tmp_path):
    groups = groups_of(unified(tmp_path, cpuset=False, machine_root=True, inside="1 2 3", passed_on="memory"))
    assert lines(groups.make_and_set(IO, CgroupParams(100)), tmp_path) == [
        "mkdir -p ~/domtune",
        "echo +cpu > ~/cgroup.subtree_control",
        "echo +cpu > ~/domtune/cgroup.subtree_control",
        "mkdir -p ~/domtune/io",
    ]


def test_what_is_enabled_already_is_not_touched(tmp_path):
    groups = groups_of(unified(tmp_path, inside="", passed_on="cpu cpuset"))
    assert "echo +cpu +cpuset > ~/cgroup.subtree_control" not in lines(
        groups.make_and_set(IO, CgroupParams(100)), tmp_path
    )


@pytest.mark.parametrize(
    ("now", "wanted", "expected"),
    [
        (("100", "max 100000"), CgroupParams(100), []),
        (("100", "5000 20000"), CgroupParams(100, 5_000, 20_000), []),
        (("100", "5000 20000"), CgroupParams(200, 6_000, 20_000), ["cpu.max 6000 20000", "cpu.weight 200"]),
        (("200", "5000 20000"), CgroupParams(100), ["cpu.max max 100000", "cpu.weight 100"]),
    ],
)
def test_only_differences_are_written_on_v2(tmp_path, now, wanted, expected):
    groups = groups_of(unified(tmp_path))
    v2_group(tmp_path, IO, weight=now[0], cpu_max=now[1])
    got = lines(groups.make_and_set(IO, wanted), tmp_path)
    assert got == [
        f"echo {value} > ~/domtune/io/{name}" for name, _, value in (each.partition(" ") for each in expected)
    ]
    run_steps(list(groups.make_and_set(IO, wanted)), lambda command, answer: None)
    assert groups.read(IO) == wanted


def test_last_group_takes_all_that_was_made_with_it(tmp_path):
    place = unified(tmp_path, inside="")
    groups = groups_of(place)
    write(tmp_path, cgroup__subtree_control="cpu cpuset")
    v2_group(tmp_path, IO)
    v2_group(tmp_path, GUEST)
    write(tmp_path / "domtune/core", cgroup__procs=f"{ME}")
    assert lines(groups.remove(IO), tmp_path) == ["rmdir ~/domtune/io"]
    for path in (tmp_path / "domtune/io").iterdir():
        path.unlink()
    (tmp_path / "domtune/io").rmdir()
    assert lines(groups.remove(GUEST), tmp_path) == [
        "rmdir ~/domtune/guest",
        "echo -cpu -cpuset > ~/domtune/cgroup.subtree_control",
        "echo -cpu -cpuset > ~/cgroup.subtree_control",
        "for p in $(cat ~/domtune/core/cgroup.procs); do echo $p > ~/cgroup.procs; done",
        "rmdir ~/domtune/core",
        "rmdir ~/domtune",
    ]


def test_what_a_failure_left_half_made_is_reverted(tmp_path):
    groups = groups_of(unified(tmp_path, inside=""))
    write(tmp_path / "domtune", cgroup__subtree_control="", cgroup__procs="")
    write(tmp_path / "domtune/core", cgroup__procs=f"{ME}")
    assert lines(groups.remove(IO), tmp_path) == [
        "for p in $(cat ~/domtune/core/cgroup.procs); do echo $p > ~/cgroup.procs; done",
        "rmdir ~/domtune/core",
        "rmdir ~/domtune",
    ]


def test_controllers_that_were_enabled_before_stay_so(tmp_path):
    groups = groups_of(unified(tmp_path, passed_on="cpu memory"))
    write(tmp_path, cgroup__subtree_control="cpu cpuset memory")
    v2_group(tmp_path, GUEST)
    assert "echo -cpuset > ~/cgroup.subtree_control" in lines(groups.remove(GUEST), tmp_path)


def test_groups_made_by_the_helper_keep_their_parent_and_cpu_sets(tmp_path):
    place = unified(tmp_path, cpuset=True, passed_on="cpu")
    for domain in (IO, GUEST):
        v2_group(tmp_path, domain)
    groups = groups_of(place)
    (entering, confining) = groups.enter(IO, [ME_ALIVE])
    assert entering == EnterGroup((ME_ALIVE,), tmp_path / "domtune/io")
    assert confining.line == f"taskset -a -p -c 2 {ME_ALIVE}"
    for path in (tmp_path / "domtune/io").iterdir():
        path.unlink()
    (tmp_path / "domtune/io").rmdir()
    assert lines(groups.remove(GUEST), tmp_path) == ["rmdir ~/domtune/guest"]


def test_old_quota_never_meets_a_new_period_on_v1(tmp_path):
    place = CgroupPaths(
        scheduler="cgroup-v1",
        cpu=str(tmp_path),
        cpuacct=str(tmp_path),
        cpuset="",
        machine_root=False,
        contended_cpu=0,
        client_cpus=(1,),
    )
    folder = tmp_path / "domtune/io"
    write(folder, cpu__shares=1024, cpu__cfs_quota_us=90_000, cpu__cfs_period_us=100_000, cgroup__procs="")
    groups = groups_of(place)
    wanted = CgroupParams(2048, 5_000, 20_000)
    assert lines(groups.make_and_set(IO, wanted), folder) == [
        "echo -1 > ~/cpu.cfs_quota_us",
        "echo 20000 > ~/cpu.cfs_period_us",
        "echo 5000 > ~/cpu.cfs_quota_us",
        "echo 2048 > ~/cpu.shares",
    ]
    run_steps(list(groups.make_and_set(IO, wanted)), lambda command, answer: None)
    assert groups.read(IO) == wanted
    assert lines(groups.make_and_set(IO, CgroupParams(2048)), folder) == [
        "echo -1 > ~/cpu.cfs_quota_us",
        "echo 100000 > ~/cpu.cfs_period_us",
    ]


def test_v2_counters_are_read_in_seconds(tmp_path):
    groups = groups_of(unified(tmp_path))
    assert groups.times(IO) is None
    folder = v2_group(tmp_path, IO)
    (folder / "cpu.stat").write_text(
        "usage_usec 3500000\nuser_usec 2000000\nsystem_usec 1500000\nnr_periods 9\nnr_throttled 3\n"
        "throttled_usec 250000\n"
    )
    times = groups.times(IO)
    assert (times.total_s, times.user_s, times.system_s, times.throttled_s) == (3.5, 2.0, 1.5, 0.25)


def test_group_without_the_controllers_files_is_named(tmp_path):
    groups = groups_of(unified(tmp_path))
    assert groups.read(IO) is None
    (tmp_path / "domtune/io").mkdir(parents=True)
    with pytest.raises(HostError, match="has no files of the CPU controller"):
        groups.read(IO)


def test_kernels_answer_goes_to_the_ledger_and_into_the_error(tmp_path):
    command_log = []
    with pytest.raises(DomainGone, match="No such file"):
        run_steps([SetFile(tmp_path / "cpu.weight", "5")], lambda *line: command_log.append(line))
    assert command_log == [(f"echo 5 > {tmp_path}/cpu.weight", "No such file or directory")]
    (tmp_path / "in").mkdir()
    with pytest.raises(HostError, match="rmdir"):
        run_steps([RemoveFolder(tmp_path)], lambda *line: None)
    write(tmp_path, cgroup__procs=str(ME))
    write(tmp_path / "to", cgroup__procs="")
    with pytest.raises(HostError, match="stay"):
        run_steps([EmptyGroup(tmp_path, tmp_path / "to")], lambda *line: None)


def test_value_that_the_kernel_does_not_take_is_refused():
    with pytest.raises(ParameterRefused, match="Invalid argument"):
        # The kernel's own file that takes numbers only, and would be unchanged even if it took this one.
        run_steps([SetFile(Path("/proc/self/oom_score_adj"), "not-a-number")], lambda *line: None)


def test_process_that_has_ended_is_a_domain_that_is_gone(tmp_path):
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
        with pytest.raises(DomainGone, match=str(ended.pid)):
            find_origin(ended.pid, unified(tmp_path))


def proc_of(tmp_path, membership, mount_root="/"):
    """Return a folder as /proc, with one process that is in a control group."""
    proc = tmp_path / "proc"
    for name in ("self", "7"):
        (proc / name).mkdir(parents=True)
    line = f"31 25 0:28 {mount_root} {tmp_path} rw - cgroup2 cgroup2 rw\n"
    (proc / "self" / "mountinfo").write_text(line)
    (proc / "7" / "cgroup").write_text(f"0::{membership}\n")
    return proc


@pytest.mark.parametrize(
    ("membership", "mount_root"), [("/..", "/"), ("/../../system.slice/x", "/"), ("/system.slice/x", "/docker/ab")]
)
def test_server_that_could_not_be_moved_back_is_refused_with_its_group(tmp_path, membership, mount_root):
    with pytest.raises(HostNotUsable, match="could not be moved back") as caught:
        refuse_no_return(7, unified(tmp_path), proc_of(tmp_path, membership, mount_root))
    assert membership in str(caught.value)
    assert "same container" in caught.value.hint


def test_refuse_no_return_accepts_group_that_can_be_entered(tmp_path):
    write(tmp_path / "deep..er", cgroup__procs="")
    refuse_no_return(7, unified(tmp_path), proc_of(tmp_path, "/docker/ab/deep..er", "/docker/ab"))


@pytest.fixture
def user_may_write(monkeypatch):
    """Set which folders an ordinary user may write: the tests can run as root, who may write all."""

    def allow(*folders):
        monkeypatch.setattr(os, "access", lambda path, mode: Path(path).parent in folders and Path(path).exists())

    return allow


def test_refuse_no_return_names_group_that_user_may_not_enter(tmp_path, user_may_write):
    write(tmp_path / "system.slice", cgroup__procs="")
    user_may_write(tmp_path / "domtune/io")
    with pytest.raises(HostNotUsable, match=r"system\.slice: user .* could not move it back"):
        refuse_no_return(7, unified(tmp_path), proc_of(tmp_path, "/system.slice"))


def test_exit_folder_is_core_for_user_who_may_not_return(tmp_path, user_may_write):
    stood, core = tmp_path / "user.slice", tmp_path / "domtune/core"
    for folder in (stood, core):
        write(folder, cgroup__procs="")
    for writable, expected in (((stood, core), stood), ((core,), core), ((), tmp_path)):
        user_may_write(*writable)
        assert exit_folder(str(tmp_path), stood) == expected


def test_leave_returns_to_base_when_original_group_was_removed(tmp_path):
    base = tmp_path / "base"
    place = unified(base, cpuset=False)
    v2_group(base, GUEST, procs=f"{ME}")
    there, gone = base / "system.slice", base / "removed.slice"
    write(there, cgroup__procs="")
    for home, target in ((there, "~/system.slice"), (gone, "~")):
        steps = groups_of(place).leave(GUEST, ProcessOrigin(ME, {str(base): str(home)}, (0,)))
        assert f"for p in $(cat ~/domtune/guest/cgroup.procs); do echo $p > {target}/cgroup.procs; done" in lines(
            steps, base
        )
