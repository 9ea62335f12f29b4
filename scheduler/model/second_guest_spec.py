"""What a plan says of the second guest: its users, its domain, its database; what means nothing, or is the first's."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec

from scheduler.errors import SpecError
from scheduler.model.databases import DATABASES, database_url
from scheduler.model.load import LoadSpec
from scheduler.model.studies import ISOLATION
from scheduler.model.urls import is_same_server, redact_url, refuse_password


class SecondGuestSpec(NamedTuple):
    """The second guest, as a plan has it.

    Attributes:
        neighbour_users: Its users; 0 for as many as its load has.
        domain: What the host calls it; empty where it brings it, or the choice is obvious.
        neighbour_database: URL of its database; empty for one that the host brings.
    """

    neighbour_users: int
    domain: str
    neighbour_database: str


def refuse_second_guest(
    second: SecondGuestSpec, study: str, others: Collection[str], loads: Sequence[LoadSpec]
) -> None:
    """Refuse a second guest where there is one, and one that is another domain or has the first one's database.

    Args:
        second: What the plan says of it.
        study: Name of the plan's study.
        others: The plan's names of the other domains.
        loads: The plan's; the first is the first guest's, the last the second's.

    Raises:
        SpecError: That is so; or its database is no URL, one with a password, or one that its load does not run on.
    """
    for field, given in zip(("neighbour_users", "domains.guest_2", "neighbour_database"), second, strict=True):
        if given and study != ISOLATION:
            raise SpecError(field, "means nothing where there is one guest", hint="Leave it out.")
    if second.domain and second.domain in others:
        hint = "Name the domain that runs the second database."
        raise SpecError("domains.guest_2", f"{second.domain!r} cannot be two domains of one study", hint=hint)
    if second.neighbour_database and loads:
        _refuse_database(second.neighbour_database, loads[0].url)
        msgspec.structs.replace(loads[-1], database=second.neighbour_database)


def _refuse_database(named: str, first_url: str) -> None:
    refuse_password(named, "neighbour_database")
    if not database_url(named):
        hint = f"Write {' or '.join(kind.template for kind in DATABASES.values())}."
        raise SpecError("neighbour_database", "is no URL of a database", hint=hint)
    if first_url and is_same_server(named, first_url):
        problem = f"both guests' databases are on one server: {redact_url(named)} and {redact_url(first_url)}"
        raise SpecError("neighbour_database", problem, hint="Name the server that runs in the second guest.")
