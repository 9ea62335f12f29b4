"""A libvirtd of the tests' own, its domains, and what a stranger sees of them: control group files and virsh."""

import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.lacking import lacking

REPO = Path(__file__).resolve().parents[3]
START = REPO / "packaging/lab/lxc/libvirtd"
NEEDED = ("libvirtd", "virsh", "unshare")
CPU = Path("/sys/fs/cgroup/cpu")
HIERARCHIES = Path("/sys/fs/cgroup")

# Ends at once when asked to, as a container's first process should.
IDLE = "trap 'exit 0' TERM; while :; do sleep 1 & wait; done"
BUSY = "trap 'exit 0' TERM; while :; do :; done"

CONTAINER = """
<domain type='lxc'>
  <name>{name}</name>
  <memory unit='MiB'>64</memory>
  <vcpu placement='static' cpuset='{cpus}'>1</vcpu>
  <os>
    <type>exe</type>
    <init>/bin/sh</init>
    <initarg>-c</initarg>
    <initarg>{command}</initarg>
  </os>
  <devices><console type='pty'/></devices>
</domain>
"""


def need_libvirtd() -> None:
    """Go on only where a libvirtd can be started and looked at; root never goes without its programs."""
    if os.geteuid() != 0:
        lacking("a private libvirtd needs root")
    absent = [name for name in NEEDED if shutil.which(name) is None]
    if absent:
        lacking(f"not installed: {', '.join(absent)} (packaging/apt-packages tests names the packages)")
    if not (CPU / "cpu.shares").exists():
        pytest.skip("this kernel has no version 1 of control groups, into which these tests look")


class PrivateLibvirtd:
    """A libvirtd with folders of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.socket = folder / "run/libvirt-sock"
        self.pid = 0

    def url(self, driver: str, path: str = "/system") -> str:
        return f"{driver}+unix://{path}?socket={self.socket}"

    def start(self) -> None:
        said = subprocess.run([START, self.folder], capture_output=True, text=True, check=True, timeout=60)
        self.pid = int(said.stdout)
        deadline_s = time.monotonic() + 60
        while self.virsh("lxc", "version", check=False).returncode:
            assert time.monotonic() < deadline_s, (self.folder / "libvirtd.log").read_text()
            wait(0.05)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self._ended()

    def stop(self) -> None:
        os.kill(self.pid, signal.SIGTERM)
        self._ended()

    def running(self) -> bool:
        stat = Path(f"/proc/{self.pid}/stat")
        return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"

    def virsh(self, driver: str, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = ["virsh", "-q", "-c", self.url(driver), *words]
        return subprocess.run(command, capture_output=True, text=True, check=check, timeout=60)

    def define(self, driver: str, description: str) -> None:
        path = self.folder / "domain.xml"
        path.write_text(description)
        self.virsh(driver, "define", str(path))

    def container(self, name: str, command: str = IDLE, cpus: str = "0") -> None:
        escaped = command.replace("&", "&amp;")
        self.define("lxc", CONTAINER.format(name=name, command=escaped, cpus=cpus))
        self.virsh("lxc", "start", name)

    def uuid(self, driver: str, name: str) -> str:
        return self.virsh(driver, "domuuid", name).stdout.strip()

    def kept(self, driver: str, names: Iterable[str]) -> str:
        """Return what is kept of the domains for their next start, which no sweep may change."""
        return self.virsh(driver, "; ".join(f"dumpxml --inactive {name}" for name in names)).stdout

    def clear(self) -> None:
        """End and forget every domain."""
        for driver in ("lxc", "qemu"):
            for name in self.virsh(driver, "list", "--name").stdout.split():
                self.virsh(driver, "destroy", name)
            for name in self.virsh(driver, "list", "--all", "--name").stdout.split():
                self.virsh(driver, "undefine", name)

    def remove_groups(self) -> None:
        """Remove the groups in which libvirt kept its domains; they are empty now, or not ours."""
        for folder in HIERARCHIES.glob("*/machine"):
            try:
                folder.rmdir()
            except OSError:
                continue

    def _ended(self) -> None:
        deadline_s = time.monotonic() + 60
        while self.running():
            assert time.monotonic() < deadline_s, "libvirtd did not end"
            wait(0.02)


def groups_of(name: str, driver: str) -> dict[str, str]:
    """Return the domain's control group files that a sweep may change, whatever its number is."""
    pattern = f"lxc-*-{name}.libvirt-lxc" if driver == "lxc" else f"qemu-*-{name}.libvirt-qemu"
    found: dict[str, str] = {}
    for group in sorted((CPU / "machine").glob(pattern)):
        for path in sorted(group.rglob("cpu.[sc]*")):
            if path.name in ("cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_period_us"):
                found[str(path.relative_to(group))] = path.read_text().strip()
    return found


def wait(seconds: float) -> None:
    threading.Event().wait(seconds)
