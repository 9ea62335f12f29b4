"""Original control groups of processes, and the way back to them."""

import os
from collections.abc import Mapping
from pathlib import Path

from scheduler.errors import DomainGone, HostNotUsable
from scheduler.hosts.cgroup_mounts import CgroupMount, Memberships, parse_memberships, parse_mounts
from scheduler.hosts.local.cgroup_paths import CORE, PARENT, CgroupPaths
from scheduler.model.number_parsing import parse_whole_number
from scheduler.translation import _

_PROC = Path("/proc")

OriginFolders = Mapping[str, str]
"""Folder of a domain's processes, by the hierarchy's parent folder."""


def read_affinity(pid: int) -> tuple[int, ...]:
    """Return the CPUs on which a process may run; empty for an ended process."""
    try:
        return tuple(sorted(os.sched_getaffinity(pid)))
    except ProcessLookupError:
        return ()


def read_tasks(pid: int) -> dict[int, tuple[int, ...]]:
    """Return each task of a process with its CPUs; empty for an ended process."""
    try:
        tasks = [parse_whole_number(entry.name) for entry in (_PROC / str(pid) / "task").iterdir()]
    except OSError:
        return {}
    return {task: cpus for task in tasks if task and (cpus := read_affinity(task))}


def read_task_affinity(pid: int) -> tuple[int, ...]:
    """Return the CPUs open to any task of a process; empty for an ended process."""
    return tuple(sorted({cpu for cpus in read_tasks(pid).values() for cpu in cpus}))


def find_origin(pid: int, place: CgroupPaths) -> OriginFolders:
    """Return a process's current folder in each of DomTune's hierarchies.

    Args:
        pid: The process.
        place: Paths of the groups.

    Raises:
        DomainGone: The process has ended.
    """
    hierarchies, memberships = _find_memberships(pid, place, _PROC)
    return {base: str(mount.folder_of(memberships) or mount.point) for base, mount in hierarchies.items()}


def exit_folder(base: str, stood: Path) -> Path:
    """Return the folder for processes that leave one of DomTune's groups.

    An ordinary user on cgroup v1 may move processes into the groups, but not back to their origin. The helper then
    gives that user the group `core`. The same group is used when the original folder was removed in the meantime.

    Args:
        base: Parent folder of DomTune's groups in one hierarchy.
        stood: Original folder of the processes in this hierarchy.
    """
    folders = (stood, Path(base, PARENT, CORE))
    return next((folder for folder in folders if can_enter(folder)), Path(base))


def can_enter(folder: Path) -> bool:
    """Return True when this account may move processes into a group; never raise."""
    return os.access(folder / "cgroup.procs", os.W_OK)


def refuse_no_return(pid: int, place: CgroupPaths, processes: Path = _PROC) -> None:
    """Refuse a process that could not be moved back to its control group.

    Args:
        pid: The process.
        place: Paths of the groups.
        processes: Folder of all processes.

    Raises:
        DomainGone: The process has ended.
        HostNotUsable: The process is outside of this cgroup namespace or of the mounted hierarchies. Or this account
            may not write to the process's group.
    """
    hierarchies, memberships = _find_memberships(pid, place, processes)
    for mount in hierarchies.values():
        if mount.controllers not in memberships:
            continue
        if not mount.shows(memberships):
            raise HostNotUsable(
                _(
                    "process {pid} is in the control group {memberships}, outside of what {point} shows here: "
                    "it could not be moved back"
                ).format(pid=pid, memberships=memberships[mount.controllers], point=mount.point),
                hint=_("Run DomTune where that process runs: on the computer itself, or in the same container."),
            )
        folder = mount.folder_of(memberships) or mount.point
        if not can_enter(folder):
            raise HostNotUsable(
                _("process {pid} is in the control group {folder}: user {geteuid} could not move it back there").format(
                    pid=pid, folder=folder, geteuid=os.geteuid()
                ),
                hint=_("Run DomTune as root, or leave the database out: DomTune then starts its own."),
            )


def _find_memberships(pid: int, place: CgroupPaths, processes: Path) -> tuple[dict[str, CgroupMount], Memberships]:
    """Return DomTune's hierarchies with a process's paths in them; raise DomainGone."""
    mounted = parse_mounts((processes / "self/mountinfo").read_text())
    try:
        memberships = parse_memberships((processes / str(pid) / "cgroup").read_text())
    except (FileNotFoundError, ProcessLookupError) as error:
        raise DomainGone(_("process {pid} has ended").format(pid=pid), hint=_("Run the sweep again.")) from error
    found: dict[str, CgroupMount] = {}
    for base in (place.cpu, *place.aside):
        inside = [mount for mount in mounted if Path(base).is_relative_to(mount.point)]
        if inside:  # the innermost mount has the folder
            found[base] = max(inside, key=lambda mount: len(mount.point.parts))
    return found, memberships
