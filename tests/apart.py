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
import itertools
import os
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import psutil
import pytest
from xdist.scheduler import LoadScopeScheduling

from scheduler.hosts.cgroup_mounts import CgroupMount, parse_memberships, parse_mounts
from tests import leftover_groups

SHARED_SERVERS = frozenset({"database", "maria", "mysql"})
"""Fixtures of databases that a worker starts once for all of its tests."""
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
    """Mix the folders, module by module, and keep the modules of each shared database together.

    Every worker runs tests that wait next to tests that work, until the end.
    """
    if not hasattr(config, "workerinput"):
        return
    tests_of: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests_of.setdefault(item.nodeid.partition("::")[0], []).append(item)
    sizes = {file: len(tests) for file, tests in tests_of.items()}
    users = {file: server for file, tests in tests_of.items() if (server := _shared_server(tests))}
    order = order_modules(sizes, users, config.workerinput["workercount"])
    items[:] = [item for file in order for item in tests_of[file]]


def order_modules(sizes: Mapping[str, int], users: Mapping[str, str], workers: int) -> list[str]:
    """Return the order in which modules are collected, so that few workers start a shared database.

    Workers begin with equal parts of the tests, in order, and take over what others have left from the end
    (`--dist worksteal`). The modules of one database begin one part, or two.

    Args:
        sizes: How many tests each module has, by its file from the project's folder.
        users: The database of each module that uses a shared one.
        workers: How many workers there are, at least 1.
    """
    used_by = [[file for file in sizes if users.get(file) == server] for server in sorted(set(users.values()))]
    blocks = [block for files in used_by for block in _halve(files, sizes)]
    mixed = _mix_folders({file: size for file, size in sizes.items() if file not in users})
    order: list[str] = []
    tests = 0
    for number in range(workers):
        order += (block := blocks.pop(0) if blocks else [])
        tests += sum(sizes[file] for file in block)
        while mixed and tests < sum(sizes.values()) * (number + 1) // workers:
            order.append(mixed.pop(0))
            tests += sizes[order[-1]]
    return [*order, *mixed, *(file for block in blocks for file in block)]


def _halve(files: Sequence[str], sizes: Mapping[str, int]) -> list[list[str]]:
    """Return modules in one or two blocks of about as many tests: one slow database for all would take minutes."""
    half = sum(sizes[file] for file in files) / 2
    ends = itertools.accumulate(sizes[file] for file in files)
    later = [end > half for end in ends]
    blocks = [
        [file for file, is_later in zip(files, later, strict=True) if is_later is wanted] for wanted in (False, True)
    ]
    return [block for block in blocks if block]


def _mix_folders(sizes: Mapping[str, int]) -> list[str]:
    """Return modules such that those of each folder of `tests` are spread evenly."""
    folder_of = {file: file.split("/")[1] for file in sizes}
    many: Counter[str] = Counter()
    for file, size in sizes.items():
        many[folder_of[file]] += size
    before: Counter[str] = Counter()
    place: dict[str, float] = {}
    for file, size in sizes.items():
        place[file] = before[folder_of[file]] / many[folder_of[file]]
        before[folder_of[file]] += size
    return sorted(sizes, key=lambda file: place[file])


def _shared_server(tests: Iterable[pytest.Item]) -> str:
    """Return the shared database that most tests of a module use; empty if none does."""
    used: Counter[str] = Counter()
    for item in tests:
        marker = item.get_closest_marker("shared_server")
        used.update(marker.args if marker else SHARED_SERVERS & set(getattr(item, "fixturenames", ())))
    return max(sorted(used), key=lambda server: used[server], default="")


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
