"""The LXC lab for tests: `domtune lab lxc` as a user calls it, its control groups looked at as a stranger does."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil

REPO = Path(__file__).resolve().parents[2]
GROUPS = Path("/sys/fs/cgroup/cpu/machine")
FOUND = {"cpu.shares": "1024", "cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "-1"}
SPLITS = ("1:3", "3:1")


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

    def tell(self, action: str, *more: str) -> dict:
        done = self.domtune("lab", "lxc", action, *more, "--json")
        return {**json.loads(done.stdout), "exit": done.returncode, "said": done.stderr}

    def plan(self, *more: str) -> Path:
        """Write the lab's own plan with short trials."""
        text = (self.run_folder / "plan.toml").read_text()
        text = text.replace('splits = ["1:3", "1:1", "3:1"]', f"splits = {json.dumps(SPLITS)}")
        text = text.replace('protocol = "quick"', "\n".join(['protocol = "quick"', *more]))
        path = self.home / "plan.toml"
        path.write_text(text)
        return path

    def sweep(self, *more: str) -> subprocess.Popen[str]:
        return self.run(self.plan(*more))

    def run(self, plan: Path) -> subprocess.Popen[str]:
        return self.begin("run", str(plan), "--json", "--quiet", "--allow-password")

    def begin(self, *words: str) -> subprocess.Popen[str]:
        environment = {**self.environment, "PGPASSFILE": str(self.run_folder / "pgpass")}
        command = [sys.executable, "-m", "scheduler", *words]
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

    def written(self) -> dict[str, int]:
        """Return when each file of the containers' control groups was last written."""
        folders = [folder for name in ("io", "db") for folder in GROUPS.glob(f"lxc-*-{name}.libvirt-lxc")]
        return {str(path): path.stat().st_mtime_ns for folder in folders for path in folder.iterdir() if path.is_file()}

    def limit(self, io_us: int, db_us: int) -> None:
        """Limit both containers by hand, microseconds in each 100,000; -1 for no limit."""
        for name, quota_us in (("io", io_us), ("db", db_us)):
            self.virsh("schedinfo", name, "--live", "--set", f"vcpu_quota={quota_us}")

    def password(self) -> str:
        return (self.run_folder / "pgpass").read_text().split()[0].rpartition(":")[2]

    def as_found(self) -> bool:
        return self.groups() == {"io": FOUND, "db": FOUND}

    def until_limited(self) -> None:
        wait_until(lambda: any(group["cpu.cfs_quota_us"] != "-1" for group in self.groups().values()), 120)

    def records(self) -> list[Path]:
        return list((self.home / "state/journal").glob("*.json"))

    def libvirtd(self) -> int:
        return int((self.run_folder / "libvirtd.pid").read_text())

    def bare(self) -> int:
        return int((self.run_folder / "bare.pid").read_text())

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
