"""A PostgreSQL that somebody else runs on this computer: moved for the sweep, never stopped or reconfigured."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import psutil

from scheduler.databases.postgresql.pg import reached
from scheduler.errors import HostNotUsable, SpecError
from scheduler.files import read_regular
from scheduler.model.numbers import whole
from scheduler.model.urls import shown

_PORT = 5432  # PostgreSQL's default
_LOOPBACK = "127.0.0.1"
_SOCKET_LOCK = ".s.PGSQL.{port}.lock"  # beside the socket; its first line is the postmaster's process id
_LOCK_BYTES = 4096  # it has about 60; anybody may have put another one into a folder such as /tmp
_MOST_PID = 2**22  # proc(5), pid_max
_NAMES = ("postgres", "postmaster")  # the program's, today and before version 8; vendors prefix it
_HINT = "Give a database on this computer, or leave it out for the one that DomTune brings."


class AdoptedServer:
    """The server behind a URL.

    Args:
        url: A `postgresql://` URL without a password, of a server on this computer.

    Raises:
        SpecError: Not a URL.
    """

    ours = False

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            query = {name: found[-1] for name, found in parse_qs(parts.query, errors="strict").items()}
            self.port = _port(query.get("port", "")) or parts.port or _PORT
        except ValueError as error:
            raise SpecError("load.database", f"{shown(url)!r} is not a URL", hint=_HINT) from error
        # As libpq has it: what the query names counts more than what stands before it.
        folder = query.get("host", "")
        self._folder = Path(folder) if folder.startswith("/") else None
        self._host = query.get("hostaddr", "") or folder or parts.hostname or _LOOPBACK
        self.user = query.get("user", "") or unquote(parts.username or "") or "postgres"
        self.database = query.get("dbname", "") or unquote(parts.path.lstrip("/")) or self.user
        self.password = ""
        self.title = f"PostgreSQL at {self._host}:{self.port}"
        self.notices: Sequence[str] = ()
        self._pid = 0

    @property
    def address(self) -> tuple[str, int]:
        """Where the relay reaches it: address and port, or the path of its socket and 0."""
        if self._folder is not None:
            return str(self._folder / f".s.PGSQL.{self.port}"), 0
        return self._host, self.port

    @property
    def pid(self) -> int:
        """Process id of its postmaster; 0 when that has ended."""
        return self._pid if self._pid and psutil.pid_exists(self._pid) else 0

    def start(self) -> None:
        """Find its postmaster; raises HostNotUsable when it cannot be moved, SpecError when it is none."""
        if os.geteuid() != 0:
            raise HostNotUsable(
                f"user {os.geteuid()} may not move another account's PostgreSQL into a control group",
                hint="Run DomTune as root, or leave the database out for the one that DomTune brings.",
            )
        self._pid = self._pid_of_socket() if self._folder is not None else self._pid_of_port()
        if not self._pid:
            raise SpecError(
                "load.database",
                f"no server of this computer listens on {self._host}:{self.port}, and local: divides this computer",
                hint=_HINT,
            )
        name = _name_of(self._pid)
        if not name.endswith(_NAMES):
            raise SpecError(
                "load.database",
                f"process {self._pid} ({name}), which listens on {self._host}:{self.port}, is not PostgreSQL itself",
                hint="Name the server, not a connection pooler or a container's proxy: that would be divided instead.",
            )

    def stop(self) -> None:
        """Leave it alone."""

    def trouble(self) -> str:
        """Return nothing: its log is somebody else's."""
        return ""

    def url(self, address: tuple[str, int]) -> str:
        """Return its URL at an address of the relay's."""
        return reached(self.user, self.database, address)

    def _pid_of_socket(self) -> int:
        lock = Path(str(self._folder), _SOCKET_LOCK.format(port=self.port))
        try:
            told = read_regular(lock, _LOCK_BYTES).split(b"\n", 1)[0]
        except OSError:
            return 0
        return whole(told.decode("ascii", "replace").strip(), 1, _MOST_PID) or 0

    def _pid_of_port(self) -> int:
        here = {_LOOPBACK, "localhost", "::1", *_own_addresses()}
        if self._host not in here:
            return 0
        for connection in psutil.net_connections("tcp"):
            _, port = tuple(connection.laddr) or ("", 0)
            if connection.status == psutil.CONN_LISTEN and port == self.port and connection.pid:
                return connection.pid
        return 0


def _port(text: str) -> int:
    """Return a port that a parameter names, as libpq honours it; 0 when it names none. Raises ValueError."""
    if not text:
        return 0
    if not re.fullmatch("[0-9]{1,5}", text) or not 0 < int(text) < 65_536:
        raise ValueError("not a port")
    return int(text)


def _name_of(pid: int) -> str:
    try:
        return psutil.Process(pid).name()
    except psutil.Error:
        return "ended"


def _own_addresses() -> set[str]:
    return {address.address for addresses in psutil.net_if_addrs().values() for address in addresses}
