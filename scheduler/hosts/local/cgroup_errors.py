"""Reasons why control groups cannot be created, each with a remedy.

Sources: cgroups(7), cgroup_namespaces(7).
"""

import os
from collections.abc import Collection, Sequence
from pathlib import Path

from scheduler.errors import HostNotUsable
from scheduler.translation import _

_TABLE = Path("/proc/cgroups")
_CONTAINER = _(
    "In a container: start the container with --privileged, or with -v /sys/fs/cgroup:/sys/fs/cgroup:rw (Docker, "
    "Podman), or with lxc.mount.auto = cgroup:rw (LXC)."
)


def deny_folders(folders: Sequence[str], ways: Sequence[str]) -> HostNotUsable:
    """Return the error for folders in which groups cannot be created.

    Args:
        folders: Absolute paths, one per hierarchy.
        ways: Remedies for an ordinary user, as clauses; root gets other remedies.
    """
    places = " and ".join(folders)
    read_only = [folder for folder in folders if is_read_only(Path(folder))]
    if read_only:
        return HostNotUsable(
            _("control groups are mounted read-only in {only}").format(only=" and ".join(read_only)),
            hint=_("{container} On a host: mount -o remount,rw {only}.").format(
                container=_CONTAINER, only=read_only[0]
            ),
        )
    if os.geteuid() == 0:
        return HostNotUsable(
            _("root of this container may not make control groups in {places}").format(places=places),
            hint=_(
                "These groups belong to an account outside, or were not given the controller cpu. {container}"
            ).format(container=_CONTAINER),
        )
    return HostNotUsable(
        _("user {geteuid} may not make control groups in {places}").format(geteuid=os.geteuid(), places=places),
        hint=_("Either {ways}.").format(ways="; or ".join(ways)),
    )


def deny_controller(mounted: Collection[Path]) -> HostNotUsable:
    """Return the error for a missing CPU controller, with the hierarchy that owns it.

    Args:
        mounted: Mount points of version 2; empty for none.
    """
    lacking = _("this computer offers no CPU controller")
    if not mounted:
        return HostNotUsable(
            _("{lacking}: no control group hierarchy with 'cpu' is mounted").format(lacking=lacking),
            hint=_("Mount cgroup2 (mount -t cgroup2 none /sys/fs/cgroup). {container}").format(container=_CONTAINER),
        )
    point = " and ".join(map(str, sorted(mounted)))
    holder, enabled = _holder_of_cpu(_read_text(_TABLE))
    if not enabled:
        hint = _("Take cgroup_disable=cpu out of the kernel's command line, or boot a kernel with CONFIG_CGROUP_SCHED.")
        return HostNotUsable(
            _("{lacking}: this kernel has none, or it was switched off").format(lacking=lacking), hint=hint
        )
    if holder:
        return HostNotUsable(
            _(
                "{lacking}: a hierarchy of version 1 holds it, which is not mounted here; cgroup2 in {point} has none"
            ).format(lacking=lacking, point=point),
            hint=f"Mount it: mkdir -p FOLDER && mount -t cgroup -o {holder} none FOLDER. Or boot with "
            "systemd.unified_cgroup_hierarchy=1.",
        )
    return HostNotUsable(
        _("{lacking}: the group above this container has not passed it on to {point}").format(
            lacking=lacking, point=point
        ),
        hint=_(
            "Outside of the container, write +cpu to cgroup.subtree_control of the groups above it, or let systemd do "
            "so (Delegate=yes in the unit that starts the container)."
        ),
    )


def is_read_only(folder: Path) -> bool:
    """Return True for a folder on a read-only mount; False where unknown."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def _holder_of_cpu(table: str) -> tuple[str, bool]:
    """Return the version 1 hierarchy with cpu, and True when cpu is enabled.

    The hierarchy is a list of its controllers, empty for none.

    Args:
        table: Text of /proc/cgroups: name, hierarchy, groups, enabled. Empty for kernels without version 1.
    """
    rows = {fields[0]: fields[1:] for line in table.splitlines() if len(fields := line.split()) == 4}
    number, _, enabled = rows.get("cpu", ("0", "", "0" if table else "1"))
    together = ",".join(name for name, row in rows.items() if row[0] == number)
    return "" if number == "0" else together, enabled == "1"


def _read_text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
