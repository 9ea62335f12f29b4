"""Control groups of ours that are there before a test has made any: whose they are, and what takes them away."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from scheduler import places
from scheduler.errors import HostBusy, HostNotUsable
from scheduler.hosts.local.cgroup_lock import CgroupLock
from scheduler.hosts.local.cgroup_paths import DOMAINS, PARENT, CgroupPaths, group_folder
from scheduler.hosts.local.cgroup_rights import find_cgroup_paths
from scheduler.hosts.local.cgroup_steps import read_pids
from scheduler.run.journal import list_pending_records

# Tests that make groups on this computer; the others do not mind what is there.
_MAKERS = (
    "contract/local",
    "contract/test_cgroup_helper",
    "crash/test_this",
    "crash/test_adopted",
    "crash/test_two_guests",
    "live",
)


def refuse(items: Iterable[pytest.Item]) -> None:
    """Raise UsageError when tests that make groups are to run where some are left over, or a sweep runs.

    Groups that hold nothing, that nobody has claimed and of which no record tells are taken away instead, and named:
    a suite that was killed leaves such, and nothing depends on them.
    """
    here = Path(__file__).parent
    if any(makes_groups(str(item.path.relative_to(here))) for item in items if here in item.path.parents):
        refuse_now()


def makes_groups(file: str) -> bool:
    """Return whether the tests in a file, named from the folder `tests`, make groups on this computer."""
    return file.startswith(_MAKERS)


def refuse_now() -> None:
    """Raise UsageError, or take away, as `refuse` does for tests that make groups."""
    try:
        place = find_cgroup_paths()
    except HostNotUsable:
        return  # no groups can be made here; the tests say so themselves
    if handed_over(place) and os.geteuid() != 0:
        return  # made by the helper for us: kept, and what we sweep in
    said = complaint(place)
    if said and not _taken_away(place):
        raise pytest.UsageError(said)


def present(place: CgroupPaths) -> list[Path]:
    """Return our folders that are there, the inner ones first: the order in which they can be removed."""
    folders = [folder for base in _bases(place) for folder in Path(base, PARENT).glob("*/")]
    return [*folders, *(path for base in _bases(place) if (path := Path(base, PARENT)).exists())]


def handed_over(place: CgroupPaths) -> bool:
    """Return whether the helper made the groups: they are root's, the right to enter is somebody else's."""
    folders = [group_folder(place.cpu, domain) for domain in DOMAINS]
    return all(
        folder.exists() and folder.stat().st_uid != (folder / "cgroup.procs").stat().st_uid for folder in folders
    )


def complaint(place: CgroupPaths) -> str:
    """Return what is left over and what takes it away; empty when nothing is."""
    folders = present(place)
    if not folders:
        return ""
    claim = CgroupLock(place.cpu)
    try:
        claim.take()
    except HostBusy as error:
        return f"the tests make control groups, and a sweep runs: {error}. Wait until it has ended."
    finally:
        claim.release()
    inside = sorted({pid for folder in folders for pid in read_pids(folder)})
    holding = f", which hold the processes {', '.join(map(str, inside))}" if inside else ""
    return f"control groups of ours are left over{holding}: {' '.join(map(str, folders))}\n{_remedy(place, folders)}"


def _taken_away(place: CgroupPaths) -> bool:
    """Remove empty groups that nobody claims and of which we have no record; return whether they were such."""
    claim = CgroupLock(place.cpu)
    try:
        claim.take()
        folders = present(place)
        if any(read_pids(folder) for folder in folders) or any(
            list(list_pending_records(folder)) for folder in _records()
        ):
            return False
        for folder in folders:
            folder.rmdir()
    except (HostBusy, OSError):
        return False
    finally:
        claim.release()
    print(f"\ntaken away, empty and nobody's: {' '.join(map(str, folders))}", file=sys.stderr)
    return True


def _records() -> tuple[Path, Path]:
    return places.journal_dir(), places.state_dir() / "applied"


def _remedy(place: CgroupPaths, folders: list[Path]) -> str:
    if handed_over(place):
        return "The helper made them. Take them away by: sudo resources/helper/domtune-cgroups remove"
    journal, applied = _records()
    if list(list_pending_records(journal)):
        return f"A sweep did not end ({journal}). Put everything back by: domtune restore"
    if list(list_pending_records(applied)):
        return f"A split was applied ({applied}). Take it back by: domtune revert"
    return (
        f"No undo record of them is in {journal}: a test that was cut off kept it elsewhere. Take them "
        f"away by 'DOMTUNE_HOME=its folder domtune restore', or by: rmdir {' '.join(map(str, folders))}"
    )


def _bases(place: CgroupPaths) -> tuple[str, ...]:
    return (place.cpu, *place.aside)
