"""What a sweep may change on this computer, as one comparable value; used to prove that nothing is left."""

from pathlib import Path

import psutil

OURS = ("scheduler.hosts.local.relay", "scheduler.loads.worker", "scheduler core", "scheduler run")
_CGROUP = Path("/sys/fs/cgroup")
_FILES = ("cpu.shares", "cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.weight", "cpu.max", "cpuset.cpus")


def control_groups() -> dict[str, str]:
    """Return every control group's CPU parameters and enabled controllers, all hierarchies that we may touch."""
    found: dict[str, str] = {}
    for folder in (path for root in _roots() for path in (root, *root.rglob("*")) if path.is_dir()):
        found[str(folder)] = " ".join(_read(folder / name) for name in (*_FILES, "cgroup.subtree_control"))
    return found


def changes(before: dict[str, str]) -> list[str]:
    """Return how control groups differ from `before`; groups of others that came or went are their own business."""
    after = control_groups()
    return [
        f"{path}: {before.get(path)} -> {after.get(path)}"
        for path in before | after
        if before.get(path) != after.get(path) and ("domtune" in path or (path in before and path in after))
    ]


def processes(home: Path) -> list[str]:
    """Return what runs for `home`: relay, users, cores, and servers whose data lie below it."""
    found: list[str] = []
    for process in psutil.process_iter():
        try:
            words = " ".join(process.cmdline())
            ours = any(name in words for name in OURS) and process.environ().get("DOMTUNE_HOME") == str(home)
            server = str(home) in words and "postgres" in words
            if (ours or server) and process.status() != psutil.STATUS_ZOMBIE:
                found.append(f"{process.pid} {words[:120]}")
        except psutil.Error:
            continue  # it ended while we looked
    return found


def listening(home: Path) -> list[str]:
    """Return the sockets that processes of ours listen on."""
    pids = {int(line.split()[0]) for line in processes(home)}
    return [
        str(connection.laddr)
        for connection in psutil.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN and connection.pid in pids
    ]


def _roots() -> list[Path]:
    """Return the mounted hierarchies: version 2's only one, or those of version 1 that hold what we change."""
    named = [_CGROUP / name for name in ("cpu", "cpuacct", "cpu,cpuacct", "cpuset", "unified")]
    return [path for path in named if path.is_dir()] or [_CGROUP]


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return "-"
