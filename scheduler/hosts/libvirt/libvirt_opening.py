"""Opening of libvirt URIs as hosts: local by the API alone, remote with a guard."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import HostError, HostNotUsable
from scheduler.hosts.libvirt.api_host import LibvirtHost
from scheduler.hosts.libvirt.domain_pair import DomainPair, choose_pair
from scheduler.hosts.libvirt.libvirt_connection import LibvirtConnection
from scheduler.hosts.libvirt.libvirt_uri import parse_uri
from scheduler.hosts.libvirt.remote_access import RemoteAccess
from scheduler.hosts.libvirt.remote_host import RemoteLibvirtHost
from scheduler.hosts.libvirt.worker_answers import DomainDescription, ListedDomain
from scheduler.hosts.protocols import GUARD_TOKEN, CommandLog, Host
from scheduler.model.bounded_json import decode_bounded
from scheduler.model.urls import redact_url
from scheduler.toolstacks.virsh import IoSide
from scheduler.translation import _


def open_host(url: str, command_log: CommandLog, io_domain: str, guest_domain: str, database: str) -> Host:
    """Open the host of a libvirt URI.

    Args:
        url: The URI.
        command_log: Called with each command and its answer.
        io_domain: The plan's name of the I/O domain; empty where only one choice exists.
        guest_domain: The plan's name of the guest; empty where only one choice exists.
        database: Ignored.

    Raises:
        SpecError: The URI is not valid, or a name matches no running domain.
        HostNotUsable: No Python here has libvirt's binding, or the host has no domain to sweep.
        HostUnreachable: The host does not answer within the time limit.
    """
    connection = LibvirtConnection(parse_uri(url))
    try:
        domains = connection.ask(_("listing the domains"), {"do": "domains"}, list[ListedDomain])
        pair = choose_pair(connection.uri.driver, domains, io_domain, guest_domain)
        guest = connection.ask(_("looking at the guest"), {"do": "domain", "uuid": pair.guest}, DomainDescription)
        near = LibvirtHost(connection, pair, command_log, guest.scheduler)
        return near if connection.uri.here else RemoteLibvirtHost(near, command_log)
    except BaseException:
        connection.close()
        raise


def reopen_host(url: str, context: Mapping[str, str], command_log: CommandLog) -> Host:
    """Reopen the host of an undo record, to restore its domains.

    Args:
        url: URL of the host.
        context: Context from the undo record.
        command_log: Called with each command and its answer.

    Raises:
        HostError: Another host answers now, or the undo record is incomplete.
    """
    try:
        pair = DomainPair(context["io"], context["guest"], IoSide(context["side"]))
        connection = LibvirtConnection(parse_uri(context["uri"]))
        expected, scheduler = context["hostname"], context["scheduler"]
        left = None
        if "reach" in context:
            left = (decode_bounded(msgspec.json.Decoder(RemoteAccess), context["reach"]), context[GUARD_TOKEN])
    except (KeyError, ValueError, msgspec.DecodeError) as error:
        raise HostError(
            _("the undo record of {redact_url} does not name its domains: {error}").format(
                redact_url=redact_url(url), error=error
            )
        ) from error
    try:
        _refuse_another(url, connection.about().hostname, expected)
        near = LibvirtHost(connection, pair, command_log, scheduler)
        return near if left is None else RemoteLibvirtHost(near, command_log, left)
    except BaseException:
        connection.close()
        raise


def _refuse_another(url: str, hostname: str, expected: str) -> None:
    """Raise HostNotUsable when the URI leads to another host.

    The domains would seem gone there, and the undo record would be dropped while their limits stay on the first host.
    """
    if hostname != expected:
        raise HostNotUsable(
            _("{redact_url} is {hostname!r} now; the undo record is about {expected!r}").format(
                redact_url=redact_url(url), hostname=hostname, expected=expected
            ),
            hint=_("Make the URI lead to that host again, then run 'domtune restore'."),
        )
