"""A MariaDB or MySQL that somebody else runs on this computer."""

from scheduler.databases.external_server import ExternalServer
from scheduler.databases.mariadb.client import build_url
from scheduler.errors import SpecError
from scheduler.model.mariadb_urls import VERIFY_CA, VERIFY_IDENTITY, parse_server_url


class ExternalMariadb(ExternalServer):
    """The server behind a URL.

    Args:
        url: A `mariadb://` or `mysql://` URL without a password, of a server on this computer.

    Raises:
        SpecError: Not a URL, or one whose server's name is to be checked: the users reach it by the relay's.
    """

    names = ("mariadbd", "mysqld")

    def __init__(self, url: str) -> None:
        found = parse_server_url(url, "load.database")
        if found.ssl_mode == VERIFY_IDENTITY:
            hint = f"Take ssl-mode={VERIFY_CA}: whose certificate it is, is checked all the same."
            raise SpecError("load.database", "local: puts a relay before the server, which has another name", hint=hint)
        self.product = "MySQL" if url.startswith("mysql:") else "MariaDB"
        super().__init__(found.host, found.port)
        self.user, self.database, self._query = found.user, found.database, found.query

    def url(self, address: tuple[str, int]) -> str:
        """Return its URL at an address of the relay's."""
        return build_url(self.user, self.database, address, self._query)
