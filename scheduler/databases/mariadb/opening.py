"""What `scheduler.databases.database_registry` asks this folder for."""

from scheduler.databases.mariadb.built_in_mariadb import BuiltInMariadb, default_data_dir
from scheduler.databases.mariadb.database import MariadbDatabase
from scheduler.databases.mariadb.external_mariadb import ExternalMariadb
from scheduler.databases.mariadb.mariadb_binaries import find_server
from scheduler.databases.mariadb.option_file import own_password as _own_password
from scheduler.model.mariadb_urls import parse_server_url


def embedded_server(beside: str = "") -> BuiltInMariadb:
    """Return the server that we bring, not started; raises HostNotUsable when there is none.

    Args:
        beside: Tells its data from those of another one that runs at the same time.
    """
    binary = find_server()
    return BuiltInMariadb(binary, default_data_dir(binary, beside))


def external_server(url: str) -> ExternalMariadb:
    """Return somebody else's server, not looked for yet; raises SpecError."""
    return ExternalMariadb(url)


def open_database(url: str, password: str) -> MariadbDatabase:
    """Return the pool's own way into a database; raises SpecError."""
    return MariadbDatabase(url, password)


def own_password(url: str) -> str:
    """Return the password that MYSQL_PWD or ~/.my.cnf has, whatever server is meant; raises SpecError."""
    parse_server_url(url, "load.database")
    return _own_password()
