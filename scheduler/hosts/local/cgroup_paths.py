"""Paths of DomTune's groups below one folder of each hierarchy.

The groups are `domtune/io` and `domtune/guest`, and `domtune/guest-2` in a study of two guests.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from scheduler.files import path_exists
from scheduler.model.scheduler_params import CGROUP_V1, CGROUP_V2, CgroupLimits
from scheduler.model.split import GUEST, IO, ROLES, DomainId

PARENT = "domtune"
CORE = "core"  # version 2: group for the processes of a folder that must have none
DOMAINS = (IO, GUEST)  # without a second guest


class CgroupPaths(msgspec.Struct, frozen=True, kw_only=True):
    """Parent folders of DomTune's groups, and the CPUs of the domains.

    Attributes:
        scheduler: `cgroup-v1` or `cgroup-v2`.
        cpu: Parent folder in the hierarchy of the CPU controller.
        cpuacct: Parent folder in the hierarchy of CPU accounting; equal to `cpu` in one hierarchy.
        cpuset: Parent folder in the hierarchy of CPU sets; empty where CPU affinity is used instead.
        machine_root: Version 2: True when `cpu` is the machine's root, which may have processes as well as groups.
        contended_cpu: The CPU that both domains share.
        client_cpus: The CPUs for the load.
    """

    scheduler: str
    cpu: str
    cpuacct: str
    cpuset: str
    machine_root: bool
    contended_cpu: int
    client_cpus: tuple[int, ...]

    @property
    def limits(self) -> CgroupLimits:
        """The kernel's limits for parameters."""
        return CGROUP_V1 if self.scheduler == CGROUP_V1.scheduler else CGROUP_V2

    @property
    def cpus(self) -> tuple[int, ...]:
        """The CPUs in the order in which a guest receives them, the shared CPU first."""
        return tuple(dict.fromkeys((self.contended_cpu, *self.client_cpus)))

    @property
    def aside(self) -> tuple[str, ...]:
        """The parent folders of the other hierarchies.

        These folders have DomTune's groups only while the groups have processes.
        """
        others = (folder for folder in (self.cpuacct, self.cpuset) if folder and folder != self.cpu)
        return tuple(dict.fromkeys(others))


class ProcessOrigin(msgspec.Struct, frozen=True):
    """Origin of a domain's processes before the move to the domain's group.

    Attributes:
        first_pid: Process id of the parent of all others.
        origin: Folder of the processes in each hierarchy, by the hierarchy's parent folder.
        cpus: CPUs on which the processes were allowed to run.
        task_cpus: Task id to the task's CPUs, of the tasks with other CPUs than those.
    """

    first_pid: int
    origin: Mapping[str, str]
    cpus: tuple[int, ...]
    task_cpus: Mapping[int, tuple[int, ...]] = {}


class InitialGroups(msgspec.Struct, frozen=True, kw_only=True):
    """State of DomTune's folders before the first write.

    Attributes:
        folders: Folders of DomTune's groups that already existed.
        enabled: Version 2: controllers that the parent folder passed on to its groups.
        booted: True when the sweep started processes: all processes in the groups then belong to the sweep.
        adopted: Origin of an external server's processes, which are moved back and never ended.
    """

    folders: tuple[str, ...] = ()
    enabled: tuple[str, ...] = ()
    booted: bool = False
    adopted: ProcessOrigin | None = None


def group_folder(base: str, domain: DomainId) -> Path:
    """Return a domain's folder below a parent folder.

    Args:
        base: Parent folder in one hierarchy.
        domain: The domain.
    """
    return Path(base, PARENT, domain)


def read_initial_groups(place: CgroupPaths, *, booted: bool, adopted: ProcessOrigin | None = None) -> InitialGroups:
    """Return the current state of DomTune's folders.

    Args:
        place: Paths of the groups.
        booted: True when the sweep started processes.
        adopted: Origin of an external server's processes; None without one.
    """
    folders = tuple(str(folder) for folder in _own_folders(place) if path_exists(folder))
    enabled = tuple(sorted(read_name_set(control_file(place))))
    return InitialGroups(folders=folders, enabled=enabled, booted=booted, adopted=adopted)


def control_file(place: CgroupPaths) -> Path:
    """Return the file that lists the controllers for the groups below."""
    return Path(place.cpu, "cgroup.subtree_control")


def read_name_set(path: Path) -> set[str]:
    """Return a file's words; an empty set without the file."""
    try:
        return set(path.read_text().split())
    except FileNotFoundError:
        return set()


def _own_folders(place: CgroupPaths) -> Iterator[Path]:
    for base in (place.cpu, *place.aside):
        yield Path(base, PARENT)
        yield from (group_folder(base, domain) for domain in ROLES)
