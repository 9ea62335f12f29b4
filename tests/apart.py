"""Workers that do not get in each other's way: each has a computer of its own, as far as control groups go.

Loaded by `-p tests.apart` where tests run side by side (pytest-xdist). A worker enters a control group of its own in
every hierarchy and looks at them from inside (cgroup_namespaces(7)): what it takes for the root of the computer's
groups is that group. `local:`, a libvirtd and whatever else makes groups may so exist once in each worker. It has a
copy of /etc, too: accounts and sudo rules that a test makes are seen in its worker alone, and never by the computer.

Where that cannot be had (no root, or version 2 alone, whose root and whose other groups obey different rules), all
tests that make groups run in one worker, one after the other.
"""

import contextlib
import ctypes
import os
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from xdist.scheduler import LoadScopeScheduling

from scheduler.hosts.cgroup_mounts import CgroupMount, parse_memberships, parse_mounts
from tests import leftover_groups

_NAME = "domtune-test-"
_CLONE_NEWNS, _CLONE_NEWCGROUP = 0x20000, 0x2000000  # linux/sched.h
_MS_REC, _MS_PRIVATE = 1 << 14, 1 << 18  # linux/mount.h
_END_S = 10.0
_entered: list[str] = []  # the group that this process has for itself
_SETS = ("cpuset.cpus", "cpuset.mems")  # version 1: a new group has none, and takes no process


def pytest_configure(config: pytest.Config) -> None:
    if not possible():
        return
    if hasattr(config, "workerinput"):
        _enter(f"{_NAME}{config.workerinput['testrunuid'][:8]}-{config.workerinput['workerid']}")
    else:
        leftover_groups.refuse_now()  # the tests that follow alone would, when all others are done
        _clear(_NAME)  # what a suite that was killed has left
        config.option.testrunuid = config.option.testrunuid or uuid.uuid4().hex


@pytest.hookimpl(trylast=True)  # when the workers have ended
def pytest_sessionfinish(session: pytest.Session) -> None:
    if not possible() or hasattr(session.config, "workerinput"):
        return
    ours = f"{_NAME}{session.config.option.testrunuid[:8]}"  # another suite may run beside this one
    deadline_s = time.monotonic() + _END_S
    while (left := _processes(ours)) and time.monotonic() < deadline_s:
        threading.Event().wait(0.1)
    if left:
        print("\nthe tests left these processes running:", *left, sep="\n  ", file=sys.stderr)
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED
    _clear(ours)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mix the folders, module by module: what waits then runs beside what works, in every worker and until the end."""
    if not hasattr(config, "workerinput"):
        return
    folder_of = {item.path: item.nodeid.split("/")[1] for item in items}
    many = Counter(folder_of[item.path] for item in items)
    before: Counter[str] = Counter()
    place: dict[Path, float] = {}
    for item in items:
        folder = folder_of[item.path]
        place.setdefault(item.path, before[folder] / many[folder])
        before[folder] += 1
    items.sort(key=lambda item: place[item.path])


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> LoadScopeScheduling | None:
    return None if possible() else OneMaker(config, log)


class OneMaker(LoadScopeScheduling):
    """Gives all tests that make control groups to one worker."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return "makes groups" if leftover_groups.makes_groups(file.removeprefix("tests/")) else file


@contextlib.contextmanager
def slowed(pid: int, cpus: float) -> Iterator[None]:
    """Let a process and its children to come use so much of a CPU: who loads it leaves the rest to other tests.

    Without groups of our own it goes at full speed.
    """
    points = [mount.point for mount in _hierarchies() if "cpu" in mount.controllers] if _entered else []
    groups = [point / f"slowed-{pid}" for point in points]
    for group in groups:
        group.mkdir()
        (group / "cpu.cfs_quota_us").write_text(
            str(round(cpus * 100_000))
        )  # of a period of 100 ms, the kernel's default
        (group / "cgroup.procs").write_text(str(pid))
    yield
    for group in groups:
        with contextlib.suppress(OSError):  # a process of it still ends: the worker's own group goes with it later
            group.rmdir()


def possible() -> bool:
    """Return whether a worker can have groups of its own here."""
    return os.geteuid() == 0 and any("cpu" in mount.controllers for mount in _hierarchies())


def _hierarchies() -> tuple[CgroupMount, ...]:
    return parse_mounts(Path("/proc/self/mountinfo").read_text())


def _bases() -> Iterator[Path]:
    """Yield this process's group in every hierarchy."""
    stands = parse_memberships(Path("/proc/self/cgroup").read_text())
    for mount in _hierarchies():
        yield mount.folder_of(stands) or mount.point


def _enter(name: str) -> None:
    _entered.append(name)
    for base in _bases():
        group = base / name
        group.mkdir()
        for file in _SETS:
            if (group / file).exists():
                (group / file).write_text((base / file).read_text())
        (group / "cgroup.procs").write_text(str(os.getpid()))
    libc = ctypes.CDLL(None, use_errno=True)  # os.unshare came with Python 3.12
    _check(libc.unshare(_CLONE_NEWNS | _CLONE_NEWCGROUP))
    _check(libc.mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE, None))
    for mount in _hierarchies():
        kind = ["cgroup", "-o", ",".join(sorted(mount.controllers))] if mount.controllers else ["cgroup2"]
        subprocess.run(["umount", mount.point], check=True)
        subprocess.run(["mount", "-t", *kind, "none", mount.point], check=True)
    etc = subprocess.run(["tar", "-C", "/etc", "-c", "."], stdout=subprocess.PIPE, check=False)
    assert etc.returncode in (0, 1)  # 1: a file changed while it was read, as when somebody makes an account (tar(1))
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "none", "/etc"], check=True)
    subprocess.run(["tar", "-C", "/etc", "-x"], input=etc.stdout, check=True)


def _check(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _processes(named: str) -> list[str]:
    """Return number and command of each process that still stands in groups so named."""
    found: dict[int, str] = {}
    for base in _bases():
        for group in base.glob(f"{named}*"):
            for pid in _pids(group):
                with contextlib.suppress(psutil.Error):
                    process = psutil.Process(pid)
                    if process.status() != psutil.STATUS_ZOMBIE:
                        found[pid] = f"{pid} {' '.join(process.cmdline())[:200]}"
    return list(found.values())


def _pids(group: Path) -> list[int]:
    found: list[int] = []
    for file in group.rglob("cgroup.procs"):
        with contextlib.suppress(OSError):  # it went while we looked
            found += map(int, file.read_text().split())
    return found


def _clear(named: str) -> None:
    """Remove the groups so named of workers that have ended, the inner ones first."""
    for base in _bases():
        for group in base.glob(f"{named}*"):
            if _pids(group):
                continue  # of a worker that still runs: it may be about to fill an empty one
            for folder in sorted((group, *(path for path in group.rglob("*") if path.is_dir())), reverse=True):
                try:
                    folder.rmdir()
                except OSError:
                    break
