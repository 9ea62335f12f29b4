"""Functions of this folder for `scheduler.databases.database_registry`."""

from collections.abc import Mapping

from scheduler.databases.postgresql.built_in_postgresql import BuiltInPostgresql, default_data_dir
from scheduler.databases.postgresql.database import PostgresqlDatabase
from scheduler.databases.postgresql.external_postgresql import ExternalPostgresql
from scheduler.databases.postgresql.passfile import own_password as own_password  # noqa: PLC0414 - asked for by registry
from scheduler.databases.postgresql.postgresql_binaries import find_server
from scheduler.model.databases import IO_METHOD

_SINCE = {IO_METHOD: 18}
"""First major version with each setting; an older server refuses to start."""


def embedded_server(beside: str = "", settings: Mapping[str, str] = {}) -> BuiltInPostgresql:
    """Return the built-in server, not started; raise HostNotUsable if not installed.

    Args:
        beside: Suffix that separates the data of a second built-in server from the first.
        settings: Settings of the server; settings unknown to its version are omitted.
    """
    binary = find_server()
    known = {name: value for name, value in settings.items() if binary.major >= _SINCE.get(name, 0)}
    return BuiltInPostgresql(binary, default_data_dir(binary, beside), settings=known)


def external_server(url: str) -> ExternalPostgresql:
    """Return the external server of a URL, not searched for yet; raise SpecError."""
    return ExternalPostgresql(url)


def open_database(url: str, password: str) -> PostgresqlDatabase:
    """Return the user pool's access to a database; raise SpecError.

    Args:
        url: URL of the database, without a password.
        password: Password; empty for none.
    """
    return PostgresqlDatabase(url, password)
