"""Which groups of ours stand on this computer, whoever made them and whatever may be written there."""

from collections.abc import Iterator
from pathlib import Path

from scheduler.files import path_exists
from scheduler.hosts.local.cgroup_mounts import CgroupMount, Memberships, parse_memberships, parse_mounts
from scheduler.hosts.local.cgroup_paths import CORE, PARENT, group_folder
from scheduler.hosts.local.cgroup_steps import read_pids
from scheduler.model.split import ROLES

_QUOTAS = ("cpu.max", "cpu.cfs_quota_us")


def list_leftover_groups(process: Path = Path("/proc/self")) -> tuple[str, ...]:
    """Return a line for each of our groups: its folder, its quota, and the processes in it; never raises.

    Args:
        process: The folder in /proc of the process that looks.
    """
    try:
        hierarchies = parse_mounts((process / "mountinfo").read_text())
        own = parse_memberships((process / "cgroup").read_text())
    except OSError:
        return ()
    folders = dict.fromkeys(folder for mount in hierarchies for folder in _list_candidates(mount, own))
    return tuple(_describe_group(folder) for folder in folders if path_exists(folder))


def _list_candidates(mount: CgroupMount, own: Memberships) -> Iterator[Path]:
    inside = mount.folder_of(own) or mount.point
    if inside.parts[-2:] == (PARENT, CORE):
        inside = inside.parent.parent
    for base in (mount.point, inside):
        yield from (group_folder(str(base), domain) for domain in ROLES)


def _describe_group(folder: Path) -> str:
    quota = next((text for name in _QUOTAS if (text := _read_text(folder / name))), "")
    limit = f", {quota.split()[0]} us of CPU time per period" if quota and quota.split()[0] not in ("max", "-1") else ""
    pids = read_pids(folder)
    inside = f"processes {', '.join(map(str, pids))}" if pids else "no processes"
    return f"{folder}: {inside}{limit}{_describe_owner(folder)}"


def _describe_owner(folder: Path) -> str:
    """Return for whom the helper made a group: the folder stays root's, its `cgroup.procs` becomes the user's."""
    try:
        owner, user = folder.stat().st_uid, (folder / "cgroup.procs").stat().st_uid
    except OSError:
        return ""
    return f", made by the helper for user {user}" if owner != user else ""


def _read_text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
