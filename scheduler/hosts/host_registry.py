"""Registry of host adapters by URL scheme; adapters are imported on first use."""

from collections.abc import Mapping
from importlib import import_module

from scheduler.errors import SpecError
from scheduler.hosts.protocols import CommandLog, Host
from scheduler.model.host_kinds import HOST_KINDS, find_host_module
from scheduler.model.urls import redact_url
from scheduler.translation import _


def open_host(
    url: str, command_log: CommandLog, *, io_domain: str = "", guest_domain: str = "", database: str = ""
) -> Host:
    """Open the host of a URL.

    Args:
        url: A host URL, for example `local:`.
        command_log: Called with each command sent to the host and its answer.
        io_domain: The host's name of the I/O domain; empty where only one choice exists.
        guest_domain: The host's name of the guest; empty where only one choice exists.
        database: The plan's database: a URL, or a kind of built-in database. Hosts without a built-in database ignore
            this argument.

    Raises:
        SpecError: The kind of host is unknown.
        HostError: The host cannot be reached or used.
    """
    return import_module(_module_of(url)).open_host(url, command_log, io_domain, guest_domain, database)


def reopen_host(url: str, context: Mapping[str, str], command_log: CommandLog) -> Host:
    """Reopen a host that another process changed, to restore the host.

    Args:
        url: URL of the host.
        context: Context from the undo record.
        command_log: Called with each command sent to the host and its answer.
    """
    return import_module(_module_of(url)).reopen_host(url, context, command_log)


def is_this_computer(url: str) -> bool:
    """Return True when a host URL names this computer."""
    return url.partition(":")[0] == "local"


def is_obsolete(url: str, context: Mapping[str, str]) -> bool:
    """Return True when an undo record describes control groups that are gone.

    Only records of this computer can be obsolete. Control groups disappear at a reboot, or when they are removed by
    hand.

    Args:
        url: URL of the host.
        context: Context from the undo record.
    """
    from scheduler.hosts.local.stale_records import is_stale

    return is_this_computer(url) and is_stale(context)


def privilege_prefix() -> list[str]:
    """Return the command prefix for changes of this computer; empty for none."""
    from scheduler.hosts.local.cgroup_rights import scope_command

    return scope_command() or []


def existing_cgroups() -> tuple[str, ...]:
    """Return DomTune's control groups that remain on this computer; never raise.

    Each group has a line of its own.
    """
    from scheduler.hosts.local.leftover_groups import list_leftover_groups

    return list_leftover_groups()


def ignore_command(command: str, answer: str) -> None:
    """Ignore a command: the command log of a host that is only read.

    Args:
        command: The command.
        answer: The host's answer.
    """


def _module_of(url: str) -> str:
    module = find_host_module(url)
    if not module:
        known = ", ".join(url for kind in HOST_KINDS.values() for url in kind.example)
        raise SpecError(
            "host",
            _("{redact_url!r} is not a host that this version knows").format(redact_url=redact_url(url)),
            hint=_("Known hosts: {known}.").format(known=known),
        )
    return module
