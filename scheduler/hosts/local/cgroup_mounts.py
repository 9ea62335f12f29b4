"""Where control group hierarchies are mounted, and where a process stands in them (cgroups(7), proc(5))."""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import msgspec

_ESCAPE = re.compile(r"\\([0-7]{3})")  # proc(5): space, tab, newline and backslash in mountinfo
_V1 = "cgroup"
_V2 = "cgroup2"

Memberships = Mapping[frozenset[str], str]
"""Controllers of a hierarchy (none: version 2) to a process's path in it."""


class CgroupMount(msgspec.Struct, frozen=True):
    """One mounted hierarchy.

    Attributes:
        point: Where it is mounted.
        root: Path of that folder within the hierarchy.
        controllers: Its controllers; empty for version 2.
    """

    point: Path
    root: str
    controllers: frozenset[str]

    def folder_of(self, memberships: Memberships) -> Path | None:
        """Return a process's folder; the mount point when it is outside; None when it is in no such hierarchy."""
        if memberships.get(self.controllers) is None:
            return None
        return self._find_folder_inside(memberships) or self.point

    def shows(self, memberships: Memberships) -> bool:
        """Return whether a process's folder can be seen here, so that the process can be moved back to it."""
        return self._find_folder_inside(memberships) is not None

    def _find_folder_inside(self, memberships: Memberships) -> Path | None:
        path = PurePosixPath(memberships.get(self.controllers, ".."))
        # A path that begins with `/..` is outside of our cgroup namespace (cgroup_namespaces(7)).
        if ".." in path.parts or not path.is_relative_to(self.root):
            return None
        return self.point / path.relative_to(self.root)


def parse_mounts(mountinfo: str) -> tuple[CgroupMount, ...]:
    """Read `/proc/self/mountinfo`; of a hierarchy that is mounted twice, the widest mount counts."""
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
    """Return where hierarchies are mounted, every one of them."""
    found = (_parse_mount(line) for line in mountinfo.splitlines())
    return tuple(mount.point for mount in found if mount is not None)


def parse_memberships(text: str) -> Memberships:
    """Read `/proc/PID/cgroup`."""
    rows = (line.split(":", 2) for line in text.splitlines() if line.count(":") >= 2)
    return {_parse_controllers(names): path for _, names, path in rows}


def _parse_mount(line: str) -> CgroupMount | None:
    head, _, tail = line.partition(" - ")
    fields, kind = head.split(), tail.split()
    if len(fields) < 5 or len(kind) < 3 or kind[0] not in {_V1, _V2}:
        return None
    root, point = (_ESCAPE.sub(lambda match: chr(int(match[1], 8)), field) for field in fields[3:5])
    # A version 1 hierarchy's controllers stand among the file system's own options.
    return CgroupMount(Path(point), root, frozenset() if kind[0] == _V2 else _parse_controllers(kind[2]))


def _parse_controllers(text: str) -> frozenset[str]:
    return frozenset(text.split(",")) - {"", "rw", "ro", "xattr", "noprefix", "clone_children", "none"}
