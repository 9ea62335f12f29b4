"""Registry of database kinds: the folder for each kind, imported on first use.

`model/databases.py` declares the names for plans.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from scheduler.databases.abortable import AbortableDatabase
from scheduler.databases.protocols import DatabaseAccess, DatabaseServer, TransactionSession, UserSession
from scheduler.model.databases import database_url, parse_database_name


def create_server(named: str, beside: str = "", settings: Mapping[str, str] = {}) -> DatabaseServer:
    """Return the server that a plan's `database` names, not started.

    Args:
        named: `postgresql:` or empty for a built-in server; a URL for an external server on this computer.
        beside: Suffix that separates the data of a second built-in server from the first.
        settings: Settings of a built-in server that differ from its defaults (`model/databases.py` declares them).

    Raises:
        SpecError: The name is not valid.
        HostNotUsable: The built-in server is not installed.
    """
    url = database_url(named)
    opening = _import_opening(named)
    if url:
        return opening.external_server(url)
    return opening.embedded_server(beside, settings) if settings else opening.embedded_server(beside)


def open_database(url: str, password: str) -> DatabaseAccess:
    """Return the user pool's access to a database, not connected; raise SpecError.

    Args:
        url: URL of the database, without a password.
        password: Password, empty for none; no other source is searched.
    """
    return AbortableDatabase(lambda: _import_opening(url).open_database(url, password))


def connect_user(name: str, params: Mapping[str, str], application: str, tries: int) -> UserSession:
    """Connect one user of a load; raise DatabaseUnreachable.

    Args:
        name: Name of the kind of database.
        params: Parameters of the database's `DatabaseAccess`.
        application: Name of the connection for the server.
        tries: Number of attempts for a slow server, >= 1.
    """
    user: Any = import_module(f"scheduler.databases.{name}.user")
    return user.connect(params, application, tries)


def connect_transactions(
    name: str, params: Mapping[str, str], application: str, tries: int, isolation: str
) -> TransactionSession:
    """Connect one user with transactions of several statements.

    Args:
        name: Name of the kind of database.
        params: Parameters of the database's `DatabaseAccess`.
        application: Name of the connection for the server.
        tries: Number of attempts for a slow server, >= 1.
        isolation: Isolation level in SQL, for example `READ COMMITTED`.

    Raises:
        DatabaseUnreachable: The connection failed.
    """
    user: Any = import_module(f"scheduler.databases.{name}.user")
    return user.connect_transactions(params, application, tries, isolation)


def find_server_version(named: str) -> tuple[str, str]:
    """Return version and origin of the built-in server.

    Raises:
        HostNotUsable: No server is installed.
    """
    binary = _import_opening(named).find_server()
    return binary.version, binary.origin


def own_password(url: str) -> str:
    """Return the password from a user's own variables and files; empty for none.

    Use this only for a server that the user has named: the author of a plan may have named a server of theirs.

    Args:
        url: URL of the database.

    Raises:
        SpecError: The URL is not valid.
    """
    return _import_opening(url).own_password(url)


def _import_opening(named: str) -> Any:  # noqa: ANN401 - a module with the functions used above
    return import_module(f"scheduler.databases.{parse_database_name(named)}.opening")
