"""Laws of finding a place: hierarchies are ordinary folders here, in the kernel's formats."""

import os
from pathlib import Path

import pytest

from scheduler.errors import HostNotUsable
from scheduler.hosts.cgroup_mounts import CgroupMount
from scheduler.hosts.local import cgroup_errors, cgroup_rights
from scheduler.hosts.local.cgroup_paths import CgroupPaths, InitialGroups, read_initial_groups
from scheduler.hosts.local.cgroup_v2 import CgroupV2


def hierarchy(folder: Path, controllers="cpuset cpu memory", passed_on="", *, machine=True):
    folder.mkdir(parents=True, exist_ok=True)
    files = {"controllers": controllers, "subtree_control": passed_on, "procs": ""}
    for name, text in (files if machine else {**files, "type": "domain"}).items():
        (folder / f"cgroup.{name}").write_text(f"{text}\n")
    return folder


@pytest.fixture
def system(monkeypatch):
    """Set what /proc says and who asks; file permissions are asked for as that user would see them."""

    def arrange(mounts, own, *, euid=0, writable=lambda path: True):
        def access(path, mode):
            return os.path.exists(path) and (mode == os.F_OK or writable(Path(path)))  # noqa: PTH110 - a Path can raise

        monkeypatch.setattr(cgroup_rights, "_read_hierarchies", lambda: (tuple(mounts), own))
        monkeypatch.setattr(cgroup_rights.os, "geteuid", lambda: euid)
        monkeypatch.setattr(cgroup_rights.os, "access", access)

    return arrange


def unified(tmp_path):
    return CgroupMount(tmp_path, "/", frozenset())


def test_root_uses_the_machines_root_and_leaves_cpu_sets_off_that_are_off(tmp_path, system):
    hierarchy(tmp_path, passed_on="cpu")
    system([unified(tmp_path)], {frozenset(): "/user.slice"})
    place = cgroup_rights.find_cgroup_paths()
    assert (place.scheduler, place.cpu, place.cpuset, place.machine_root) == ("cgroup-v2", str(tmp_path), "", True)


def test_containers_root_is_not_taken_for_the_machines(tmp_path, system):
    hierarchy(tmp_path, machine=False)
    system([unified(tmp_path)], {frozenset(): "/"})
    place = cgroup_rights.find_cgroup_paths()
    assert (place.machine_root, place.cpuset) == (False, str(tmp_path))


def test_user_uses_the_delegated_group_that_he_is_in(tmp_path, system):
    hierarchy(tmp_path)
    own = hierarchy(tmp_path / "user.slice/run-1.scope", machine=False)
    system([unified(tmp_path)], {frozenset(): "/user.slice/run-1.scope"}, euid=1000, writable=own.__eq__)
    with pytest.raises(HostNotUsable):  # the folder alone is not enough
        cgroup_rights.find_cgroup_paths()
    inside = lambda path: path.is_relative_to(own)  # noqa: E731 - one expression, used once
    system([unified(tmp_path)], {frozenset(): "/user.slice/run-1.scope"}, euid=1000, writable=inside)
    assert cgroup_rights.find_cgroup_paths().cpu == str(own)


def test_group_next_to_ours_leads_back_to_the_one_above(tmp_path, system):
    hierarchy(tmp_path)
    own = hierarchy(tmp_path / "scope", machine=False)
    hierarchy(own / "domtune", machine=False)
    hierarchy(own / "domtune/core", machine=False)
    system([unified(tmp_path)], {frozenset(): "/scope/domtune/core"}, euid=1000)
    assert cgroup_rights.find_cgroup_paths().cpu == str(own)


def test_groups_of_another_owner_in_ours_are_not_given_cpu_sets(tmp_path, system):
    hierarchy(tmp_path)
    own = hierarchy(tmp_path / "scope", machine=False)
    arrange = {"mounts": [unified(tmp_path)], "own": {frozenset(): "/scope"}, "euid": 1000}
    theirs = own / "domtune"
    system(**arrange, writable=lambda path: theirs not in (path, *path.parents))
    assert cgroup_rights.find_cgroup_paths().cpuset == str(own)
    hierarchy(theirs, passed_on="cpu", machine=False)
    assert cgroup_rights.find_cgroup_paths().cpuset == ""
    system(**arrange)
    assert cgroup_rights.find_cgroup_paths().cpuset == str(own)


def test_without_rights_the_message_reports_what_to_do(tmp_path, system):
    hierarchy(tmp_path)
    hierarchy(tmp_path / "session.scope", machine=False)
    system([unified(tmp_path)], {frozenset(): "/session.scope"}, euid=1000, writable=lambda path: False)
    with pytest.raises(HostNotUsable, match=r"user 1000 may not .*session\.scope") as caught:
        cgroup_rights.find_cgroup_paths()
    assert "domtune-cgroups create" in caught.value.hint
    assert "as root" in caught.value.hint


def test_scope_is_offered_where_systemd_may_delegate_the_cpu(tmp_path, system, monkeypatch):
    hierarchy(tmp_path)
    hierarchy(tmp_path / "session.scope", machine=False)
    manager = hierarchy(tmp_path / "user.slice/user-1000.slice/user@1000.service", machine=False)
    (tmp_path / "run/systemd").mkdir(parents=True)
    (tmp_path / "run/systemd/private").touch()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    monkeypatch.setattr(cgroup_rights, "find_program", lambda name: f"/usr/bin/{name}")
    own = {frozenset[str](): "/session.scope"}
    system([unified(tmp_path)], own, euid=1000, writable=lambda path: False)
    assert cgroup_rights.scope_command()[:3] == ["systemd-run", "--user", "--scope"]
    with pytest.raises(HostNotUsable) as caught:
        cgroup_rights.find_cgroup_paths()
    assert "systemd-run --user --scope" in caught.value.hint
    monkeypatch.setenv("XDG_RUNTIME_DIR", f"/{'x' * 300}")  # as unusable as root's own, which `su` keeps
    assert cgroup_rights.scope_command() is None
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "run"))
    system([unified(tmp_path)], own, euid=1000)  # delegated already
    assert cgroup_rights.scope_command() is None
    system([unified(tmp_path)], own, euid=0)
    assert cgroup_rights.scope_command() is None
    (manager / "cgroup.controllers").write_text("memory pids\n")
    system([unified(tmp_path)], own, euid=1000, writable=lambda path: False)
    assert cgroup_rights.scope_command() is None


def test_cpu_controller_of_version_1_comes_first_on_a_hybrid(tmp_path, system):
    mounts = []
    for names in ("cpu,cpuacct", "cpuset", ""):
        folder = tmp_path / (names or "unified")
        hierarchy(folder, controllers="")
        mounts.append(CgroupMount(folder, "/", frozenset(names.split(",")) - {""}))
    system(mounts, {mount.controllers: "/" for mount in mounts})
    place = cgroup_rights.find_cgroup_paths()
    assert place.scheduler == "cgroup-v1"
    assert place.cpu == place.cpuacct == str(tmp_path / "cpu,cpuacct")
    assert place.aside == (str(tmp_path / "cpuset"),)


def test_find_place_on_v1_needs_way_out_of_groups(tmp_path, system):
    names = ("cpu", "cpuacct")
    mounts = [CgroupMount(hierarchy(tmp_path / name), "/", frozenset({name})) for name in names]
    ours = [tmp_path / name / "domtune" / domain for name in names for domain in ("io", "guest", "core")]
    for folder in ours:
        hierarchy(folder)
    own = {mount.controllers: "/" for mount in mounts}
    system(mounts, own, euid=1000, writable=lambda path: path.parent in ours)
    assert cgroup_rights.find_cgroup_paths().cpu == str(tmp_path / "cpu")
    # Groups without `core`, and a folder in which groups can be made but whose processes cannot be moved back.
    no_core = {folder for folder in ours if folder.name != "core"}
    for writable in (no_core, {tmp_path / "cpu", tmp_path / "cpuacct"}):
        system(mounts, own, euid=1000, writable=lambda path, may=writable: path in may or path.parent in no_core & may)
        with pytest.raises(HostNotUsable, match="user 1000 may not"):
            cgroup_rights.find_cgroup_paths()


@pytest.mark.parametrize(
    ("row", "reason", "remedy"),
    [
        ("cpuacct 4 12 1\ncpu 4 12 1", "a hierarchy of version 1 holds it", "mount -t cgroup -o cpuacct,cpu none"),
        ("cpu 0 12 1", "has not passed it on", "cgroup.subtree_control"),
        ("cpu 0 1 0", "switched off", "cgroup_disable=cpu"),
        ("", "has not passed it on", "cgroup.subtree_control"),
    ],
)
def test_find_place_without_cpu_controller_names_its_holder(tmp_path, system, monkeypatch, row, reason, remedy):
    hierarchy(tmp_path / "unified", controllers="memory pids")
    (tmp_path / "cgroups").write_text(row and f"#subsys_name hierarchy num_cgroups enabled\n{row}\n")
    monkeypatch.setattr(cgroup_errors, "_TABLE", tmp_path / "cgroups")
    system([unified(tmp_path / "unified")], {frozenset(): "/"})
    with pytest.raises(HostNotUsable, match=reason) as refused:
        cgroup_rights.find_cgroup_paths()
    assert remedy in refused.value.hint
    assert "Mount cgroup2" not in refused.value.hint


def test_find_place_without_any_hierarchy_asks_for_cgroup2(system):
    system([], {})
    with pytest.raises(HostNotUsable, match="no CPU controller") as refused:
        cgroup_rights.find_cgroup_paths()
    assert "Mount cgroup2" in refused.value.hint


@pytest.mark.parametrize("euid", [0, 1000])
def test_find_place_on_a_read_only_mount_names_the_mount(tmp_path, system, monkeypatch, euid):
    hierarchy(tmp_path)
    monkeypatch.setattr(cgroup_errors, "is_read_only", tmp_path.__eq__)
    system([unified(tmp_path)], {frozenset(): "/"}, euid=euid, writable=lambda _: False)
    with pytest.raises(HostNotUsable, match="mounted read-only") as refused:
        cgroup_rights.find_cgroup_paths()
    assert "--privileged" in refused.value.hint
    assert "as root" not in refused.value.hint


def test_find_place_without_rights_never_sends_root_to_root(tmp_path, system):
    hierarchy(tmp_path)
    system([unified(tmp_path)], {frozenset(): "/"}, writable=lambda _: False)
    with pytest.raises(HostNotUsable, match="root of this container") as refused:
        cgroup_rights.find_cgroup_paths()
    assert "as root" not in refused.value.hint


def test_is_read_only_follows_the_mount_of_the_folder(tmp_path):
    assert cgroup_errors.is_read_only(Path("/sys/kernel")) == ("ro" in _options_of("/sys"))
    assert not cgroup_errors.is_read_only(tmp_path)
    assert not cgroup_errors.is_read_only(tmp_path / "absent")


def _options_of(point):
    rows = (line.split() for line in Path("/proc/self/mounts").read_text().splitlines())
    return next((row[3].split(",") for row in rows if row[1] == point), [])


def test_what_was_found_is_looked_at_once_and_in_all_hierarchies(tmp_path):
    place = CgroupPaths(
        scheduler="cgroup-v2",
        cpu=str(hierarchy(tmp_path, passed_on="memory cpu")),
        cpuacct=str(tmp_path),
        cpuset="",
        machine_root=True,
        contended_cpu=0,
        client_cpus=(1,),
    )
    (tmp_path / "domtune/io").mkdir(parents=True)
    found = read_initial_groups(place, booted=True)
    expected = (str(tmp_path / "domtune"), str(tmp_path / "domtune/io"))
    assert found == InitialGroups(folders=expected, enabled=("cpu", "memory"), booted=True)
    assert list(CgroupV2(place).undo_prepare(found)) == []


def test_helper_command_installs_helper_that_another_else_may_write(tmp_path):
    """Root must not run a file that another account can change."""
    installed, source = tmp_path / "libexec/domtune-cgroups", tmp_path / "source/domtune-cgroups"
    for path in (installed, source):
        path.parent.mkdir()
        path.touch()
    command = cgroup_rights.helper_command("create", installed, source)  # pytest's folders are not root's alone
    assert command == f"sudo install -D -o root -g root {source} {installed} && sudo {installed} create"
    roots = Path("/usr/bin/env")
    assert cgroup_rights.helper_command("create", roots, source) == f"sudo {roots} create"


@pytest.mark.parametrize(("path", "expected"), [("/usr/bin/env", True), ("/tmp", False), ("/usr/bin/none", False)])
def test_only_root_writes_asks_file_and_folders_above(path, expected):
    assert cgroup_rights.only_root_writes(Path(path)) is expected
