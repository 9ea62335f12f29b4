"""External PostgreSQL server on this computer."""

import re
from urllib.parse import parse_qs, unquote, urlsplit

from scheduler.databases.external_server import HINT, ExternalServer
from scheduler.databases.loopback_ports import LOOPBACK
from scheduler.databases.postgresql.pg_client import build_url, socket_path
from scheduler.errors import SpecError
from scheduler.model.urls import redact_url
from scheduler.translation import _

_PORT = 5432  # PostgreSQL's default


class ExternalPostgresql(ExternalServer):
    """External PostgreSQL server of a URL.

    Args:
        url: A `postgresql://` URL without a password, of a server on this computer.

    Raises:
        SpecError: The URL is not valid.
    """

    product = "PostgreSQL"
    names = ("postgres", "postmaster")  # of the program, today and before version 8

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            query = {name: found[-1] for name, found in parse_qs(parts.query, errors="strict").items()}
            port = _parse_port(query.get("port", "")) or parts.port or _PORT
        except ValueError as error:
            raise SpecError(
                "load.database", _("{redact_url!r} is not a URL").format(redact_url=redact_url(url)), hint=HINT
            ) from error
        # As in libpq, the query has precedence over the rest of the URL.
        folder = query.get("host", "")
        self.user = query.get("user", "") or unquote(parts.username or "") or "postgres"
        self.database = query.get("dbname", "") or unquote(parts.path.lstrip("/")) or self.user
        if folder.startswith("/"):
            super().__init__(socket_path(folder, port), 0)
        else:
            super().__init__(folder or parts.hostname or LOOPBACK, port)

    def url(self, address: tuple[str, int]) -> str:
        """Return the URL of the server at an address of the relay."""
        return build_url(self.user, self.database, address)


def _parse_port(text: str) -> int:
    """Return the port in a parameter, as libpq reads it; 0 for none. Raise ValueError."""
    if not text:
        return 0
    if not re.fullmatch("[0-9]{1,5}", text) or not 0 < int(text) < 65_536:
        raise ValueError(_("not a port"))
    return int(text)
