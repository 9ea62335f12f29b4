"""A MariaDB or MySQL that somebody else runs on this computer."""

from scheduler.databases.adopted import ServerOfOthers
from scheduler.databases.mariadb.client import reached
from scheduler.model.server_urls import read_server_url


class AdoptedServer(ServerOfOthers):
    """The server behind a URL.

    Args:
        url: A `mariadb://` or `mysql://` URL without a password, of a server on this computer.

    Raises:
        SpecError: Not a URL.
    """

    product = "MariaDB"
    names = ("mariadbd", "mysqld")

    def __init__(self, url: str) -> None:
        found = read_server_url(url, "load.database")
        super().__init__(found.host, found.port)
        self.user, self.database = found.user, found.database

    def url(self, address: tuple[str, int]) -> str:
        """Return its URL at an address of the relay's."""
        return reached(self.user, self.database, address)
