import os
import shutil
import subprocess
import zipfile

import msgspec
import pytest

from scheduler.export.bundle import bundle_texts, write_bundle
from scheduler.export.bundle_local import slice_unit_name
from scheduler.export.templates import single_line
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO
from tests.data_maker import make_facts, make_spec
from tests.decisions import ordering
from tests.settings import split_at

NASTY = """a b;$(touch x)'"`*"""
SCRIPTS = ("apply.sh", "verify.sh", "rollback.sh", "persist.sh")


def named(facts, io, guest):
    domains = tuple(
        msgspec.structs.replace(domain, name=name) for domain, name in zip(facts.domains, (io, guest), strict=True)
    )
    return msgspec.structs.replace(facts, domains=domains)


@pytest.fixture
def bundle(material, tmp_path):
    """Return a function that writes a bundle for 1:2 and gives its folder."""

    def make(scheduler="cgroup-v1", mode=Mode.CAPS, io="domtune/io", guest="domtune/guest", cpus=()):
        facts = named(make_facts(scheduler=scheduler), io, guest)
        spec = make_spec(splits=("1:2", "1:10"), mode=mode, kinds=("osdb-oltp",), repeats=6)
        folder = tmp_path / f"bundle-{scheduler}-{mode.value}"
        sweep = ordering(material(spec=spec, facts=facts, noise=0.002))
        write_bundle(placed(sweep, *cpus) if cpus else sweep, folder)
        return folder

    return make


def placed(sweep, io, guest):
    """Return a sweep whose trials placed the groups on these CPUs, without limits."""
    params = {IO: CgroupParams(100), GUEST: CgroupParams(100)}
    params |= {PLACE_SLOTS[IO]: PlacementParams((io,)), PLACE_SLOTS[GUEST]: PlacementParams((guest,))}
    points = tuple(msgspec.structs.replace(point, params=params) for point in sweep.results.points)
    return msgspec.structs.replace(sweep, results=msgspec.structs.replace(sweep.results, points=points))


def test_scripts_can_be_run_and_texts_cannot(bundle):
    folder = bundle()
    assert sorted(path.name for path in folder.iterdir()) == sorted([*SCRIPTS, "README.txt", "parts", "split.conf"])
    assert sorted(path.name for path in (folder / "parts").iterdir()) == ["cgroup.sh", "common.sh"]
    assert all(os.access(folder / name, os.X_OK) for name in SCRIPTS)
    assert not any(path.stat().st_mode & 0o111 for path in (folder / "README.txt", *folder.glob("parts/*")))


def test_archive_holds_the_same_files(material, tmp_path):
    sweep = ordering(material())
    (path,) = write_bundle(sweep, tmp_path / "split.zip")
    with zipfile.ZipFile(path) as archive:
        assert {name: archive.read(f"split/{name}").decode() for name in bundle_texts(sweep)} == bundle_texts(sweep)
        assert archive.getinfo("split/apply.sh").external_attr >> 16 == 0o100755


def test_names_of_groups_are_values_of_the_configuration(bundle):
    folder = bundle(io=NASTY)
    assert f"io_group={NASTY}\n" in (folder / "split.conf").read_text()
    assert not [path for path in folder.rglob("*.sh") if "touch x" in path.read_text()]


def test_line_break_in_a_name_cannot_leave_a_comment():
    assert single_line("a\nrm -rf /\x1b[0m\tb") == "a rm -rf / [0m b"


@pytest.mark.parametrize(
    ("group", "unit"),
    [
        ("domtune/io", "domtune-io.slice"),
        ("machine.slice/vm-1", r"machine.slice-vm\x2d1.slice"),
        ("a b;'", r"a\x20b\x3b\x27.slice"),
    ],
)
def test_units_are_named_as_systemd_escapes(group, unit):
    assert slice_unit_name(group) == unit


def test_readme_has_the_evidence_and_reports_when_it_expires(bundle):
    text = " ".join((bundle() / "README.txt").read_text().split())
    assert "VALIDITY" in text
    for condition in ("CPUs 2, shared: 1", "scheduler cgroup-v1", "kernel 6.1.0-37-amd64", "postgresql 18.1"):
        assert condition in text
    assert "1:2 loses at most 2 % against any of the 2 splits measured" in text
    assert "quota 6667 us per 20000 us" in text


def test_bundle_sets_what_was_measured_and_reports_when_it_cannot_know(material, tmp_path):
    found = ordering(material(spec=make_spec(splits=("1:2", "1:10"), kinds=("osdb-oltp",), repeats=6), noise=0.002))
    assert found.results.answer.label == "1:2"
    set_then = {IO: CgroupParams(weight=4321, quota_us=6543), GUEST: CgroupParams(weight=1234, quota_us=13_456)}
    points = [
        msgspec.structs.replace(point, params=set_then if point.label == "1:2" else {})
        for point in found.results.points
    ]
    known = msgspec.structs.replace(found, results=msgspec.structs.replace(found.results, points=tuple(points)))
    write_bundle(known, tmp_path / "known")
    write_bundle(found, tmp_path / "unknown")
    text = (tmp_path / "known/split.conf").read_text()
    assert [word for word in ("4321", "CPUQuota=6.54%", "1234", "CPUQuota=13.46%") if word not in text] == []
    assert "4321" not in (tmp_path / "unknown/split.conf").read_text()
    assert "recomputed" not in (tmp_path / "known/README.txt").read_text()
    assert "recomputed" in " ".join((tmp_path / "unknown/README.txt").read_text().split())


@pytest.mark.parametrize(("scheduler", "kept"), [("cgroup-v2", (4321, 1234)), ("cgroup-v1", (8642, 2468))])
def test_weights_that_are_kept_over_a_reboot_are_those_that_were_measured(material, tmp_path, scheduler, kept):
    """Systemd counts as version 2 does: version 1's weights are kept in their ratio."""
    spec = make_spec(mode=Mode.WEIGHTS, splits=("1:2", "1:10"), kinds=("osdb-oltp",), repeats=6)
    found = material(spec=spec, facts=make_facts(scheduler=scheduler), noise=0.002)
    set_then = {IO: CgroupParams(weight=4321), GUEST: CgroupParams(weight=1234)}
    points = tuple(msgspec.structs.replace(point, params=set_then) for point in found.results.points)
    write_bundle(
        msgspec.structs.replace(
            found, results=msgspec.structs.replace(found.results, points=points), split=split_at("1:2")
        ),
        tmp_path / "known",
    )
    text = (tmp_path / "known/split.conf").read_text()
    assert [f"_settings=CPUWeight={weight}\n" in text for weight in kept] == [True, True]


def test_caps_persist_as_quotas_and_weights_as_weights(bundle):
    caps = (bundle() / "split.conf").read_text()
    assert "io_settings=CPUQuota=33.34% CPUQuotaPeriodSec=20000us\n" in caps
    weights = (bundle(mode=Mode.WEIGHTS) / "split.conf").read_text()
    assert "CPUQuota" not in weights
    assert "io_settings=CPUWeight=5000\n" in weights
    assert "guest_settings=CPUWeight=10000\n" in weights


def run(script, **environment):
    return subprocess.run(
        [str(script)],
        env={"PATH": os.environ["PATH"], **{key: str(value) for key, value in environment.items()}},
        cwd=script.parent,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


# A folder stands for a version 2 hierarchy: this checks what is written and compared, not what a kernel accepts.
@pytest.fixture
def tree(tmp_path):
    base = tmp_path / "cgroup"
    for folder in (base, base / "domtune", base / "domtune/io", base / "domtune/guest"):
        folder.mkdir()
        (folder / "cgroup.controllers").write_text("cpuset cpu memory\n")
        (folder / "cgroup.subtree_control").write_text("cpu\n")
        (folder / "cpu.weight").write_text("77\n")
        (folder / "cpu.max").write_text("max 100000\n")
    return base


def test_version_2_is_set_compared_and_restored(bundle, tree, tmp_path):
    folder = bundle("cgroup-v2")
    env = {"DOMTUNE_CGROUP_BASE": tree, "DOMTUNE_STATE_DIR": tmp_path / "state", "DOMTUNE_ETC": tmp_path / "etc"}
    assert run(folder / "verify.sh", **env).returncode == 1
    applied = run(folder / "apply.sh", **env)
    assert applied.returncode == 0, applied.stdout + applied.stderr
    assert (tree / "domtune/io/cpu.max").read_text() == "6667 20000\n"
    assert (tree / "domtune/guest/cpu.max").read_text() == "13333 20000\n"
    assert (tree / "domtune/io/cpu.weight").read_text() == "100\n"
    assert run(folder / "verify.sh", **env).returncode == 0
    assert run(folder / "rollback.sh", **env).returncode == 0
    assert (tree / "domtune/io/cpu.max").read_text() == "max 100000\n"
    assert (tree / "domtune/io/cpu.weight").read_text() == "77\n"
    assert not (tmp_path / "state").exists()


def test_version_2_places_groups_on_cpus_and_restores_them(bundle, tree, tmp_path):
    folder = bundle("cgroup-v2", cpus=((0,), (1,)))
    cpus = {name: tree / "domtune" / name / "cpuset.cpus" for name in ("io", "guest")}
    for name, found in (("io", "\n"), ("guest", "0-1\n")):
        cpus[name].write_text(found)
    env = {"DOMTUNE_CGROUP_BASE": tree, "DOMTUNE_STATE_DIR": tmp_path / "state", "DOMTUNE_ETC": tmp_path / "etc"}
    for path in (tree, tree / "domtune"):
        (path / "cgroup.subtree_control").write_text("cpu cpuset\n")
    for script, code in (("verify.sh", 1), ("apply.sh", 0), ("persist.sh", 0), ("verify.sh", 0)):
        done = run(folder / script, **env)
        assert done.returncode == code, done.stdout + done.stderr
    assert [path.read_text() for path in cpus.values()] == ["0\n", "1\n"]
    kept = (tmp_path / "etc/systemd/system/domtune-guest.slice.d/50-domtune.conf").read_text()
    assert kept.endswith("[Slice]\nCPUWeight=100\nAllowedCPUs=1\n")
    cpus["guest"].write_text("0-1\n")
    assert "MISMATCH  guest-place: vcpu0:0-1, expected vcpu0:1 (CPUs)" in run(folder / "verify.sh", **env).stdout
    assert run(folder / "rollback.sh", **env).returncode == 0
    assert [path.read_text() for path in cpus.values()] == ["\n", "0-1\n"]
    assert files_of(tmp_path / "etc") == []


def test_placement_needs_the_controller_of_cpu_sets(bundle, tree, tmp_path):
    (tree / "cgroup.controllers").write_text("cpu memory\n")
    folder = bundle("cgroup-v2", cpus=((0,), (1,)))
    stopped = run(folder / "apply.sh", DOMTUNE_CGROUP_BASE=tree, DOMTUNE_STATE_DIR=tmp_path / "state")
    assert stopped.returncode == 2
    assert "controller cpuset is not available" in stopped.stderr


def test_weights_in_groups_of_ones_own_leave_the_services_next_to_them_their_standing(bundle, tree, tmp_path):
    folder = bundle("cgroup-v2", mode=Mode.WEIGHTS)
    env = {"DOMTUNE_CGROUP_BASE": tree, "DOMTUNE_STATE_DIR": tmp_path / "state", "DOMTUNE_ETC": tmp_path / "etc"}
    applied = run(folder / "apply.sh", **env)
    assert applied.returncode == 0, applied.stdout + applied.stderr
    assert (tree / "domtune/io/cpu.weight").read_text() == "5000\n"
    assert run(folder / "rollback.sh", **env).returncode == 0
    for name in ("io", "guest"):
        shutil.copytree(tree / "domtune" / name, tree / "system.slice" / name)
    shutil.copy(tree / "domtune/cgroup.subtree_control", tree / "system.slice")
    env |= {"DOMTUNE_IO_GROUP": "system.slice/io", "DOMTUNE_GUEST_GROUP": "system.slice/guest"}
    for script, code in (("verify.sh", 1), ("apply.sh", 0), ("verify.sh", 0)):
        assert run(folder / script, **env).returncode == code
    set_to = [int((tree / "system.slice" / name / "cpu.weight").read_text()) for name in ("io", "guest")]
    assert set_to == [67, 134]  # on average the kernel's 100
    readme = " ".join((folder / "README.txt").read_text().split())
    assert "the scripts set cpu.weight 67 and 134 instead" in readme
    assert "gets 33 % of the CPU, instead of 0.7 %" in readme
    assert run(folder / "rollback.sh", **env).returncode == 0
    apart = run(folder / "apply.sh", **env | {"DOMTUNE_IO_GROUP": "domtune/io"})
    assert "not siblings" in apart.stdout


def test_version_2_without_a_cpu_controller_is_not_usable(bundle, tree, tmp_path):
    (tree / "cgroup.controllers").write_text("memory\n")
    stopped = run(bundle("cgroup-v2") / "apply.sh", DOMTUNE_CGROUP_BASE=tree, DOMTUNE_STATE_DIR=tmp_path / "state")
    assert stopped.returncode == 2
    assert "controller cpu is not available" in stopped.stderr
    assert not (tmp_path / "state").exists()


def test_folder_which_is_no_group_is_not_touched(bundle, tmp_path):
    (tmp_path / "plain/domtune/io").mkdir(parents=True)
    stopped = run(bundle() / "apply.sh", DOMTUNE_CGROUP_BASE=tmp_path / "plain", DOMTUNE_STATE_DIR=tmp_path / "state")
    assert stopped.returncode == 2
    assert list((tmp_path / "plain/domtune").iterdir()) == [tmp_path / "plain/domtune/io"]
    assert not list((tmp_path / "state").glob("*.state"))


@pytest.mark.parametrize("name", ["../up", "a/../../b", "/etc", "two\nlines"])
def test_name_cannot_leave_the_hierarchy(bundle, tree, tmp_path, name):
    env = {"DOMTUNE_CGROUP_BASE": tree, "DOMTUNE_STATE_DIR": tmp_path / "state", "DOMTUNE_IO_GROUP": name}
    stopped = run(bundle("cgroup-v2") / "apply.sh", **env)
    assert stopped.returncode == 2
    assert "is not the name of a control group" in stopped.stderr


def test_settings_kept_over_a_reboot_are_checked_and_taken_away(bundle, tree, tmp_path):
    folder, etc = bundle("cgroup-v2"), tmp_path / "etc"
    env = {"DOMTUNE_CGROUP_BASE": tree, "DOMTUNE_STATE_DIR": tmp_path / "state", "DOMTUNE_ETC": etc}
    unit = etc / "systemd/system/domtune-io.slice.d/50-domtune.conf"
    unit.parent.mkdir(parents=True)
    unit.write_text("# the owner's\n")
    for _ in range(2):
        assert run(folder / "persist.sh", **env).returncode == 0
    assert "CPUQuota=33.34%" in unit.read_text()
    assert run(folder / "apply.sh", **env).returncode == 0
    assert run(folder / "verify.sh", **env).returncode == 0
    unit.write_text(unit.read_text().replace("33.34", "50"))
    assert run(folder / "verify.sh", **env).returncode == 1
    assert run(folder / "rollback.sh", **env).returncode == 0
    assert unit.read_text() == "# the owner's\n"
    assert not (etc / "systemd/system/domtune-guest.slice.d").exists()


@pytest.fixture
def services(tree, tmp_path):
    """Return the environment of scripts that set two services, in a folder with others."""
    (tree / "system.slice").mkdir()
    for name in ("haproxy.service", "postgresql.service", "nginx.service"):
        shutil.copytree(tree / "domtune/io", tree / "system.slice" / name)
    shutil.copy(tree / "domtune/cgroup.subtree_control", tree / "system.slice")
    return {
        "DOMTUNE_CGROUP_BASE": tree,
        "DOMTUNE_STATE_DIR": tmp_path / "state",
        "DOMTUNE_ETC": tmp_path / "etc",
        "DOMTUNE_IO_GROUP": "system.slice/haproxy.service",
        "DOMTUNE_GUEST_GROUP": "system.slice/postgresql.service",
    }


def files_of(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_persist_keeps_settings_of_the_named_services(bundle, services, tmp_path):
    folder, units = bundle("cgroup-v2", mode=Mode.WEIGHTS), tmp_path / "etc/systemd/system"
    for script in ("apply.sh", "persist.sh", "verify.sh"):
        done = run(folder / script, **services)
        assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(path.name for path in units.iterdir()) == ["haproxy.service.d", "postgresql.service.d"]
    kept = [(units / f"{name}.service.d/50-domtune.conf").read_text() for name in ("haproxy", "postgresql")]
    assert [text.splitlines()[-2:] for text in kept] == [["[Service]", "CPUWeight=67"], ["[Service]", "CPUWeight=134"]]
    assert run(folder / "rollback.sh", **services).returncode == 0
    assert files_of(tmp_path / "etc") == []


def test_rollback_without_the_named_groups_reports_which_were_set(bundle, services, tmp_path):
    folder = bundle("cgroup-v2")
    assert run(folder / "apply.sh", **services).returncode == 0
    unnamed = {name: value for name, value in services.items() if not name.endswith("_GROUP")}
    stopped = run(folder / "rollback.sh", **unnamed)
    assert stopped.returncode == 2
    assert "DOMTUNE_IO_GROUP='system.slice/haproxy.service'" in stopped.stderr
    assert run(folder / "rollback.sh", **services).returncode == 0
    assert run(folder / "rollback.sh", **unnamed).returncode == 0


@pytest.mark.parametrize(
    ("io", "guest", "reason"),
    [
        ("system.slice/haproxi.service", "system.slice/postgresql.service", "there is no control group"),
        ("system.slice/haproxy.service", "system.slice/haproxy.service", "is inside"),
        ("system.slice", "system.slice/haproxy.service", "is inside"),
        ("system.slice/haproxy.service", "system.slice", "is inside"),
        ("system.slice/haproxy.service/", "system.slice/postgresql.service", "not the name of a control group"),
    ],
)
def test_apply_refuses_groups_that_cannot_be_set(bundle, services, io, guest, reason):
    tree = services["DOMTUNE_CGROUP_BASE"]
    before = {path: path.read_text() for path in tree.rglob("*") if path.is_file()}
    stopped = run(bundle("cgroup-v2") / "apply.sh", **services | {"DOMTUNE_IO_GROUP": io, "DOMTUNE_GUEST_GROUP": guest})
    assert stopped.returncode == 2
    assert reason in stopped.stderr
    assert {path: path.read_text() for path in tree.rglob("*") if path.is_file()} == before
    assert not services["DOMTUNE_STATE_DIR"].exists()


def test_persist_refuses_a_group_that_systemd_does_not_keep(bundle, services, tmp_path):
    stopped = run(bundle("cgroup-v2") / "persist.sh", **services | {"DOMTUNE_GUEST_GROUP": "machine/vm1"})
    assert stopped.returncode == 2
    assert "'machine/vm1' is neither" in stopped.stderr
    assert not (tmp_path / "etc").exists()


def test_rollback_leaves_the_drop_in_of_another_bundle(bundle, services, tmp_path):
    folder, etc = bundle("cgroup-v2"), tmp_path / "etc"
    other = services | {"DOMTUNE_GUEST_GROUP": "system.slice/nginx.service"}
    assert run(folder / "persist.sh", **services).returncode == 0
    kept = {path: path.read_text() for path in etc.rglob("*.conf")}
    stopped = run(folder / "persist.sh", **other)
    assert stopped.returncode == 2
    assert "belongs to another bundle" in stopped.stderr
    rolled = run(folder / "rollback.sh", **other)
    assert rolled.returncode == 0
    assert {path: path.read_text() for path in etc.rglob("*.conf")} == kept
    assert run(folder / "rollback.sh", **services).returncode == 0
    assert files_of(etc) == []


def test_rollback_after_persisting_two_splits_leaves_no_drop_in(bundle, services, tmp_path):
    folder, etc = bundle("cgroup-v2"), tmp_path / "etc"
    assert run(folder / "persist.sh", **services).returncode == 0
    for path in etc.rglob("*.conf"):
        path.write_text(path.read_text().replace(", split 1:2", ", split 1:10").replace("CPUQuota=3", "CPUQuota=1"))
    for script in ("persist.sh", "rollback.sh"):
        assert run(folder / script, **services).returncode == 0
    assert files_of(etc) == []


def test_readme_names_the_unit_of_the_load(material, tmp_path):
    spec = make_spec(splits=("1:2", "1:10"), kinds=("tpcb",), repeats=6)
    write_bundle(ordering(material(spec=spec, noise=0.002)), tmp_path / "tpcb")
    text = (tmp_path / "tpcb/README.txt").read_text()
    assert "mean, transactions/s" in text
    assert "tuples/s" not in text
