"""Mount points of control group hierarchies, and the groups of a process.

Sources: cgroups(7), proc(5).
"""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import msgspec

_ESCAPE = re.compile(r"\\([0-7]{3})")  # proc(5): space, tab, newline and backslash in mountinfo
_V1 = "cgroup"
_V2 = "cgroup2"

Memberships = Mapping[frozenset[str], str]
"""Path of a process in each hierarchy, by controllers (none for version 2)."""


class CgroupMount(msgspec.Struct, frozen=True):
    """One mounted hierarchy.

    Attributes:
        point: Mount point.
        root: Path of the mount point within the hierarchy.
        controllers: Controllers of the hierarchy; empty for version 2.
    """

    point: Path
    root: str
    controllers: frozenset[str]

    def folder_of(self, memberships: Memberships) -> Path | None:
        """Return a process's folder; None for a process outside this hierarchy.

        The mount point replaces a folder that is not visible here.
        """
        if memberships.get(self.controllers) is None:
            return None
        return self._find_folder_inside(memberships) or self.point

    def shows(self, memberships: Memberships) -> bool:
        """Return True when a process's folder is visible here.

        Only then can the process be moved back.
        """
        return self._find_folder_inside(memberships) is not None

    def _find_folder_inside(self, memberships: Memberships) -> Path | None:
        path = PurePosixPath(memberships.get(self.controllers, ".."))
        # A path that begins with `/..` is outside of this cgroup namespace (cgroup_namespaces(7)).
        if ".." in path.parts or not path.is_relative_to(self.root):
            return None
        return self.point / path.relative_to(self.root)


def parse_mounts(mountinfo: str) -> tuple[CgroupMount, ...]:
    """Return the hierarchies in `/proc/self/mountinfo`.

    The widest mount counts for a hierarchy with several mounts.
    """
    found: dict[frozenset[str], CgroupMount] = {}
    for line in mountinfo.splitlines():
        mount = _parse_mount(line)
        if mount is None:
            continue
        earlier = found.get(mount.controllers)
        if earlier is None or len(mount.root) < len(earlier.root):
            found[mount.controllers] = mount
    return tuple(found.values())


def parse_mount_points(mountinfo: str) -> tuple[Path, ...]:
    """Return every mount point of a hierarchy."""
    found = (_parse_mount(line) for line in mountinfo.splitlines())
    return tuple(mount.point for mount in found if mount is not None)


def parse_memberships(text: str) -> Memberships:
    """Return a process's paths from `/proc/PID/cgroup`."""
    rows = (line.split(":", 2) for line in text.splitlines() if line.count(":") >= 2)
    return {_parse_controllers(names): path for _, names, path in rows}


def _parse_mount(line: str) -> CgroupMount | None:
    head, _, tail = line.partition(" - ")
    fields, kind = head.split(), tail.split()
    if len(fields) < 5 or len(kind) < 3 or kind[0] not in {_V1, _V2}:
        return None
    root, point = (_ESCAPE.sub(lambda match: chr(int(match[1], 8)), field) for field in fields[3:5])
    # Controllers of version 1 are listed among the options of the file system.
    return CgroupMount(Path(point), root, frozenset() if kind[0] == _V2 else _parse_controllers(kind[2]))


def _parse_controllers(text: str) -> frozenset[str]:
    return frozenset(text.split(",")) - {"", "rw", "ro", "xattr", "noprefix", "clone_children", "none"}
