"""Which folder speaks to which database; imported when used. What a plan may name stands in `model/databases.py`."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from scheduler.databases.abortable import AbortableDatabase
from scheduler.databases.base import Database, Server, TransactionSession, UserSession
from scheduler.model.databases import database_of, url_of


def server_of(named: str, beside: str = "", settings: Mapping[str, str] = {}) -> Server:
    """Return the server that a plan's `database` means, not started.

    Args:
        named: `postgresql:`, or empty for the standard one, both brought by us; a URL for one of this computer's.
        beside: Of one that we bring: tells its data from those of another one that runs at the same time.
        settings: Likewise: what it is started with other than its own defaults (`model/databases.py` declares them).

    Raises:
        SpecError: It is none of these.
        HostNotUsable: The one that we bring is not installed.
    """
    url = url_of(named)
    opening = _opening(named)
    if url:
        return opening.adopted_server(url)
    return opening.embedded_server(beside, settings) if settings else opening.embedded_server(beside)


def open_database(url: str, password: str) -> Database:
    """Return the pool's own way into a database, not connected; raises SpecError.

    Args:
        url: Its URL, without a password.
        password: Empty for none; nothing looks for another one.
    """
    return AbortableDatabase(lambda: _opening(url).open_database(url, password))


def connect_user(name: str, params: Mapping[str, str], application: str, tries: int) -> UserSession:
    """Connect one user of a load; raises DatabaseUnreachable.

    Args:
        name: Name of the kind of database.
        params: Those of its `Database`.
        application: What the server is to call the connection.
        tries: How often a server that is slow to answer is asked.
    """
    user: Any = import_module(f"scheduler.databases.{name}.user")
    return user.connect(params, application, tries)


def connect_transactions(
    name: str, params: Mapping[str, str], application: str, tries: int, isolation: str
) -> TransactionSession:
    """Connect one user of a load whose transactions have several statements; raises DatabaseUnreachable.

    Args:
        name: Name of the kind of database.
        params: Those of its `Database`.
        application: What the server is to call the connection.
        tries: How often a server that is slow to answer is asked.
        isolation: As SQL has it: `READ COMMITTED`.
    """
    user: Any = import_module(f"scheduler.databases.{name}.user")
    return user.connect_transactions(params, application, tries, isolation)


def server_found(named: str) -> tuple[str, str]:
    """Return version and origin of the server that we would bring; raises HostNotUsable when there is none."""
    binary = _opening(named).find_server()
    return binary.version, binary.origin


def own_password(url: str) -> str:
    """Return the password that a user's own variables and files have for a database; empty where there is none.

    Only for a server that the person has named: whoever wrote the plan may have named one of theirs.

    Args:
        url: The database's URL.

    Raises:
        SpecError: Not a URL.
    """
    return _opening(url).own_password(url)


def _opening(named: str) -> Any:  # noqa: ANN401 - a module; its functions are those above
    return import_module(f"scheduler.databases.{database_of(named)}.opening")
