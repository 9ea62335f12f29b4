"""What `scheduler.databases.database_registry` asks this folder for."""

from collections.abc import Mapping

from scheduler.databases.postgresql.built_in_postgresql import BuiltInPostgresql, default_data_dir
from scheduler.databases.postgresql.database import PostgresqlDatabase
from scheduler.databases.postgresql.external_postgresql import ExternalPostgresql
from scheduler.databases.postgresql.passfile import own_password as own_password  # noqa: PLC0414 - asked for by registry
from scheduler.databases.postgresql.postgresql_binaries import find_server
from scheduler.model.databases import IO_METHOD

_SINCE = {IO_METHOD: 18}
"""Setting to the first major version that has it: a server refuses to start with one that it does not know."""


def embedded_server(beside: str = "", settings: Mapping[str, str] = {}) -> BuiltInPostgresql:
    """Return the server that we bring, not started; raises HostNotUsable when there is none.

    Args:
        beside: Tells its data from those of another one that runs at the same time.
        settings: What it is started with; what its version does not know yet is left out.
    """
    binary = find_server()
    known = {name: value for name, value in settings.items() if binary.major >= _SINCE.get(name, 0)}
    return BuiltInPostgresql(binary, default_data_dir(binary, beside), settings=known)


def external_server(url: str) -> ExternalPostgresql:
    """Return somebody else's server, not looked for yet; raises SpecError."""
    return ExternalPostgresql(url)


def open_database(url: str, password: str) -> PostgresqlDatabase:
    """Return the pool's own way into a database; raises SpecError."""
    return PostgresqlDatabase(url, password)
