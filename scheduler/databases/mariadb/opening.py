"""Functions of this folder for `scheduler.databases.database_registry`."""

from scheduler.databases.mariadb.built_in_mariadb import BuiltInMariadb, default_data_dir
from scheduler.databases.mariadb.database import MariadbDatabase
from scheduler.databases.mariadb.external_mariadb import ExternalMariadb
from scheduler.databases.mariadb.mariadb_binaries import find_server
from scheduler.databases.mariadb.option_file import own_password as _own_password
from scheduler.model.mariadb_urls import parse_server_url


def embedded_server(beside: str = "") -> BuiltInMariadb:
    """Return the built-in server, not started; raise HostNotUsable if not installed.

    Args:
        beside: Suffix that separates the data of a second built-in server from the first.
    """
    binary = find_server()
    return BuiltInMariadb(binary, default_data_dir(binary, beside))


def external_server(url: str) -> ExternalMariadb:
    """Return the external server of a URL, not searched for yet; raise SpecError."""
    return ExternalMariadb(url)


def open_database(url: str, password: str) -> MariadbDatabase:
    """Return the user pool's access to a database; raise SpecError.

    Args:
        url: URL of the database, without a password.
        password: Password; empty for none.
    """
    return MariadbDatabase(url, password)


def own_password(url: str) -> str:
    """Return the password from MYSQL_PWD or ~/.my.cnf for any server; raise SpecError."""
    parse_server_url(url, "load.database")
    return _own_password()
