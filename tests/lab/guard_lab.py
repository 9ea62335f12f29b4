"""The running Xen lab for the guard's tests: reached by the product's own ssh, looked at by another one."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from labs.xen import qmp
from scheduler.waiting import wait_until

DOM0_ALIAS = "domtune-xen"
ROUND_S = 60.0  # an emulated Dom0 takes seconds for what takes milliseconds elsewhere
BOOT_S = 900.0  # 120 s were seen on a busy computer
_BOOT_ID = "/proc/sys/kernel/random/boot_id"

_ROW = re.compile(r"^(.*?)\s+(\d+)\s+(\d+)\s+(\d+)\s*$", re.MULTILINE)
_VCPU_ROW = re.compile(r"^(.*?)\s+(\d+)\s+(\d+)\s+(\d+|-)\s+[r-][b-][p-]\s+[0-9.]+\s+(.*?)\s*$", re.MULTILINE)
_RTDS_ROW = re.compile(r"^(.*?)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(yes|no)\s*$", re.MULTILINE)


class Dom0:
    """The lab's Dom0, looked at without the product.

    Args:
        config: An ssh configuration that knows `domtune-xen`.
        socket: Where its one connection is shared from: an emulated host takes seconds for a new one. None: not shared.
    """

    def __init__(self, config: Path, socket: Path | None = None) -> None:
        share = [f"-oControlPath={socket}", "-oControlMaster=auto", "-oControlPersist=60"]
        keep = ["-oLogLevel=ERROR", *(share if socket else ())]
        self._ssh = ["ssh", "-F", str(config), "-oBatchMode=yes", *keep, DOM0_ALIAS]

    def run(self, line: str, *, timeout_s: float = 240.0) -> str:
        """Run a line of shell as root; raises CalledProcessError."""
        done = subprocess.run([*self._ssh, line], capture_output=True, text=True, timeout=timeout_s, check=True)
        return done.stdout

    def scheduler(self) -> str:
        """Return the scheduler that runs."""
        return self.run("xl info xen_scheduler").strip()

    def values(self) -> Mapping[int, tuple[int, int]]:
        """Return weight and cap by domain number."""
        text = self.run(f"xl sched-{self.scheduler()}")
        return {int(row[1]): (int(row[2]), int(row[3])) for row in _ROW.findall(text)}

    def budgets(self) -> Mapping[tuple[int, int], tuple[int, int, str]]:
        """Return period and budget in microseconds and the extra time, by domain and vCPU; under RTDS."""
        rows = _RTDS_ROW.findall(self.run("xl sched-rtds -v all"))
        return {(int(row[1]), int(row[2])): (int(row[3]), int(row[4]), row[5]) for row in rows}

    def set_all(self, weight: int) -> None:
        """Set every domain's weight, without a cap."""
        each = f"xl sched-{self.scheduler()} -d $d -w {weight} -c 0"
        self.run(f"for d in $(xenstore-list /local/domain); do {each} || exit 1; done")

    def masks(self) -> Mapping[tuple[int, int], tuple[bool, str]]:
        """Return whether a vCPU is online, and its CPUs as printed (hard / soft), by domain and vCPU."""
        rows = _VCPU_ROW.findall(self.run("xl vcpu-list"))
        return {(int(row[1]), int(row[2])): (row[3] != "-", row[4]) for row in rows}

    def settings(self) -> Mapping[str, str]:
        """Return all that a sweep may change, under credit2: weight and cap, online vCPUs and CPUs, by domain's name.

        A restarted guest has another number, but the same settings.
        """
        vcpus, values = self.run("xl vcpu-list; echo ---; xl sched-credit2").split("---\n")
        found = {row[0]: f"weight {row[2]}, cap {row[3]}" for row in _ROW.findall(values)}
        found |= {
            f"{row[0]} vCPU {row[2]}": f"{'offline' if row[3] == '-' else 'online'} on {row[4]}"
            for row in _VCPU_ROW.findall(vcpus)
        }
        return found

    def guest(self) -> tuple[int, str]:
        """Return number and UUID of the one guest."""
        row = self.run("xl list -v").splitlines()[-1].split()
        return int(row[1]), next(word for word in row if re.fullmatch(r"[0-9a-f-]{36}", word))

    def state(self, base: str) -> str:
        """Return the state of the guard's folder by its file; `none` without one."""
        found = self.run(f"cd {base}/sweep 2>/dev/null && ls -d armed fired restored released 2>/dev/null || echo none")
        return found.split()[0]

    def log(self, base: str) -> str:
        """Return the guard's log."""
        return self.run(f"cat {base}/sweep/log 2>/dev/null || true")

    def wait_for(self, condition: str, limit_s: float, complaint: str) -> None:
        """Wait until a line of shell is true there; asked over there, since each look from here costs a session."""
        line = f"n={int(limit_s)}; until {condition}; do n=$((n-1)); [ $n -gt 0 ] || exit 9; sleep 1; done"
        try:
            self.run(line, timeout_s=2 * limit_s + ROUND_S)
        except subprocess.CalledProcessError as error:
            raise AssertionError(f"{complaint} within {limit_s:g} s: {error}") from error

    def wait_for_state(self, base: str, state: str, limit_s: float) -> None:
        """Wait until the guard's folder is in a state."""
        self.wait_for(f"[ -e {base}/sweep/{state} ]", limit_s, f"the guard did not become {state}")

    def wait_until_over(self, base: str, limit_s: float) -> None:
        """Wait until no guard is armed or putting back."""
        over = f"[ ! -e {base}/sweep/armed ] && [ ! -e {base}/sweep/fired ]"
        self.wait_for(over, limit_s, "the host is not put back")


def set_link(config: Path, *, up: bool) -> None:
    """Pull the lab's network cable, or put it in: every packet is lost meanwhile, and neither side is told."""
    with qmp.connect_monitor(config.parent) as monitor:
        monitor.execute("set_link", {"name": "n0", "up": up})


def reboot(config: Path, dom0: Dom0) -> None:
    """Reboot the lab's Dom0 and wait until it answers; the guest ends before and is not started.

    The lab ends at a reboot, unless its emulator is told to start the machine again.

    Args:
        config: The lab's ssh configuration, in the lab's folder.
        dom0: Its connection is not shared: a shared one would outlive the reboot.
    """
    with qmp.connect_monitor(config.parent) as monitor:
        monitor.execute("set-action", {"reboot": "reset"})
    boot = dom0.run(f"cat {_BOOT_ID}")
    dom0.run("timeout 60 xl shutdown -a -w || xl destroy db1; sync; systemd-run --on-active=1 -q systemctl reboot")

    def is_booted() -> bool:
        try:
            line = f"cat {_BOOT_ID} && systemctl is-system-running --wait || true"
            return dom0.run(line, timeout_s=ROUND_S).split()[:1] != boot.split()
        except subprocess.SubprocessError:
            return False

    assert wait_until(is_booted, BOOT_S, every_s=5.0), f"Dom0 does not answer {BOOT_S:g} s after its reboot"


def copy_by_hand(folder: Path, config: Path) -> None:
    """Copy a folder to Dom0 as /root/by-hand.

    Args:
        folder: The folder.
        config: The lab's ssh configuration.
    """
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        archive.add(folder, "by-hand")
    words = ["ssh", "-F", str(config), "-oBatchMode=yes", DOM0_ALIAS, shlex.join(["tar", "-C", "/root", "-x"])]
    subprocess.run(words, input=content.getvalue(), check=True, timeout=120)


def ssh_that_knows(config: Path, folder: Path) -> Mapping[str, str]:
    """Return an environment in which `ssh` reads the lab's configuration before anything else."""
    folder.mkdir(parents=True)
    program = folder / "ssh"
    program.write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F "{config}" "$@"\n')
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "DOMTUNE_HOME": str(folder / "home")}


@contextlib.contextmanager
def knowing(config: Path, folder: Path) -> Iterator[None]:
    """Let this process, and what it starts, know the lab: `ssh` reads its configuration, the home is in `folder`."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ssh_that_knows(config, folder / "bin").items():
            patch.setenv(name, value)
        yield
