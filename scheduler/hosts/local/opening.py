"""How `local:` is opened: afresh, and as another process left it."""

from collections.abc import Mapping

import msgspec

from scheduler.errors import HostError, SpecError
from scheduler.hosts.base import Ledger
from scheduler.hosts.local.host import SECOND, URL, LocalHost
from scheduler.hosts.local.outlived import OutlivedHost, outlived
from scheduler.hosts.local.place import DOMAINS, Found, Place
from scheduler.hosts.local.rights import find_place
from scheduler.hosts.local.within import refuse_elsewhere
from scheduler.model.lines import decode
from scheduler.model.urls import shown


def open_host(url: str, ledger: Ledger, io_domain: str, guest_domain: str, database: str) -> LocalHost:
    """Open this computer.

    Raises:
        SpecError: More than `local:`, or a domain's name that is not one of its two.
        HostNotUsable: We may not make control groups; the hint says what to do.
    """
    if url != URL:
        raise SpecError("host", f"{shown(url)!r} is not this computer", hint=f"Write {URL}")
    for role, name in zip(DOMAINS, (io_domain, guest_domain), strict=True):
        if name not in {"", role, f"domtune/{role}"}:
            raise SpecError(f"domains.{role}", f"{name!r} is not a domain of {URL}", hint="Leave it out.")
    return LocalHost(find_place(), ledger, database=database)


def reopen_host(url: str, context: Mapping[str, str], ledger: Ledger) -> LocalHost | OutlivedHost:
    """Open the groups that another process left; raises HostError when its record says too little, or names others."""
    if outlived(context):
        return OutlivedHost()
    try:
        place = decode(msgspec.json.Decoder(Place), context["place"])
        found = decode(msgspec.json.Decoder(Found), context["found"])
    except (KeyError, msgspec.DecodeError) as error:
        raise HostError(
            f"the undo record of {shown(url)} does not say where its control groups are: {error}"
        ) from error
    refuse_elsewhere(place, found)
    host = LocalHost(place, ledger, found)
    host.follows = context.get("follows") == "yes"
    if context.get(SECOND) == "yes":
        host.add_guest()
    return host
