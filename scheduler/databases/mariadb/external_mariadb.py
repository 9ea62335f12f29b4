"""External MariaDB or MySQL server on this computer."""

from scheduler.databases.external_server import ExternalServer
from scheduler.databases.mariadb.client import build_url
from scheduler.errors import SpecError
from scheduler.model.mariadb_urls import VERIFY_CA, VERIFY_IDENTITY, parse_server_url
from scheduler.translation import _


class ExternalMariadb(ExternalServer):
    """External MariaDB or MySQL server of a URL.

    Args:
        url: A `mariadb://` or `mysql://` URL without a password, of a server on this computer.

    Raises:
        SpecError: The URL is not valid, or requires a check of the server's name: users connect to the relay's name.
    """

    names = ("mariadbd", "mysqld")

    def __init__(self, url: str) -> None:
        found = parse_server_url(url, "load.database")
        if found.ssl_mode == VERIFY_IDENTITY:
            hint = _("Use ssl-mode={verify_ca}, which also verifies the certificate.").format(verify_ca=VERIFY_CA)
            raise SpecError(
                "load.database", _("local: puts a relay before the server, which has another name"), hint=hint
            )
        self.product = "MySQL" if url.startswith("mysql:") else "MariaDB"
        super().__init__(found.host, found.port)
        self.user, self.database, self._query = found.user, found.database, found.query

    def url(self, address: tuple[str, int]) -> str:
        """Return the URL of the server at an address of the relay."""
        return build_url(self.user, self.database, address, self._query)
