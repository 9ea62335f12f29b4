"""A host's URL read aloud while it is typed, and what each scheduler can do. Plain text only."""

from urllib.parse import urlsplit

from app.wizard.sentences import tr


def parts_of(url: str) -> list[tuple[str, str]]:
    """Return the parts of a URL as (what it is, value); empty while there is no kind yet."""
    kind, colon, _ = url.strip().partition(":")
    if not colon or not kind:
        return []
    if kind == "local":
        return [(tr("kind"), kind), (tr("host"), tr("this computer"))]
    try:
        parts = urlsplit(url.strip())
        found = [(tr("user"), parts.username), (tr("host"), parts.hostname), (tr("port"), parts.port)]
    except ValueError:
        return [(tr("kind"), kind)]
    rest = (tr("path"), parts.path)
    return [(name, str(value)) for name, value in [(tr("kind"), kind), *found, rest] if value]


def shortened(url: str, letters: int = 32) -> str:
    """Return a URL that fits on a button."""
    return url if len(url) <= letters else f"{url[: letters - 1]}\N{HORIZONTAL ELLIPSIS}"


def what_changes(scheduler: str) -> str:
    """Return what a sweep changes on such a host, and when that takes effect."""
    if scheduler.startswith("cgroup"):
        return tr(
            "Weight and CPU quota of the two control groups. Both take effect at once, live only for the sweep, and "
            "are gone after a restart of the computer in any case."
        )
    return tr("The scheduler's parameters of both domains, at once and only until the host restarts.")


def scheduler_name(scheduler: str) -> str:
    """Return what people call a scheduler."""
    names = {
        "cgroup-v1": tr("Linux control groups, version 1"),
        "cgroup-v2": tr("Linux control groups, version 2"),
        "rtds": tr("RTDS (reservations)"),
        "sedf": tr("SEDF (reservations)"),
        "sedf-xm": tr("SEDF (reservations)"),
        "qemu-v1": tr("QEMU domains, control groups version 1"),
        "qemu-v2": tr("QEMU domains, control groups version 2"),
        "qemu-emulator": tr("a QEMU domain, its emulator beside its vCPUs"),
        "lxc-v1": tr("LXC domains, control groups version 1"),
        "lxc-v2": tr("LXC domains, control groups version 2"),
    }
    return names.get(scheduler, scheduler)
