"""Names and abilities of schedulers, as plain text."""

from scheduler.translation import _


def changes_sentence(scheduler: str) -> str:
    """Return a sentence with the settings that a sweep changes under a scheduler."""
    if scheduler.startswith("cgroup"):
        return _("Only the weight and CPU quota of the two control groups.")
    return _("Only the scheduler parameters of both domains.")


def scheduler_name(scheduler: str) -> str:
    """Return the displayed name of a scheduler."""
    names = {
        "cgroup-v1": _("Linux control groups, version 1"),
        "cgroup-v2": _("Linux control groups, version 2"),
        "rtds": _("RTDS (reservations)"),
        "sedf": _("SEDF (reservations)"),
        "sedf-xm": _("SEDF (reservations)"),
        "qemu-v1": _("QEMU domains, control groups version 1"),
        "qemu-v2": _("QEMU domains, control groups version 2"),
        "qemu-emulator": _("QEMU domain, its emulator next to its vCPUs"),
        "lxc-v1": _("LXC domains, control groups version 1"),
        "lxc-v2": _("LXC domains, control groups version 2"),
    }
    return names.get(scheduler, scheduler)
