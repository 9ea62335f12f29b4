"""Record the control groups in which processes ran before DomTune moved them, and find the way back."""

import os
from collections.abc import Mapping
from pathlib import Path

from scheduler.errors import DomainGone, HostNotUsable
from scheduler.hosts.local.cgroup_mounts import CgroupMount, Memberships, parse_memberships, parse_mounts
from scheduler.hosts.local.cgroup_paths import CORE, PARENT, CgroupPaths

_PROC = Path("/proc")

OriginFolders = Mapping[str, str]
"""Base folder of a hierarchy to the folder in which a domain's processes stood there."""


def read_affinity(pid: int) -> tuple[int, ...]:
    """Return the CPUs that a process may run on; empty when it has ended."""
    try:
        return tuple(sorted(os.sched_getaffinity(pid)))
    except ProcessLookupError:
        return ()


def find_origin(pid: int, place: CgroupPaths) -> OriginFolders:
    """Return where a process stands now in every hierarchy that we use; raises DomainGone when it has ended."""
    hierarchies, stands = _find_memberships(pid, place, _PROC)
    return {base: str(mount.folder_of(stands) or mount.point) for base, mount in hierarchies.items()}


def exit_folder(base: str, stood: Path) -> Path:
    """Return the folder that takes the processes which leave one of our groups.

    An ordinary user on cgroup v1 may move processes into our groups, but not back to where they stood. The helper
    then gives that user the group `core`. The same group is used when the original folder was removed meanwhile.

    Args:
        base: The folder below which our groups are, in one hierarchy.
        stood: The folder in which the processes stood there.
    """
    folders = (stood, Path(base, PARENT, CORE))
    return next((folder for folder in folders if can_enter(folder)), Path(base))


def can_enter(folder: Path) -> bool:
    """Return whether this account may move processes into a control group; never raises."""
    return os.access(folder / "cgroup.procs", os.W_OK)


def refuse_no_return(pid: int, place: CgroupPaths, processes: Path = _PROC) -> None:
    """Refuse a process that could not be moved back to its control group.

    Args:
        pid: The process.
        place: The hierarchies.
        processes: The folder of all processes.

    Raises:
        DomainGone: It has ended.
        HostNotUsable: It is outside of our cgroup namespace, or of what is mounted here, or in a group that this
            account may not write.
    """
    hierarchies, stands = _find_memberships(pid, place, processes)
    for mount in hierarchies.values():
        if mount.controllers not in stands:
            continue
        if not mount.shows(stands):
            raise HostNotUsable(
                f"process {pid} is in the control group {stands[mount.controllers]}, outside of what {mount.point} "
                "shows here: it could not be moved back",
                hint="Run DomTune where that process runs: on the computer itself, or in the same container.",
            )
        folder = mount.folder_of(stands) or mount.point
        if not can_enter(folder):
            raise HostNotUsable(
                f"process {pid} is in the control group {folder}: user {os.geteuid()} could not move it back there",
                hint="Run DomTune as root, or leave the database out: DomTune then starts its own.",
            )


def _find_memberships(pid: int, place: CgroupPaths, processes: Path) -> tuple[dict[str, CgroupMount], Memberships]:
    """Return base folders with their mounts, and where a process stands; raises DomainGone."""
    mounted = parse_mounts((processes / "self/mountinfo").read_text())
    try:
        stands = parse_memberships((processes / str(pid) / "cgroup").read_text())
    except (FileNotFoundError, ProcessLookupError) as error:
        raise DomainGone(f"process {pid} has ended", hint="Run the sweep again.") from error
    found: dict[str, CgroupMount] = {}
    for base in (place.cpu, *place.aside):
        inside = [mount for mount in mounted if Path(base).is_relative_to(mount.point)]
        if inside:  # the innermost mount is the one that the folder is on
            found[base] = max(inside, key=lambda mount: len(mount.point.parts))
    return found, stands
