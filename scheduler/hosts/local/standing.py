"""Which groups of ours stand on this computer, whoever made them and whatever may be written there."""

from collections.abc import Iterator
from pathlib import Path

from scheduler.files import is_there
from scheduler.hosts.local.mounts import Memberships, Mount, memberships, mounts
from scheduler.hosts.local.place import CORE, PARENT, group
from scheduler.hosts.local.steps import pids_in
from scheduler.model.guests import THREE

_QUOTAS = ("cpu.max", "cpu.cfs_quota_us")


def standing(process: Path = Path("/proc/self")) -> tuple[str, ...]:
    """Return a line for each of our groups: its folder, its quota, and the processes in it; never raises.

    Args:
        process: The folder in /proc of the process that looks.
    """
    try:
        hierarchies = mounts((process / "mountinfo").read_text())
        own = memberships((process / "cgroup").read_text())
    except OSError:
        return ()
    folders = dict.fromkeys(folder for mount in hierarchies for folder in _folders(mount, own))
    return tuple(_line(folder) for folder in folders if is_there(folder))


def _folders(mount: Mount, own: Memberships) -> Iterator[Path]:
    inside = mount.folder_of(own) or mount.point
    if inside.parts[-2:] == (PARENT, CORE):
        inside = inside.parent.parent
    for base in (mount.point, inside):
        yield from (group(str(base), domain) for domain in THREE)


def _line(folder: Path) -> str:
    quota = next((text for name in _QUOTAS if (text := _text(folder / name))), "")
    limit = f", {quota.split()[0]} us of CPU time per period" if quota and quota.split()[0] not in ("max", "-1") else ""
    pids = pids_in(folder)
    inside = f"processes {', '.join(map(str, pids))}" if pids else "no processes"
    return f"{folder}: {inside}{limit}{_given_to(folder)}"


def _given_to(folder: Path) -> str:
    """Return for whom the helper made a group: the folder stays root's, its `cgroup.procs` becomes the user's."""
    try:
        owner, user = folder.stat().st_uid, (folder / "cgroup.procs").stat().st_uid
    except OSError:
        return ""
    return f", made by the helper for user {user}" if owner != user else ""


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
