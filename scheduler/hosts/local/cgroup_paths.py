"""Where our groups are: below one folder of each hierarchy that is used.

They are `domtune/io` and `domtune/guest`, and in a study of two guests `domtune/guest-2`.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from scheduler.files import path_exists
from scheduler.model.scheduler_params import CGROUP_V1, CGROUP_V2, CgroupLimits
from scheduler.model.split import GUEST, IO, ROLES, DomainId

PARENT = "domtune"
CORE = "core"  # version 2: where processes go that stood in the folder which must hold none
DOMAINS = (IO, GUEST)  # without a second guest


class CgroupPaths(msgspec.Struct, frozen=True, kw_only=True):
    """The folders below which our groups are made.

    Attributes:
        scheduler: `cgroup-v1` or `cgroup-v2`.
        cpu: The folder in the hierarchy of the CPU controller.
        cpuacct: Likewise for CPU accounting; the same folder where it is one hierarchy.
        cpuset: Likewise for CPU sets; empty where they cannot be used, then CPU affinity is.
        machine_root: Version 2: `cpu` is the machine's root, which may hold processes beside groups.
        contended_cpu: The CPU that both domains share.
        client_cpus: The CPUs left to the load.
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
        """What the kernel accepts there."""
        return CGROUP_V1 if self.scheduler == CGROUP_V1.scheduler else CGROUP_V2

    @property
    def cpus(self) -> tuple[int, ...]:
        """The CPUs in the order in which a guest that is given more gets them: the contended one first."""
        return tuple(dict.fromkeys((self.contended_cpu, *self.client_cpus)))

    @property
    def aside(self) -> tuple[str, ...]:
        """The folders of the other hierarchies, which hold our groups only while processes are in them."""
        others = (folder for folder in (self.cpuacct, self.cpuset) if folder and folder != self.cpu)
        return tuple(dict.fromkeys(others))


class ProcessOrigin(msgspec.Struct, frozen=True):
    """Where a domain's processes stood before they were moved into its group.

    Attributes:
        first_pid: The process that starts the others.
        origin: Base folder of a hierarchy to the folder in which they stood there.
        cpus: CPUs that they might run on.
    """

    first_pid: int
    origin: Mapping[str, str]
    cpus: tuple[int, ...]


class InitialGroups(msgspec.Struct, frozen=True, kw_only=True):
    """What stood there before the first write.

    Attributes:
        folders: Folders of ours that were there already.
        enabled: Version 2: controllers that the folder passed on to its groups.
        booted: True when processes of a sweep were started: what is in our groups then is ours.
        adopted: The guest's processes, where they are somebody else's: moved back, never ended.
    """

    folders: tuple[str, ...] = ()
    enabled: tuple[str, ...] = ()
    booted: bool = False
    adopted: ProcessOrigin | None = None


def group_folder(base: str, domain: DomainId) -> Path:
    """Return a domain's folder below a base folder."""
    return Path(base, PARENT, domain)


def read_initial_groups(place: CgroupPaths, *, booted: bool, adopted: ProcessOrigin | None = None) -> InitialGroups:
    """Return what stands there now."""
    folders = tuple(str(folder) for folder in _own_folders(place) if path_exists(folder))
    enabled = tuple(sorted(read_name_set(control_file(place))))
    return InitialGroups(folders=folders, enabled=enabled, booted=booted, adopted=adopted)


def control_file(place: CgroupPaths) -> Path:
    """Return the file that names the controllers which are passed on to the groups below."""
    return Path(place.cpu, "cgroup.subtree_control")


def read_name_set(path: Path) -> set[str]:
    """Return a file's words; none when it is not there."""
    try:
        return set(path.read_text().split())
    except FileNotFoundError:
        return set()


def _own_folders(place: CgroupPaths) -> Iterator[Path]:
    for base in (place.cpu, *place.aside):
        yield Path(base, PARENT)
        yield from (group_folder(base, domain) for domain in ROLES)
