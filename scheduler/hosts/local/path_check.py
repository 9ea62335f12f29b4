"""Check of an undo record's folders, which must be control groups.

A record names files to write and processes to end. No other file is ever written for a record.
"""

from collections.abc import Iterator
from pathlib import Path

from scheduler.errors import HostNotUsable
from scheduler.hosts.cgroup_mounts import parse_mount_points
from scheduler.hosts.local.cgroup_paths import CgroupPaths, InitialGroups
from scheduler.translation import _


def refuse_foreign_paths(place: CgroupPaths, found: InitialGroups) -> None:
    """Refuse a record with a folder outside of mounted control group hierarchies.

    Args:
        place: Paths of the groups, from the record.
        found: State of the folders before the first write, from the record.

    Raises:
        HostNotUsable: A folder is outside.
    """
    try:
        mountinfo = Path("/proc/self/mountinfo").read_text()
    except OSError as error:
        raise HostNotUsable(
            _("/proc/self/mountinfo cannot be read: {cause}").format(cause=error.strerror), hint=_("Mount /proc.")
        ) from error
    hierarchies = parse_mount_points(mountinfo)
    for name in _list_folders(place, found):
        folder = Path(name)
        if not (_is_plain_path(folder) and any(folder.is_relative_to(point) for point in hierarchies)):
            raise HostNotUsable(
                _(
                    "the undo record names {name!r}, which is not in a control group hierarchy that is mounted here"
                ).format(name=name),
                hint=_(
                    "Either it is not DomTune's own, or the hierarchy is mounted elsewhere now. Nothing was written."
                ),
            )


def _list_folders(place: CgroupPaths, found: InitialGroups) -> Iterator[str]:
    yield from filter(None, (place.cpu, place.cpuacct, place.cpuset))
    yield from found.folders
    if found.adopted is not None:
        for base, stood in found.adopted.origin.items():
            yield from (base, stood)


def _is_plain_path(folder: Path) -> bool:
    """Return True for an absolute path without '..' and without links."""
    try:
        return folder.is_absolute() and folder.resolve() == folder
    except (OSError, RuntimeError, ValueError):
        return False
