"""What `scheduler.databases.registry` asks this folder for."""

from scheduler.databases.mariadb.adopted import AdoptedServer
from scheduler.databases.mariadb.binaries import find_server
from scheduler.databases.mariadb.database import MariadbDatabase
from scheduler.databases.mariadb.option_file import own_password as _own_password
from scheduler.databases.mariadb.server import EmbeddedServer, default_data_dir
from scheduler.model.server_urls import read_server_url


def embedded_server(beside: str = "") -> EmbeddedServer:
    """Return the server that we bring, not started; raises HostNotUsable when there is none.

    Args:
        beside: Tells its data from those of another one that runs at the same time.
    """
    binary = find_server()
    return EmbeddedServer(binary, default_data_dir(binary, beside))


def adopted_server(url: str) -> AdoptedServer:
    """Return somebody else's server, not looked for yet; raises SpecError."""
    return AdoptedServer(url)


def open_database(url: str, password: str) -> MariadbDatabase:
    """Return the pool's own way into a database; raises SpecError."""
    return MariadbDatabase(url, password)


def own_password(url: str) -> str:
    """Return the password that MYSQL_PWD or ~/.my.cnf has, whatever server is meant; raises SpecError."""
    read_server_url(url, "load.database")
    return _own_password()
