"""Names and abilities of schedulers, as plain text."""

from app.wizard.plan_texts import tr


def changes_sentence(scheduler: str) -> str:
    """Return a sentence with the settings that a sweep changes under a scheduler."""
    if scheduler.startswith("cgroup"):
        return tr("Only the weight and CPU quota of the two control groups.")
    return tr("Only the scheduler parameters of both domains.")


def scheduler_name(scheduler: str) -> str:
    """Return the displayed name of a scheduler."""
    names = {
        "cgroup-v1": tr("Linux control groups, version 1"),
        "cgroup-v2": tr("Linux control groups, version 2"),
        "rtds": tr("RTDS (reservations)"),
        "sedf": tr("SEDF (reservations)"),
        "sedf-xm": tr("SEDF (reservations)"),
        "qemu-v1": tr("QEMU domains, control groups version 1"),
        "qemu-v2": tr("QEMU domains, control groups version 2"),
        "qemu-emulator": tr("QEMU domain, its emulator next to its vCPUs"),
        "lxc-v1": tr("LXC domains, control groups version 1"),
        "lxc-v2": tr("LXC domains, control groups version 2"),
    }
    return names.get(scheduler, scheduler)
