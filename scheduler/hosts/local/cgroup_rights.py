"""Search for folders in which this process may create control groups."""

import os
import sys
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

from scheduler.children import find_program
from scheduler.errors import HostNotUsable
from scheduler.files import path_exists
from scheduler.hosts.cgroup_mounts import CgroupMount, Memberships, parse_memberships, parse_mounts
from scheduler.hosts.local import local_cpus
from scheduler.hosts.local.cgroup_errors import deny_controller, deny_folders
from scheduler.hosts.local.cgroup_paths import CORE, DOMAINS, PARENT, CgroupPaths, group_folder, read_name_set
from scheduler.hosts.local.original_groups import can_enter
from scheduler.model.scheduler_params import CGROUP_V1, CGROUP_V2
from scheduler.translation import _

_HELPER = Path("/usr/libexec/domtune/domtune-cgroups")
_OWN_HELPER = Path(str(files("resources"))) / "helper/domtune-cgroups"
_SCOPE = ("systemd-run", "--user", "--scope", "-q", "-p", "Delegate=yes", "--")


def find_cgroup_paths() -> CgroupPaths:
    """Return the paths for DomTune's groups.

    Raises:
        HostNotUsable: No folder allows groups; the hint gives the remedies.
    """
    hierarchies, own = _read_hierarchies()
    for mount in hierarchies:
        if "cpu" in mount.controllers:
            return _find_v1_paths(mount, hierarchies, own)
    for mount in hierarchies:
        if not mount.controllers and _has_cpu_controller(mount.point):
            return _find_v2_paths(mount, own)
    raise deny_controller([mount.point for mount in hierarchies if not mount.controllers])


def scope_command() -> list[str] | None:
    """Return the command prefix that provides control groups; None for no prefix.

    The prefix works for an ordinary user on version 2 whose systemd may delegate the CPU controller. A user in a
    delegated group needs none. An unreadable /proc also gives None, since other hosts need no control groups.
    """
    try:
        hierarchies, own = _read_hierarchies()
    except HostNotUsable:
        return None
    mount = next((mount for mount in hierarchies if not mount.controllers), None)
    on_v1 = any("cpu" in mount.controllers for mount in hierarchies)
    if os.geteuid() == 0 or on_v1 or mount is None or not find_program(_SCOPE[0]):
        return None
    folder = mount.folder_of(own)
    if folder is not None and _is_delegated(folder):
        return None
    uid = os.geteuid()
    manager = mount.point / f"user.slice/user-{uid}.slice/user@{uid}.service"
    service_manager = Path(os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{uid}"), "systemd/private")
    return (
        list(_SCOPE)
        if path_exists(service_manager) and "cpu" in read_name_set(manager / "cgroup.controllers")
        else None
    )


def _read_hierarchies() -> tuple[tuple[CgroupMount, ...], Memberships]:
    process = Path("/proc/self")
    try:
        return parse_mounts((process / "mountinfo").read_text()), parse_memberships((process / "cgroup").read_text())
    except OSError as error:
        raise HostNotUsable(
            _("/proc/self cannot be read: {cause}").format(cause=error.strerror), hint=_("Mount /proc.")
        ) from error


def _find_v1_paths(cpu: CgroupMount, hierarchies: Iterable[CgroupMount], own: Memberships) -> CgroupPaths:
    by_controller = {name: mount for mount in hierarchies for name in mount.controllers}
    accounting = by_controller.get("cpuacct")
    if accounting is None:
        raise HostNotUsable(
            _("the controller cpuacct is not mounted"), hint=_("Mount cpuacct next to the controller cpu.")
        )
    bases = {mount: _find_v1_base(mount, own) for mount in {cpu, accounting}}
    missing = [str(mount.point) for mount, base in bases.items() if base is None]
    base, accounting_base = bases[cpu], bases[accounting]
    if base is None or accounting_base is None:
        raise _no_rights_error(sorted(missing), create_words="create")
    sets = by_controller.get("cpuset")
    cpuset = _find_v1_base(sets, own) if sets is not None and _is_writable(base) else None
    if cpuset is not None and not _is_writable(cpuset):
        cpuset = None
    limit = _read_cpus(cpuset, ("cpuset.effective_cpus", "cpuset.cpus")) if cpuset else ()
    contended, clients = local_cpus.choose_cpus(limit)
    return CgroupPaths(
        scheduler=CGROUP_V1.scheduler,
        cpu=str(base),
        cpuacct=str(accounting_base),
        cpuset=str(cpuset or ""),
        machine_root=False,
        contended_cpu=contended,
        client_cpus=clients,
    )


def _find_v1_base(mount: CgroupMount, own: Memberships) -> Path | None:
    """Return the widest folder for new groups, or with groups created by the helper.

    Processes must be able to leave the groups again: to their current groups, or to the helper's group `core`.
    """
    stood = mount.folder_of(own) or mount.point
    can_return = can_enter(stood)
    folders = (mount.point, stood)
    return next(
        (folder for folder in folders if (_is_writable(folder) and can_return) or _is_made_for_us(folder)), None
    )


def _find_v2_paths(mount: CgroupMount, own: Memberships) -> CgroupPaths:
    base = _find_v2_base(mount, own)
    if base is None:
        raise _no_rights_error([str(mount.folder_of(own) or mount.point)], create_words=f"create {os.getppid()}")
    passed_on = read_name_set(base / "cgroup.subtree_control")
    machine_root = base == mount.point and not path_exists(base / "cgroup.type")
    # At the machine's root, use CPU sets only where they are already on: affinity changes less.
    offered = passed_on if machine_root else read_name_set(base / "cgroup.controllers")
    can_set = "cpuset" in offered and _is_writable(base) and _can_enable_controllers(base / PARENT)
    contended, clients = local_cpus.choose_cpus(_read_cpus(base, ("cpuset.cpus.effective",)))
    return CgroupPaths(
        scheduler=CGROUP_V2.scheduler,
        cpu=str(base),
        cpuacct=str(base),
        cpuset=str(base) if can_set else "",
        machine_root=machine_root,
        contended_cpu=contended,
        client_cpus=clients,
    )


def _find_v2_base(mount: CgroupMount, own: Memberships) -> Path | None:
    folder = mount.folder_of(own)
    if os.geteuid() == 0 and _is_delegated(mount.point):
        return mount.point
    if folder is None:
        return None
    if folder.parts[-2:] == (PARENT, CORE) and (_is_delegated(folder.parent) or _is_delegated(folder.parent.parent)):
        return folder.parent.parent  # created by the helper or by an earlier process of DomTune
    return folder if _is_delegated(folder) else None


def _is_delegated(folder: Path) -> bool:
    files = (folder / "cgroup.procs", folder / "cgroup.subtree_control")
    return _has_cpu_controller(folder) and all(_is_writable(path) for path in (folder, *files))


def _can_enable_controllers(parent: Path) -> bool:
    """Return True when this account may enable controllers in DomTune's folder.

    Another account may own that folder.
    """
    return not path_exists(parent) or _is_writable(parent / "cgroup.subtree_control")


def _is_made_for_us(folder: Path) -> bool:
    groups = (*(group_folder(str(folder), domain) for domain in DOMAINS), folder / PARENT / CORE)
    return all(can_enter(path) for path in groups)


def _has_cpu_controller(folder: Path) -> bool:
    return "cpu" in read_name_set(folder / "cgroup.controllers")


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK)


def _read_cpus(folder: Path, names: tuple[str, ...]) -> tuple[int, ...]:
    for name in names:
        try:
            return local_cpus.parse_cpu_tuple((folder / name).read_text())
        except (OSError, ValueError):
            continue
    return ()


def _no_rights_error(folders: list[str], create_words: str) -> HostNotUsable:
    ways = [
        _("run DomTune as root, or once: {helper_command} (three groups, given to you)").format(
            helper_command=helper_command(create_words)
        )
    ]
    scope = scope_command()
    if scope is not None:
        ways.insert(
            0,
            _("start it as: {scope} {path} ...").format(
                scope=" ".join(scope), path=" ".join(Path(word).name for word in sys.argv[:1])
            ),
        )
    return deny_folders(folders, ways)


def helper_command(create_words: str, helper: Path = _HELPER, source: Path = _OWN_HELPER) -> str:
    """Return the command that runs the helper as root, installing it if necessary.

    Root must not run a file that another account can write: that account would become root at the next call.

    Args:
        create_words: Arguments of the helper.
        helper: Path of the installed helper.
        source: Path of the helper that comes with DomTune.
    """
    run = f"sudo {helper} {create_words}"
    if only_root_writes(helper):
        return run
    if only_root_writes(source):
        return f"sudo {source} {create_words}"
    return f"sudo install -D -o root -g root {source} {helper} && {run}"


def only_root_writes(path: Path) -> bool:
    """Return True for a file that only root may change; never raise.

    The rule includes every folder above the file.
    """
    try:
        stats = [each.lstat() for each in (path, *path.parents)]
    except OSError:
        return False
    return all(stat.st_uid == 0 and not stat.st_mode & 0o022 for stat in stats)
