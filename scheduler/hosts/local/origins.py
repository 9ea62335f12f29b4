"""Where processes stood before we moved them, and whether they could be moved back there."""

import os
from collections.abc import Mapping
from pathlib import Path

from scheduler.errors import DomainGone, HostNotUsable
from scheduler.hosts.local.mounts import Memberships, Mount, memberships, mounts
from scheduler.hosts.local.place import Place

_PROC = Path("/proc")

Origin = Mapping[str, str]
"""Base folder of a hierarchy to the folder in which a domain's processes stood there."""


def affinity_of(pid: int) -> tuple[int, ...]:
    """Return the CPUs that a process may run on; empty when it has ended."""
    try:
        return tuple(sorted(os.sched_getaffinity(pid)))
    except ProcessLookupError:
        return ()


def origin_of(pid: int, place: Place) -> Origin:
    """Return where a process stands now in every hierarchy that we use; raises DomainGone when it has ended."""
    hierarchies, stands = _stands(pid, place, _PROC)
    return {base: str(mount.folder_of(stands) or mount.point) for base, mount in hierarchies.items()}


def refuse_out_of_sight(pid: int, place: Place, processes: Path = _PROC) -> None:
    """Refuse a process that could not be moved back to where it stands, since that cannot be seen from here.

    Args:
        pid: The process.
        place: The hierarchies.
        processes: The folder of all processes.

    Raises:
        DomainGone: It has ended.
        HostNotUsable: It stands outside of our cgroup namespace, or of what is mounted here.
    """
    hierarchies, stands = _stands(pid, place, processes)
    for mount in hierarchies.values():
        if mount.controllers in stands and not mount.shows(stands):
            raise HostNotUsable(
                f"process {pid} is in the control group {stands[mount.controllers]}, outside of what {mount.point} "
                "shows here: it could not be moved back",
                hint="Run DomTune where that process runs: on the computer itself, or in the same container.",
            )


def _stands(pid: int, place: Place, processes: Path) -> tuple[dict[str, Mount], Memberships]:
    """Return base folders with their mounts, and where a process stands; raises DomainGone."""
    mounted = mounts((processes / "self/mountinfo").read_text())
    try:
        stands = memberships((processes / str(pid) / "cgroup").read_text())
    except (FileNotFoundError, ProcessLookupError) as error:
        raise DomainGone(f"process {pid} has ended", hint="Run the sweep again.") from error
    found: dict[str, Mount] = {}
    for base in (place.cpu, *place.aside):
        inside = [mount for mount in mounted if Path(base).is_relative_to(mount.point)]
        if inside:  # the innermost mount is the one that the folder is on
            found[base] = max(inside, key=lambda mount: len(mount.point.parts))
    return found, stands
