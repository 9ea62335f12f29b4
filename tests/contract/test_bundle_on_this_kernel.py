"""The exported scripts against this kernel's control groups, version 1, in groups of their own."""

import contextlib
import os
import subprocess
from pathlib import Path

import msgspec
import pytest

from scheduler.export.bundle import write_bundle
from scheduler.export.material import ExportMaterial
from scheduler.model.decision import SweepPurpose
from scheduler.stats.results import summarise_run
from tests.data_maker import make_documents, make_facts, make_spec

CPU = Path("/sys/fs/cgroup/cpu")
NASTY = """a b;$(touch x)'"`*"""
KEYS = ("cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_period_us")

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root"),
    pytest.mark.skipif(not (CPU / "cpu.shares").exists(), reason="this kernel has no version 1 of control groups"),
]


class Scripts:
    """A bundle for 1:2 with a 20 ms period, for two groups under a folder of this test."""

    def __init__(self, folder: Path, parent: str) -> None:
        self.parent = CPU / parent
        self.io, self.guest = self.parent / NASTY, self.parent / "guest"
        self.state = folder / "state"
        self.folder = folder / "bundle"
        facts = make_facts(scheduler="cgroup-v1")
        names = (f"{parent}/{NASTY}", f"{parent}/guest")
        domains = tuple(msgspec.structs.replace(d, name=n) for d, n in zip(facts.domains, names, strict=True))
        spec = make_spec(splits=("1:2", "1:10"), purpose=SweepPurpose.DIVIDE)
        documents = make_documents(spec=spec, facts=msgspec.structs.replace(facts, domains=domains), samples=False)
        write_bundle(ExportMaterial(summarise_run(documents), spec, documents[0].facts), self.folder)

    def run(self, name: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": os.environ["PATH"], "DOMTUNE_STATE_DIR": str(self.state)}
        environment["DOMTUNE_ETC"] = str(self.folder / "etc")
        command = [str(self.folder / name)]
        return subprocess.run(
            command, env=environment, cwd=self.folder, capture_output=True, text=True, timeout=30, check=False
        )

    def values(self, group: Path) -> tuple[int, ...]:
        return tuple(int((group / key).read_text()) for key in KEYS)


@pytest.fixture
def scripts(tmp_path):
    made = Scripts(tmp_path, f"domtune-bundle-test-{os.getpid()}")
    yield made
    for group in (made.io, made.guest, made.parent):
        with contextlib.suppress(FileNotFoundError):
            group.rmdir()
    assert not made.parent.exists()


def test_apply_verify_and_rollback_leave_no_trace(scripts):
    for _ in range(2):  # twice does no harm
        applied = scripts.run("apply.sh")
        assert applied.returncode == 0, applied.stdout + applied.stderr
        assert scripts.values(scripts.io) == (1024, 6667, 20_000)
        assert scripts.values(scripts.guest) == (1024, 13_333, 20_000)
    assert scripts.run("verify.sh").returncode == 0
    for _ in range(2):
        rolled = scripts.run("rollback.sh")
        assert rolled.returncode == 0, rolled.stdout + rolled.stderr
    assert not scripts.parent.exists()
    assert not scripts.state.exists()
    assert not (scripts.folder / "x").exists()  # the name was never run as a command


def test_what_was_found_is_restored_even_after_two_applies(scripts):
    scripts.parent.mkdir()
    scripts.io.mkdir()
    (scripts.io / "cpu.shares").write_text("333")
    (scripts.io / "cpu.cfs_period_us").write_text("50000")
    (scripts.io / "cpu.cfs_quota_us").write_text("12500")
    assert scripts.run("apply.sh").returncode == 0
    assert scripts.run("apply.sh").returncode == 0
    assert scripts.values(scripts.io) == (1024, 6667, 20_000)
    assert scripts.run("rollback.sh").returncode == 0
    assert scripts.values(scripts.io) == (333, 12_500, 50_000)
    assert not scripts.guest.exists()


def test_verify_sees_a_changed_value_and_apply_fixes_it(scripts):
    scripts.run("apply.sh")
    (scripts.guest / "cpu.cfs_quota_us").write_text("9000")
    verified = scripts.run("verify.sh")
    assert verified.returncode == 1
    assert "guest: 1024 9000 20000, expected 1024 13333 20000 (weight, quota, period)" in verified.stdout
    assert scripts.run("apply.sh").returncode == 0
    assert scripts.run("verify.sh").returncode == 0
    assert scripts.run("rollback.sh").returncode == 0


def test_value_the_kernel_refuses_is_a_failure_that_can_be_rolled_back(scripts):
    scripts.parent.mkdir()
    (scripts.parent / "cpu.cfs_quota_us").write_text("10000")  # a tenth of a CPU: children may not have more
    applied = scripts.run("apply.sh")
    assert applied.returncode == 1
    assert "rollback.sh" in applied.stderr
    assert scripts.run("rollback.sh").returncode == 0
    assert not scripts.io.exists()
    assert not scripts.guest.exists()


def test_group_in_use_is_freed_but_not_called_rolled_back(scripts):
    scripts.run("apply.sh")
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as inside:
        (scripts.io / "cgroup.procs").write_text(str(inside.pid))
        rolled = scripts.run("rollback.sh")
        assert rolled.returncode == 1
        assert "still exists" in rolled.stdout
        assert scripts.values(scripts.io) == (1024, -1, 100_000)
        assert list(scripts.state.glob("*.state"))
        (CPU / "cgroup.procs").write_text(str(inside.pid))
        inside.communicate()
    assert scripts.run("rollback.sh").returncode == 0
    assert not scripts.parent.exists()
