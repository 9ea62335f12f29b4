"""libvirt URIs as hosts: by the API alone on this computer, behind a guard on another one."""

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


def open_host(url: str, ledger: CommandLog, io_domain: str, guest_domain: str, database: str) -> Host:
    """Open a libvirt URI.

    Raises:
        SpecError: Not such a URI, or the names fit no running domains.
        HostNotUsable: No Python here speaks with libvirt, or nothing there can be swept.
        HostUnreachable: No answer within the time limit.
    """
    connection = LibvirtConnection(parse_uri(url))
    try:
        domains = connection.ask("listing the domains", {"do": "domains"}, list[ListedDomain])
        pair = choose_pair(connection.uri.driver, domains, io_domain, guest_domain)
        guest = connection.ask("looking at the guest", {"do": "domain", "uuid": pair.guest}, DomainDescription)
        near = LibvirtHost(connection, pair, ledger, guest.scheduler)
        return near if connection.uri.here else RemoteLibvirtHost(near, ledger)
    except BaseException:
        connection.close()
        raise


def reopen_host(url: str, context: Mapping[str, str], ledger: CommandLog) -> Host:
    """Open the host of an undo record; raises HostError when it is another one now, or the record says too little."""
    try:
        pair = DomainPair(context["io"], context["guest"], IoSide(context["side"]))
        connection = LibvirtConnection(parse_uri(context["uri"]))
        expected, scheduler = context["hostname"], context["scheduler"]
        left = None
        if "reach" in context:
            left = (decode_bounded(msgspec.json.Decoder(RemoteAccess), context["reach"]), context[GUARD_TOKEN])
    except (KeyError, ValueError, msgspec.DecodeError) as error:
        raise HostError(
            f"the undo record of {redact_url(url)} does not say which domains it is about: {error}"
        ) from error
    try:
        _refuse_another(url, connection.about().hostname, expected)
        near = LibvirtHost(connection, pair, ledger, scheduler)
        return near if left is None else RemoteLibvirtHost(near, ledger, left)
    except BaseException:
        connection.close()
        raise


def _refuse_another(url: str, hostname: str, expected: str) -> None:
    """Domains would look gone on another host, and the record be dropped while they are limited on theirs."""
    if hostname != expected:
        raise HostNotUsable(
            f"{redact_url(url)} is {hostname!r} now; the undo record is about {expected!r}",
            hint="Make the URI lead to that host again, then run 'domtune restore'.",
        )
