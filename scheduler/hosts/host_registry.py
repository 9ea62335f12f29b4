"""URL scheme to adapter; an adapter is imported when it is used."""

from collections.abc import Mapping
from importlib import import_module

from scheduler.errors import SpecError
from scheduler.hosts.protocols import CommandLog, Host
from scheduler.model.urls import redact_url

# libvirt's URIs: DRIVER:///..., DRIVER+TRANSPORT://...
_LIBVIRT = {
    f"{driver}{transport}": "scheduler.hosts.libvirt.libvirt_opening"
    for driver in ("qemu", "lxc", "test")
    for transport in ("", "+unix", "+ssh", "+tls", "+tcp", "+libssh", "+libssh2")
}
# Some of these are refused there, with words that say why.
_XEN = {
    f"xen{transport}": "scheduler.hosts.xen.xen_host"
    for transport in ("", "+unix", "+ssh", "+tls", "+tcp", "+libssh", "+libssh2")
}
_MODULES = {
    **_LIBVIRT,
    **_XEN,
    "local": "scheduler.hosts.local.local_opening",
    "xl": "scheduler.hosts.xen.xen_host",
    "xl+ssh": "scheduler.hosts.xen.xen_host",
    "xapi": "scheduler.hosts.xapi.xapi_host",
    "sim": "scheduler.hosts.sim",
    "fake": "scheduler.hosts.fake",
}
# fake: is for tests
_PUBLIC = (
    "local:",
    "sim:",
    "xl:",
    "xl+ssh://USER@HOST",
    "xapi://HOST",
    "qemu:///system",
    "lxc:///system",
    "xen:///system",
)


def open_host(url: str, ledger: CommandLog, *, io_domain: str = "", guest_domain: str = "", database: str = "") -> Host:
    """Open a host.

    Args:
        url: One of the host URLs, for example `local:`.
        ledger: Called for everything that the host is told.
        io_domain: The host's name of the I/O domain; empty where there is an obvious one.
        guest_domain: Likewise for the guest.
        database: URL of the database that the loads name; a host that brings one itself then takes that.

    Raises:
        SpecError: Unknown kind of host.
        HostError: It cannot be reached or used.
    """
    return import_module(_module_of(url)).open_host(url, ledger, io_domain, guest_domain, database)


def reopen_host(url: str, context: Mapping[str, str], ledger: CommandLog) -> Host:
    """Open a host as another process left it, to restore it; `context` is from its undo record."""
    return import_module(_module_of(url)).reopen_host(url, context, ledger)


def is_this_computer(url: str) -> bool:
    """Return whether a host URL names this computer, so that its control groups are ours to make."""
    return url.partition(":")[0] == "local"


def is_obsolete(url: str, context: Mapping[str, str]) -> bool:
    """Return whether a record of this computer has outlived what it tells of: gone, by a reboot or by hand."""
    from scheduler.hosts.local.stale_records import is_stale

    return is_this_computer(url) and is_stale(context)


def privilege_prefix() -> list[str]:
    """Return words to put before a command so that it may change this computer; empty where none are needed."""
    from scheduler.hosts.local.cgroup_rights import scope_command

    return scope_command() or []


def existing_cgroups() -> tuple[str, ...]:
    """Return the control groups of ours that stand on this computer, a line each; never raises."""
    from scheduler.hosts.local.leftover_groups import list_leftover_groups

    return list_leftover_groups()


def ignore_command(command: str, answer: str) -> None:
    """Be the ledger of a host that is only looked at."""


def _module_of(url: str) -> str:
    scheme = url.partition(":")[0]
    module = _MODULES.get(scheme) if ":" in url else None
    if module is None:
        known = ", ".join(_PUBLIC)
        raise SpecError(
            "host", f"{redact_url(url)!r} is not a host that this version knows", hint=f"Known hosts: {known}."
        )
    return module
