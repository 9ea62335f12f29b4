"""Database server of one guest, with the relay for its users."""

from collections.abc import Mapping, Sequence

from scheduler.databases.database_registry import create_server
from scheduler.databases.protocols import DatabaseServer
from scheduler.errors import HostNotUsable
from scheduler.hosts.local.relay_process import RelayBytes, RelayProcess
from scheduler.translation import _


class GuestServer:
    """A server and its relay; neither runs before `start`.

    Args:
        database: URL of an external server on this computer, or the kind of built-in database (`postgresql:`).
        beside: Suffix that separates the data of a second built-in server from the first.

    Attributes:
        settings: Settings of a built-in server that differ from its defaults.
    """

    def __init__(self, database: str, beside: str = "") -> None:
        self.settings: Mapping[str, str] = {}
        self._database = database
        self._beside = beside
        self._server: DatabaseServer | None = None
        self._relay: RelayProcess | None = None

    @property
    def started(self) -> bool:
        """True between `start` and `stop`."""
        return self._relay is not None

    def start(self) -> None:
        """Start server and relay without limits; raise HostNotUsable, HostBusy."""
        server = self._server = create_server(self._database, self._beside, self.settings)
        server.start()
        relay = self._relay = RelayProcess(*server.address)
        relay.start()

    def restart_server(self, *, cold: bool = False) -> int:
        """Stop the built-in server and start it again at the same address.

        Args:
            cold: Start with none of the server's files in the page cache.

        Returns:
            Bytes of files that stayed in the page cache after a cold start; 0 unless `cold`.

        Raises:
            HostBusy: Another process uses the server's data.
            HostNotUsable: The server does not start, or its port is taken.
        """
        server = self._server
        if server is None or not server.ours:
            return 0
        before, kept_bytes = server.address, 0
        if cold:
            kept_bytes = server.restart_cold()
        else:
            server.stop()
            server.start()
        if server.address != before:
            problem = _("another program took port {before} during the restart of {server}").format(
                before=before[1], server=server.title
            )
            raise HostNotUsable(problem, hint=_("Run the sweep again."))
        return kept_bytes

    @property
    def title(self) -> str:
        """Product name of the server; empty when not running."""
        return self._server.title if self._server is not None else ""

    @property
    def notices(self) -> Sequence[str]:
        """Messages of the server's start, for people."""
        return self._server.notices if self._server is not None else ()

    @property
    def server_pid(self) -> int:
        """Process id of the server; 0 when not running."""
        return self._server.pid if self._server is not None else 0

    @property
    def relay_pid(self) -> int:
        """Process id of the relay; 0 when not running."""
        return self._relay.pid if self._relay is not None else 0

    def failure_details(self) -> str:
        """Return the end of a built-in server's log after an unexpected end.

        Empty without such an end.
        """
        return self._server.failure_details() if self._server is not None else ""

    def url(self) -> str:
        """Return the URL of the database through the relay; empty when not running.

        The URL has no password.
        """
        if self._server is None or self._relay is None:
            return ""
        return self._server.url(self._relay.address)

    def reference_url(self) -> str:
        """Return the URL of the database without the relay; empty when not running.

        The URL has no password.
        """
        return self._server.url(self._server.address) if self._server is not None and self._relay is not None else ""

    def secret(self) -> str:
        """Return the password for the URL."""
        return self._server.password if self._server is not None else ""

    def passed(self) -> RelayBytes:
        """Return the relay's counters."""
        return self._relay.passed() if self._relay is not None else RelayBytes()

    def stop(self) -> None:
        """Stop server and relay in bounded time; never raise, may be called twice."""
        relay, self._relay = self._relay, None
        if relay is not None:
            relay.stop()
        server, self._server = self._server, None
        if server is not None:
            server.stop()
