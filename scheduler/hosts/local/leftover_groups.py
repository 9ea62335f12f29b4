"""List of DomTune's groups on this computer, created by any process."""

from collections.abc import Iterator
from pathlib import Path

from scheduler.files import path_exists
from scheduler.hosts.cgroup_mounts import CgroupMount, Memberships, parse_memberships, parse_mounts
from scheduler.hosts.local.cgroup_paths import CORE, PARENT, group_folder
from scheduler.hosts.local.cgroup_steps import read_pids
from scheduler.model.split import ROLES
from scheduler.translation import _

_QUOTAS = ("cpu.max", "cpu.cfs_quota_us")


def list_leftover_groups(process: Path = Path("/proc/self")) -> tuple[str, ...]:
    """Return a line for each group: folder, quota and processes; never raise.

    Args:
        process: Folder of the reading process in /proc.
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
    limit = (
        _(", {quota} us of CPU time per period").format(quota=quota.split()[0])
        if quota and quota.split()[0] not in ("max", "-1")
        else ""
    )
    pids = read_pids(folder)
    inside = _("processes {pids}").format(pids=", ".join(map(str, pids))) if pids else _("no processes")
    return f"{folder}: {inside}{limit}{_describe_owner(folder)}"


def _describe_owner(folder: Path) -> str:
    """Return the user for whom the helper created a group, as text; else empty.

    The folder belongs to root, and `cgroup.procs` belongs to the user.
    """
    try:
        owner, user = folder.stat().st_uid, (folder / "cgroup.procs").stat().st_uid
    except OSError:
        return ""
    return _(", made by the helper for user {user}").format(user=user) if owner != user else ""


def _read_text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
