"""Opening of `local:` for a new sweep, and for the groups of another process."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import HostError, SpecError
from scheduler.hosts.local.cgroup_paths import DOMAINS, CgroupPaths, InitialGroups
from scheduler.hosts.local.cgroup_rights import find_cgroup_paths
from scheduler.hosts.local.local_host import SECOND, URL, LocalHost
from scheduler.hosts.local.path_check import refuse_foreign_paths
from scheduler.hosts.local.stale_records import StaleHost, is_stale
from scheduler.hosts.protocols import CommandLog
from scheduler.model.bounded_json import decode_bounded
from scheduler.model.urls import redact_url
from scheduler.translation import _


def open_host(url: str, command_log: CommandLog, io_domain: str, guest_domain: str, database: str) -> LocalHost:
    """Open this computer as the host `local:`.

    Args:
        url: URL of the host.
        command_log: Called with each command and its answer.
        io_domain: Empty, or the name of the I/O domain's group.
        guest_domain: Empty, or the name of the guest's group.
        database: URL of an external server on this computer, or the kind of built-in database.

    Raises:
        SpecError: The URL is not `local:`, or a domain has another name.
        HostNotUsable: Control groups cannot be created; the hint gives the remedies.
    """
    if url != URL:
        raise SpecError(
            "host",
            _("{redact_url!r} is not this computer").format(redact_url=redact_url(url)),
            hint=_("Write {url}").format(url=URL),
        )
    for role, name in zip(DOMAINS, (io_domain, guest_domain), strict=True):
        if name not in {"", role, f"domtune/{role}"}:
            raise SpecError(
                f"domains.{role}",
                _("{name!r} is not a domain of {url}").format(name=name, url=URL),
                hint=_("Leave it out."),
            )
    return LocalHost(find_cgroup_paths(), command_log, database=database)


def reopen_host(url: str, context: Mapping[str, str], command_log: CommandLog) -> LocalHost | StaleHost:
    """Reopen the groups that another process left, to restore them.

    Args:
        url: URL of the host.
        context: Context from the undo record.
        command_log: Called with each command and its answer.

    Raises:
        HostError: The undo record is incomplete.
        HostNotUsable: The undo record names other folders.
    """
    if is_stale(context):
        return StaleHost()
    try:
        place = decode_bounded(msgspec.json.Decoder(CgroupPaths), context["place"])
        found = decode_bounded(msgspec.json.Decoder(InitialGroups), context["found"])
    except (KeyError, msgspec.DecodeError) as error:
        raise HostError(
            _("the undo record of {redact_url} does not say where its control groups are: {error}").format(
                redact_url=redact_url(url), error=error
            )
        ) from error
    refuse_foreign_paths(place, found)
    host = LocalHost(place, command_log, found)
    host.follows = context.get("follows") == "yes"
    if context.get(SECOND) == "yes":
        host.add_guest()
    return host
