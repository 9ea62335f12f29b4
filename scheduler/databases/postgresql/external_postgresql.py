"""A PostgreSQL that somebody else runs on this computer."""

import re
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from scheduler.databases.external_server import HINT, ExternalServer
from scheduler.databases.loopback_ports import LOOPBACK
from scheduler.databases.postgresql.pg_client import build_url
from scheduler.errors import SpecError
from scheduler.files import read_regular
from scheduler.model.number_parsing import parse_whole_number
from scheduler.model.urls import redact_url

_PORT = 5432  # PostgreSQL's default
_SOCKET_LOCK = ".s.PGSQL.{port}.lock"  # beside the socket; its first line is the postmaster's process id
_LOCK_BYTES = 4096  # it has about 60; anybody may have put another one into a folder such as /tmp
_MOST_PID = 2**22  # proc(5), pid_max


class ExternalPostgresql(ExternalServer):
    """The server behind a URL.

    Args:
        url: A `postgresql://` URL without a password, of a server on this computer.

    Raises:
        SpecError: Not a URL.
    """

    product = "PostgreSQL"
    names = ("postgres", "postmaster")  # the program's, today and before version 8

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            query = {name: found[-1] for name, found in parse_qs(parts.query, errors="strict").items()}
            port = _parse_port(query.get("port", "")) or parts.port or _PORT
        except ValueError as error:
            raise SpecError("load.database", f"{redact_url(url)!r} is not a URL", hint=HINT) from error
        # As libpq has it: what the query names counts more than what stands before it.
        folder = query.get("host", "")
        self._folder = Path(folder) if folder.startswith("/") else None
        self.user = query.get("user", "") or unquote(parts.username or "") or "postgres"
        self.database = query.get("dbname", "") or unquote(parts.path.lstrip("/")) or self.user
        super().__init__(folder or parts.hostname or LOOPBACK, port)

    @property
    def address(self) -> tuple[str, int]:
        """Where the relay reaches it: address and port, or the path of its socket and 0."""
        if self._folder is not None:
            return str(self._folder / f".s.PGSQL.{self.port}"), 0
        return super().address

    def find(self) -> int:
        """Return its postmaster."""
        return super().find() if self._folder is None else self._pid_of_socket()

    def url(self, address: tuple[str, int]) -> str:
        """Return its URL at an address of the relay's."""
        return build_url(self.user, self.database, address)

    def _pid_of_socket(self) -> int:
        lock = Path(str(self._folder), _SOCKET_LOCK.format(port=self.port))
        try:
            told = read_regular(lock, _LOCK_BYTES).split(b"\n", 1)[0]
        except OSError:
            return 0
        return parse_whole_number(told.decode("ascii", "replace").strip(), 1, _MOST_PID) or 0


def _parse_port(text: str) -> int:
    """Return a port that a parameter names, as libpq honours it; 0 when it names none. Raises ValueError."""
    if not text:
        return 0
    if not re.fullmatch("[0-9]{1,5}", text) or not 0 < int(text) < 65_536:
        raise ValueError("not a port")
    return int(text)
