"""The LXC lab, from nothing to nothing, with real sweeps of it in between, some of which are broken on purpose.

Its libvirtd, containers and PostgreSQL are real; the control groups are looked at as a stranger does.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psutil
import pytest

from tests.killing import kill

REPO = Path(__file__).resolve().parents[2]
GROUPS = Path("/sys/fs/cgroup/cpu/machine")
FOUND = {"cpu.shares": "1024", "cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "-1"}
SPLITS = ("1:3", "3:1")

pytestmark = [pytest.mark.lab, pytest.mark.timeout(600)]


class Lab:
    """The lab by its command, in a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = {**os.environ, "DOMTUNE_HOME": str(home)}
        self.run_folder = home / "cache/labs/lxc/run"

    def domtune(self, *words: str, wait_s: float = 300) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "scheduler", *words]
        return subprocess.run(
            command, env=self.environment, cwd=REPO, capture_output=True, text=True, timeout=wait_s, check=False
        )

    def tell(self, action: str) -> dict:
        done = self.domtune("lab", "lxc", action, "--json")
        return {**json.loads(done.stdout), "exit": done.returncode, "said": done.stderr}

    def plan(self, *more: str) -> Path:
        """Write the lab's own plan with short visits."""
        text = (self.run_folder / "plan.toml").read_text()
        text = text.replace('splits = ["1:3", "1:1", "3:1"]', f"splits = {json.dumps(SPLITS)}")
        text = text.replace('protocol = "quick"', "\n".join(['protocol = "quick"', *more]))
        path = self.home / "plan.toml"
        path.write_text(text)
        return path

    def sweep(self, *more: str) -> subprocess.Popen[str]:
        environment = {**self.environment, "PGPASSFILE": str(self.run_folder / "pgpass")}
        command = [sys.executable, "-m", "scheduler", "run", str(self.plan(*more)), "--json", "--quiet"]
        return subprocess.Popen(
            command, env=environment, cwd=REPO, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def virsh(self, *words: str) -> str:
        command = ["virsh", "-q", "-c", json.loads(self.domtune("lab", "lxc", "status", "--json").stdout)["host_url"]]
        return subprocess.run([*command, *words], capture_output=True, text=True, check=True, timeout=60).stdout

    def groups(self) -> dict[str, dict[str, str]]:
        """Return what a sweep may change of the lab's containers."""
        found = {}
        for name in ("io", "db"):
            for folder in GROUPS.glob(f"lxc-*-{name}.libvirt-lxc"):
                found[name] = {file: (folder / file).read_text().strip() for file in FOUND}
        return found

    def as_found(self) -> bool:
        return self.groups() == {"io": FOUND, "db": FOUND}

    def until_limited(self) -> None:
        wait_until(lambda: any(group["cpu.cfs_quota_us"] != "-1" for group in self.groups().values()), 120)

    def records(self) -> list[Path]:
        return list((self.home / "state/journal").glob("*.json"))

    def libvirtd(self) -> int:
        return int((self.run_folder / "libvirtd.pid").read_text())

    def mentions(self) -> list[str]:
        """Return every process whose command line names the lab's folder."""
        found = []
        for process in psutil.process_iter(["cmdline"]):
            words = " ".join(process.info["cmdline"] or ())
            if str(self.home) in words and process.status() != psutil.STATUS_ZOMBIE:
                found.append(words)
        return found


def wait_until(fine, limit_s):
    deadline_s = time.monotonic() + limit_s
    while not fine():
        assert time.monotonic() < deadline_s, f"not within {limit_s} s"
        threading.Event().wait(0.1)


@pytest.fixture(scope="module")
def lab():
    assert os.geteuid() == 0, "the LXC lab needs root"
    home = Path(tempfile.mkdtemp(prefix="domtune-lxc-"))
    home.chmod(0o755)  # the server's account must be able to enter
    made = Lab(home)
    began = made.tell("up")
    assert (began["state"], began["exit"]) == ("up", 0), began
    try:
        yield made
    finally:
        ended = made.tell("down")
        left = made.mentions()
        shutil.rmtree(home)
    assert (ended["state"], ended["exit"]) == ("down", 0), ended
    assert left == []
    assert not made.groups()


@pytest.fixture
def up(lab):
    """The lab as it was started, whatever the test before did to it."""
    assert lab.tell("up")["state"] == "up"
    assert lab.as_found()
    assert not lab.records()
    return lab


def test_that_up_twice_is_up_once_and_no_password_is_in_sight(up):
    pid = up.libvirtd()
    again = up.tell("up")
    assert (again["state"], again["pid"], again["postgresql"]) == ("up", pid, True)
    passfile = up.run_folder / "pgpass"
    assert passfile.stat().st_mode & 0o077 == 0
    password = passfile.read_text().split()[0].rpartition(":")[2]
    assert len(password) > 20
    assert not [words for words in up.mentions() if password in words]
    assert password not in json.dumps(again) + (up.run_folder / "plan.toml").read_text()


@pytest.mark.alone  # an emulator that goes before everything else would take what the containers are promised
def test_that_a_sweep_delivers_what_was_configured_to_the_side_that_is_short_of_it(up):
    sweep = up.sweep("repeats = 2", "measure_s = 6", "settle_s = 2", "load_settle_s = 4")
    out, err = sweep.communicate(timeout=300)
    assert sweep.returncode == 0, err
    results = json.loads(out)
    assert (results["outcome"], results["restored"], results["simulated"]) == ("completed", True, False)
    assert up.as_found()
    assert not up.records()
    points = {point["split"]: point for point in results["points"]}
    for setting, short in (("1:3", "io"), ("3:1", "guest")):
        point = points[setting]
        assert abs(point["delivered_share"][short] - 0.24) < 0.05, point


def test_that_a_sweep_whose_core_is_killed_is_restored_by_its_record(up):
    sweep = up.sweep("measure_s = 5", "settle_s = 1", "load_settle_s = 1")
    up.until_limited()
    sweep.kill()
    sweep.communicate(timeout=30)
    assert up.records()
    assert up.domtune("restore").returncode == 0
    assert up.as_found()
    assert not up.records()


def test_that_a_libvirtd_killed_in_a_sweep_and_not_coming_back_is_said_and_restored_when_it_is_there(up):
    sweep = up.sweep("measure_s = 5", "settle_s = 1", "load_settle_s = 1")
    up.until_limited()
    kill(up.libvirtd())
    out, err = sweep.communicate(timeout=120)
    assert sweep.returncode == 4, (sweep.returncode, err)  # not restored
    said = json.loads(out)["reason"] if out.strip() else err
    assert "does not answer" in said + err
    assert up.records()
    assert up.domtune("restore").returncode != 0
    assert up.records()
    subprocess.run([REPO / "packaging/lab/lxc/libvirtd", up.run_folder], check=True, capture_output=True, timeout=30)
    wait_until(lambda: up.domtune("restore").returncode == 0, 30)
    assert up.as_found()
    assert not up.records()


def test_that_a_libvirtd_that_comes_back_in_time_costs_the_sweep_nothing(up):
    sweep = up.sweep("repeats = 1", "measure_s = 4", "settle_s = 1", "load_settle_s = 1")
    up.until_limited()
    kill(up.libvirtd())
    subprocess.run([REPO / "packaging/lab/lxc/libvirtd", up.run_folder], check=True, capture_output=True, timeout=30)
    _, err = sweep.communicate(timeout=200)
    assert sweep.returncode == 0, err
    assert up.as_found()
    assert not up.records()


def test_that_a_domain_destroyed_in_a_sweep_ends_it_with_the_other_as_found(up):
    sweep = up.sweep("measure_s = 5", "settle_s = 1", "load_settle_s = 1")
    up.until_limited()
    up.virsh("destroy", "io")
    out, err = sweep.communicate(timeout=120)
    assert sweep.returncode == 1, (sweep.returncode, out[-500:], err)
    assert up.groups() == {"db": FOUND}
    assert not up.records()
    assert up.tell("status")["state"] == "unwell"
