"""An undo record that somebody planted makes root neither end a process nor write a file of the planter's choice."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from scheduler.hosts.cgroup_mounts import parse_mount_points
from scheduler.hosts.local.cgroup_paths import CgroupPaths, InitialGroups, ProcessOrigin
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO
from scheduler.run.undo_record import UndoRecord, seal_record
from tests.bad_records import STRANGER
from tests.crash.trial import REPO, environment

pytestmark = pytest.mark.crash

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be made to obey another account")


VICTIM = "-1\n"  # a file of root's that reads as a quota does


class Trap:
    """Folders that look like control groups: a process to be ended in them, a victim file behind a link."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.victim = home / "victim"
        self.victim.write_text(VICTIM)
        self.evil = home / "evil"
        self.process = subprocess.Popen(["sleep", "300"])
        for domain in (IO, GUEST):
            folder = self.evil / "domtune" / domain
            folder.mkdir(parents=True)
            (folder / "cgroup.procs").write_text(f"{self.process.pid}\n")
            (folder / "cpu.shares").write_text("1024\n")
            (folder / "cpu.cfs_period_us").write_text("100000\n")
            (folder / "cpu.cfs_quota_us").symlink_to(self.victim)
        self.record = home / "state" / "journal" / "local-0123456789abcdef.json"

    def undo(self, cpu: Path, adopted: ProcessOrigin | None = None) -> bytes:
        """Return a record, sealed as ours are, that names a folder."""
        place = CgroupPaths(
            scheduler="cgroup-v1",
            cpu=str(cpu),
            cpuacct=str(cpu),
            cpuset="",
            machine_root=False,
            contended_cpu=0,
            client_cpus=(1,),
        )
        found = InitialGroups(booted=True, adopted=adopted)
        context = {name: msgspec.json.encode(value).decode() for name, value in (("place", place), ("found", found))}
        originals = {IO: CgroupParams(weight=7, quota_us=5000, period_us=20000), GUEST: None}
        return seal_record(
            UndoRecord(
                host_url="local:",
                host_id="local-0123456789abcdef",
                context=context,
                originals=originals,
                armed_unix_s=1.0,
                pid=1,
            )
        )

    def plant(self, body: bytes, owner: int = -1, mode: int = 0o600) -> None:
        self.record.parent.mkdir(parents=True)
        self.record.write_bytes(body)
        self.record.chmod(mode)
        os.chown(self.record, owner, owner)

    def restore(self) -> dict:
        done = subprocess.run(
            [sys.executable, "-m", "scheduler", "restore", "--json"],
            cwd=REPO,
            env=environment(self.home),
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 4, done
        return json.loads(done.stdout)["items"][0]

    def check(self) -> None:
        """Nobody was ended, nothing was written, and the record is still there to be looked at."""
        assert self.process.poll() is None
        assert self.victim.read_text() == VICTIM
        assert self.record.exists()


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Trap]:
    made = Trap(tmp_path)
    yield made
    made.process.kill()
    made.process.wait()


def test_record_with_a_folder_that_is_no_control_group_is_refused(trap):
    trap.plant(trap.undo(trap.evil))
    item = trap.restore()
    assert item["state"] == "failed"
    assert str(trap.evil) in item["text"]
    trap.check()


def test_record_that_leads_out_of_the_hierarchy_is_refused(trap):
    hierarchy = parse_mount_points(Path("/proc/self/mountinfo").read_text())[0]
    trap.plant(trap.undo(Path(f"{hierarchy}/../../../..{trap.evil}")))
    assert "not in a control group hierarchy" in trap.restore()["text"]
    trap.check()


def test_record_that_sends_processes_elsewhere_is_refused(trap):
    hierarchy = parse_mount_points(Path("/proc/self/mountinfo").read_text())[0]
    nowhere = hierarchy / "no-such-group"
    stay = ProcessOrigin(trap.process.pid, {str(nowhere): str(trap.evil / "domtune" / IO)}, (0,))
    trap.plant(trap.undo(nowhere, stay))
    assert str(trap.evil) in trap.restore()["text"]
    trap.check()


@as_root
def test_record_of_another_account_is_refused(trap):
    trap.plant(trap.undo(trap.evil), owner=STRANGER)
    item = trap.restore()
    assert item["state"] == "corrupt"
    assert f"belongs to user {STRANGER}" in item["text"]
    trap.check()


def test_record_that_others_may_write_to_is_refused(trap):
    trap.plant(trap.undo(trap.evil), mode=0o666)
    assert "others may write to it" in trap.restore()["text"]
    trap.check()


@as_root
@pytest.mark.parametrize("folder", ["journal", "."])
def test_folder_of_another_account_is_refused_by_its_name(trap, folder):
    trap.plant(trap.undo(trap.evil))
    foreign = trap.home / "state" / folder
    os.chown(foreign, STRANGER, STRANGER)
    text = trap.restore()["text"]
    assert str(trap.record.parent) in text
    assert f"belongs to user {STRANGER}" in text
    trap.check()


@as_root
def test_foreign_link_for_a_folder_closes_no_folder_of_ours(trap):
    trap.plant(trap.undo(trap.evil))
    ours = trap.home / "ours"
    ours.mkdir(mode=0o755)
    trap.record.parent.rename(trap.home / "elsewhere")
    trap.record.parent.symlink_to(ours)
    os.lchown(trap.record.parent, STRANGER, STRANGER)
    assert f"belongs to user {STRANGER}" in trap.restore()["text"]
    assert ours.stat().st_mode & 0o777 == 0o755
