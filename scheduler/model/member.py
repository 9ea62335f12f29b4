"""Member of a trial: one load, its guest, its route to the database, its users."""

import enum

import msgspec

from scheduler.model.load_name import LoadName
from scheduler.model.split import DomainId
from scheduler.translation import _


class Route(enum.StrEnum):
    """Path of the users' statements to the database."""

    IO_DOMAIN = _("through the I/O domain")
    DIRECT = "direct"


class Member(msgspec.Struct, frozen=True):
    """Load in a trial; a load that runs alone is the only member.

    Attributes:
        load: Name of the load.
        guest: Guest whose database the users work on; None where the host has one guest only.
        route: Path to that database.
        users: Number of users, >= 1.
    """

    load: LoadName
    guest: DomainId | None = None
    route: Route = Route.IO_DOMAIN
    users: int = 1


def member_label(load: str, guest: DomainId | None) -> str:
    """Return the name of a load, with its guest where there are two.

    For example `osdb-ir of guest-2`.

    Args:
        load: Name of the load.
        guest: Guest whose database its users work on; None where the host has one guest only.
    """
    return load if guest is None else _("{load} of {guest}").format(load=load, guest=guest)


def load_names(members: tuple[Member, ...]) -> tuple[LoadName, ...]:
    """Return the name of each member's load, in order."""
    return tuple(member.load for member in members)
