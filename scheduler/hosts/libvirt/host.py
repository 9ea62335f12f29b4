"""libvirt URIs as hosts: by the API alone on this computer, behind a guard on another one."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import HostError, HostNotUsable
from scheduler.hosts.base import GUARD_TOKEN, Host, Ledger
from scheduler.hosts.libvirt.answers import Described, Listed
from scheduler.hosts.libvirt.connection import Connection
from scheduler.hosts.libvirt.guarded import GuardedHost
from scheduler.hosts.libvirt.near import LibvirtHost
from scheduler.hosts.libvirt.pair import Pair, Side, choose
from scheduler.hosts.libvirt.reach import Reach
from scheduler.hosts.libvirt.uri import parse
from scheduler.model.lines import decode
from scheduler.model.urls import shown


def open_host(url: str, ledger: Ledger, io_domain: str, guest_domain: str, database: str) -> Host:
    """Open a libvirt URI.

    Raises:
        SpecError: Not such a URI, or the names fit no running domains.
        HostNotUsable: No Python here speaks with libvirt, or nothing there can be swept.
        HostUnreachable: No answer within the time limit.
    """
    connection = Connection(parse(url))
    try:
        domains = connection.ask("listing the domains", {"do": "domains"}, list[Listed])
        pair = choose(connection.uri.driver, domains, io_domain, guest_domain)
        guest = connection.ask("looking at the guest", {"do": "domain", "uuid": pair.guest}, Described)
        near = LibvirtHost(connection, pair, ledger, guest.scheduler)
        return near if connection.uri.here else GuardedHost(near, ledger)
    except BaseException:
        connection.close()
        raise


def reopen_host(url: str, context: Mapping[str, str], ledger: Ledger) -> Host:
    """Open the host of an undo record; raises HostError when it is another one now, or the record says too little."""
    try:
        pair = Pair(context["io"], context["guest"], Side(context["side"]))
        connection = Connection(parse(context["uri"]))
        expected, scheduler = context["hostname"], context["scheduler"]
        left = None
        if "reach" in context:
            left = (decode(msgspec.json.Decoder(Reach), context["reach"]), context[GUARD_TOKEN])
    except (KeyError, ValueError, msgspec.DecodeError) as error:
        raise HostError(f"the undo record of {shown(url)} does not say which domains it is about: {error}") from error
    try:
        _refuse_another(url, connection.about().hostname, expected)
        near = LibvirtHost(connection, pair, ledger, scheduler)
        return near if left is None else GuardedHost(near, ledger, left)
    except BaseException:
        connection.close()
        raise


def _refuse_another(url: str, hostname: str, expected: str) -> None:
    """Domains would look gone on another host, and the record be dropped while they are limited on theirs."""
    if hostname != expected:
        raise HostNotUsable(
            f"{shown(url)} is {hostname!r} now; the undo record is about {expected!r}",
            hint="Make the URI lead to that host again, then run 'domtune restore'.",
        )
