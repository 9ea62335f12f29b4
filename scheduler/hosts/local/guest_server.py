"""One guest's database server, and the relay through which its users reach it."""

from collections.abc import Mapping, Sequence

from scheduler.databases.database_registry import create_server
from scheduler.databases.protocols import DatabaseServer
from scheduler.errors import HostNotUsable
from scheduler.hosts.local.relay_process import RelayBytes, RelayProcess


class GuestServer:
    """A server and its relay; neither runs before `start`.

    Args:
        database: URL of a server on this computer; else which one we bring (`postgresql:`).
        beside: Tells the data of a second server that we bring from those of the first.

    Attributes:
        settings: What a server that we bring is started with other than its own defaults.
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
        """Start both, limited by nothing. Raises HostNotUsable, HostBusy."""
        server = self._server = create_server(self._database, self._beside, self.settings)
        server.start()
        relay = self._relay = RelayProcess(*server.address)
        relay.start()

    def restart_server(self, *, cold: bool = False) -> int:
        """End the server that we brought and start it again at the same address; raises HostBusy, HostNotUsable.

        Args:
            cold: With nothing of its files in memory.

        Returns:
            The bytes of them that stayed there all the same; 0 unless cold.
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
            problem = f"port {before[1]} was taken by another program while {server.title} was started anew"
            raise HostNotUsable(problem, hint="Run the sweep again.")
        return kept_bytes

    @property
    def title(self) -> str:
        """What people call the server; empty when nothing runs."""
        return self._server.title if self._server is not None else ""

    @property
    def notices(self) -> Sequence[str]:
        """What the server's start had to say, for people."""
        return self._server.notices if self._server is not None else ()

    @property
    def server_pid(self) -> int:
        """The server's first process; 0 when it does not run."""
        return self._server.pid if self._server is not None else 0

    @property
    def relay_pid(self) -> int:
        """The relay's process; 0 when it does not run."""
        return self._relay.pid if self._relay is not None else 0

    def failure_details(self) -> str:
        """Return what the log of a server that we brought says of an end that nobody asked for; else empty."""
        return self._server.failure_details() if self._server is not None else ""

    def url(self) -> str:
        """Return the database's URL through the relay, without its password; empty when nothing runs."""
        if self._server is None or self._relay is None:
            return ""
        return self._server.url(self._relay.address)

    def reference_url(self) -> str:
        """Return the database's URL without the relay, without its password; empty when nothing runs."""
        return self._server.url(self._server.address) if self._server is not None and self._relay is not None else ""

    def secret(self) -> str:
        """Return the password for that URL."""
        return self._server.password if self._server is not None else ""

    def passed(self) -> RelayBytes:
        """Return the relay's counters."""
        return self._relay.passed() if self._relay is not None else RelayBytes()

    def stop(self) -> None:
        """Stop both in bounded time; never raises, may be called twice."""
        relay, self._relay = self._relay, None
        if relay is not None:
            relay.stop()
        server, self._server = self._server, None
        if server is not None:
            server.stop()
