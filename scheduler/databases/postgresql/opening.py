"""What `scheduler.databases.registry` asks this folder for."""

from scheduler.databases.postgresql.adopted import AdoptedServer
from scheduler.databases.postgresql.binaries import find_server
from scheduler.databases.postgresql.database import PostgresqlDatabase
from scheduler.databases.postgresql.passfile import password_behind as _password_behind
from scheduler.databases.postgresql.server import EmbeddedServer, default_data_dir


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


def open_database(url: str, password: str) -> PostgresqlDatabase:
    """Return the pool's own way into a database; raises SpecError."""
    return PostgresqlDatabase(url, password)


def password_behind(target: str, through: str) -> str:
    """Return the password that ~/.pgpass has; raises SpecError."""
    return _password_behind(target, through)
