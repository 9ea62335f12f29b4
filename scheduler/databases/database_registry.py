"""Which folder speaks to which database; imported when used. What a plan may name stands in `model/databases.py`."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from scheduler.databases.abortable import AbortableDatabase
from scheduler.databases.protocols import DatabaseAccess, DatabaseServer, TransactionSession, UserSession
from scheduler.model.databases import database_url, parse_database_name


def create_server(named: str, beside: str = "", settings: Mapping[str, str] = {}) -> DatabaseServer:
    """Return the server that a plan's `database` means, not started.

    Args:
        named: `postgresql:`, or empty for the standard one, both brought by us; a URL for one of this computer's.
        beside: Of one that we bring: tells its data from those of another one that runs at the same time.
        settings: Likewise: what it is started with other than its own defaults (`model/databases.py` declares them).

    Raises:
        SpecError: It is none of these.
        HostNotUsable: The one that we bring is not installed.
    """
    url = database_url(named)
    opening = _import_opening(named)
    if url:
        return opening.external_server(url)
    return opening.embedded_server(beside, settings) if settings else opening.embedded_server(beside)


def open_database(url: str, password: str) -> DatabaseAccess:
    """Return the pool's own way into a database, not connected; raises SpecError.

    Args:
        url: Its URL, without a password.
        password: Empty for none; nothing looks for another one.
    """
    return AbortableDatabase(lambda: _import_opening(url).open_database(url, password))


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


def find_server_version(named: str) -> tuple[str, str]:
    """Return version and origin of the server that we would bring; raises HostNotUsable when there is none."""
    binary = _import_opening(named).find_server()
    return binary.version, binary.origin


def own_password(url: str) -> str:
    """Return the password that a user's own variables and files have for a database; empty where there is none.

    Only for a server that the person has named: whoever wrote the plan may have named one of theirs.

    Args:
        url: The database's URL.

    Raises:
        SpecError: Not a URL.
    """
    return _import_opening(url).own_password(url)


def _import_opening(named: str) -> Any:  # noqa: ANN401 - a module; its functions are those above
    return import_module(f"scheduler.databases.{parse_database_name(named)}.opening")
