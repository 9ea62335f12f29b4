"""Where this process may make control groups, and what to do where it may not."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from scheduler.children import find_program
from scheduler.errors import HostNotUsable
from scheduler.files import is_there
from scheduler.hosts.local import cpus
from scheduler.hosts.local.denials import deny_controller, deny_folders
from scheduler.hosts.local.mounts import Memberships, Mount, memberships, mounts
from scheduler.hosts.local.origins import may_enter
from scheduler.hosts.local.place import CORE, DOMAINS, PARENT, Place, group, words
from scheduler.model.params import CGROUP_V1, CGROUP_V2

_HELPER = Path("/usr/libexec/domtune/domtune-cgroups")
_SOURCE_HELPER = Path(__file__).parents[3] / "packaging/helper/domtune-cgroups"
_SCOPE = ("systemd-run", "--user", "--scope", "-q", "-p", "Delegate=yes", "--")


def find_place() -> Place:
    """Return where our groups can be made.

    Raises:
        HostNotUsable: Nowhere; the hint says what to do.
    """
    hierarchies, own = _hierarchies()
    for mount in hierarchies:
        if "cpu" in mount.controllers:
            return _v1(mount, hierarchies, own)
    for mount in hierarchies:
        if not mount.controllers and _offers_cpu(mount.point):
            return _v2(mount, own)
    raise deny_controller([mount.point for mount in hierarchies if not mount.controllers])


def scope_command() -> list[str] | None:
    """Return the words before a command that give it control groups of its own; None when that is no way.

    It is one for an ordinary user on version 2 whose systemd may delegate the CPU controller, and who does not
    stand in a delegated group already. Where /proc cannot be read there is none, since hosts other than this computer
    need no control groups.
    """
    try:
        hierarchies, own = _hierarchies()
    except HostNotUsable:
        return None
    mount = next((mount for mount in hierarchies if not mount.controllers), None)
    on_v1 = any("cpu" in mount.controllers for mount in hierarchies)
    if os.geteuid() == 0 or on_v1 or mount is None or not find_program(_SCOPE[0]):
        return None
    folder = mount.folder_of(own)
    if folder is not None and _delegated(folder):
        return None
    uid = os.geteuid()
    manager = mount.point / f"user.slice/user-{uid}.slice/user@{uid}.service"
    service_manager = Path(os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{uid}"), "systemd/private")
    return list(_SCOPE) if is_there(service_manager) and "cpu" in words(manager / "cgroup.controllers") else None


def _hierarchies() -> tuple[tuple[Mount, ...], Memberships]:
    process = Path("/proc/self")
    try:
        return mounts((process / "mountinfo").read_text()), memberships((process / "cgroup").read_text())
    except OSError as error:
        raise HostNotUsable(f"/proc/self cannot be read: {error.strerror}", hint="Mount /proc.") from error


def _v1(cpu: Mount, hierarchies: Iterable[Mount], own: Memberships) -> Place:
    by_controller = {name: mount for mount in hierarchies for name in mount.controllers}
    accounting = by_controller.get("cpuacct")
    if accounting is None:
        raise HostNotUsable("the controller cpuacct is not mounted", hint="Mount it beside the controller cpu.")
    bases = {mount: _v1_base(mount, own) for mount in {cpu, accounting}}
    missing = [str(mount.point) for mount, base in bases.items() if base is None]
    base, accounting_base = bases[cpu], bases[accounting]
    if base is None or accounting_base is None:
        raise _no_rights(sorted(missing), create_words="create")
    sets = by_controller.get("cpuset")
    cpuset = _v1_base(sets, own) if sets is not None and _writable(base) else None
    if cpuset is not None and not _writable(cpuset):
        cpuset = None
    limit = _cpus_of(cpuset, ("cpuset.effective_cpus", "cpuset.cpus")) if cpuset else ()
    contended, clients = cpus.chosen(limit)
    return Place(
        scheduler=CGROUP_V1.scheduler,
        cpu=str(base),
        cpuacct=str(accounting_base),
        cpuset=str(cpuset or ""),
        machine_root=False,
        contended_cpu=contended,
        client_cpus=clients,
    )


def _v1_base(mount: Mount, own: Memberships) -> Path | None:
    """Return the widest folder below which we may make groups, or find them made for us.

    Processes must be able to leave the groups again: to where they stand now, or to the helper's group `core`.
    """
    stood = mount.folder_of(own) or mount.point
    can_return = may_enter(stood)
    folders = (mount.point, stood)
    return next((folder for folder in folders if (_writable(folder) and can_return) or _made_for_us(folder)), None)


def _v2(mount: Mount, own: Memberships) -> Place:
    base = _v2_base(mount, own)
    if base is None:
        raise _no_rights([str(mount.folder_of(own) or mount.point)], create_words=f"create {os.getppid()}")
    passed_on = words(base / "cgroup.subtree_control")
    machine_root = base == mount.point and not is_there(base / "cgroup.type")
    # At the machine's root, CPU sets are used only where they are on already: affinity changes less.
    offered = passed_on if machine_root else words(base / "cgroup.controllers")
    can_set = "cpuset" in offered and _writable(base) and _may_pass_on(base / PARENT)
    contended, clients = cpus.chosen(_cpus_of(base, ("cpuset.cpus.effective",)))
    return Place(
        scheduler=CGROUP_V2.scheduler,
        cpu=str(base),
        cpuacct=str(base),
        cpuset=str(base) if can_set else "",
        machine_root=machine_root,
        contended_cpu=contended,
        client_cpus=clients,
    )


def _v2_base(mount: Mount, own: Memberships) -> Path | None:
    folder = mount.folder_of(own)
    if os.geteuid() == 0 and _delegated(mount.point):
        return mount.point
    if folder is None:
        return None
    if folder.parts[-2:] == (PARENT, CORE) and (_delegated(folder.parent) or _delegated(folder.parent.parent)):
        return folder.parent.parent  # made for us by the helper, or where an earlier core put us
    return folder if _delegated(folder) else None


def _delegated(folder: Path) -> bool:
    files = (folder / "cgroup.procs", folder / "cgroup.subtree_control")
    return _offers_cpu(folder) and all(_writable(path) for path in (folder, *files))


def _may_pass_on(parent: Path) -> bool:
    """Return whether we may enable controllers for our groups: the folder above them can be another account's."""
    return not is_there(parent) or _writable(parent / "cgroup.subtree_control")


def _made_for_us(folder: Path) -> bool:
    groups = (*(group(str(folder), domain) for domain in DOMAINS), folder / PARENT / CORE)
    return all(may_enter(path) for path in groups)


def _offers_cpu(folder: Path) -> bool:
    return "cpu" in words(folder / "cgroup.controllers")


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK)


def _cpus_of(folder: Path, names: tuple[str, ...]) -> tuple[int, ...]:
    for name in names:
        try:
            return cpus.parse_list((folder / name).read_text())
        except (OSError, ValueError):
            continue
    return ()


def _no_rights(folders: list[str], create_words: str) -> HostNotUsable:
    ways = [f"run DomTune as root, or once: {helper_command(create_words)} (three groups, given to you)"]
    scope = scope_command()
    if scope is not None:
        ways.insert(0, f"start it as: {' '.join(scope)} {' '.join(Path(word).name for word in sys.argv[:1])} ...")
    return deny_folders(folders, ways)


def helper_command(create_words: str, helper: Path = _HELPER, source: Path = _SOURCE_HELPER) -> str:
    """Return the command that runs the helper as root, after its installation where root does not own it yet.

    Root must run no file that somebody else can write: that account would be root at the next call.

    Args:
        create_words: The helper's arguments.
        helper: Where it is installed.
        source: Where the source tree has it; perhaps not there.
    """
    run = f"sudo {helper} {create_words}"
    if only_root_writes(helper):
        return run
    if only_root_writes(source):
        return f"sudo {source} {create_words}"
    origin = source if os.access(source, os.R_OK) else f"packaging/helper/{helper.name} of DomTune's source"
    return f"sudo install -D -o root -g root {origin} {helper} && {run}"


def only_root_writes(path: Path) -> bool:
    """Return whether a file is there, and root alone may change the file and every folder above it; never raises."""
    try:
        stats = [each.lstat() for each in (path, *path.parents)]
    except OSError:
        return False
    return all(stat.st_uid == 0 and not stat.st_mode & 0o022 for stat in stats)
