"""The two domains' processes: the relay (I/O domain) and a database server (guest)."""

from collections.abc import Sequence

import psutil

from scheduler.databases.base import Server
from scheduler.databases.registry import server_of
from scheduler.errors import DomainGone, HostNotUsable
from scheduler.hosts.local.relay_process import Bytes, RelayProcess
from scheduler.model.databases import DATABASES, database_of, url_of
from scheduler.model.split import GUEST, IO, DomainId


class Domains:
    """What runs in the two groups; nothing does before `start`.

    Args:
        database: URL of a server on this computer that is to be the guest; else which one we bring (`postgresql:`).

    Attributes:
        database: The same.
    """

    def __init__(self, database: str = "") -> None:
        self.database = database
        self._server: Server | None = None
        self._relay: RelayProcess | None = None

    @property
    def started(self) -> bool:
        """True between `start` and `stop`."""
        return self._relay is not None

    def start(self) -> None:
        """Start both, limited by nothing. Raises HostNotUsable, HostBusy."""
        if self.started:
            return
        server = self._server = server_of(self.database)
        server.start()
        relay = self._relay = RelayProcess(*server.address)
        relay.start()

    def restart_server(self) -> None:
        """End the server that we brought and start it again at the same address; raises HostNotUsable, DomainGone."""
        self.first_pid(GUEST)
        server = self._server
        if server is None or not server.ours:
            return
        before = server.address
        server.stop()
        server.start()
        if server.address != before:
            problem = f"port {before[1]} was taken by another program while {server.title} was started anew"
            raise HostNotUsable(problem, hint="Run the sweep again.")

    @property
    def product(self) -> str:
        """What people call the guest's server, without its version."""
        return DATABASES[database_of(self.database)].title

    @property
    def adopts(self) -> bool:
        """True when the guest is somebody else's server, which is moved back instead of ended."""
        return bool(url_of(self.database))

    @property
    def notices(self) -> Sequence[str]:
        """What the server's start had to say, for people."""
        return self._server.notices if self._server is not None else ()

    def trouble(self) -> str:
        """Return what the log of a server that we brought says of an end that nobody asked for; else empty."""
        return self._server.trouble() if self._server is not None else ""

    def url(self) -> str:
        """Return the database's URL through the relay, without its password; empty when nothing runs."""
        if self._server is None or self._relay is None:
            return ""
        return self._server.url(self._relay.address)

    def direct_url(self) -> str:
        """Return the database's URL without the relay, without its password; empty when nothing runs."""
        return self._server.url(self._server.address) if self._server is not None and self._relay is not None else ""

    def secret(self) -> str:
        """Return the password for that URL."""
        return self._server.password if self._server is not None else ""

    def first_pid(self, domain: DomainId) -> int:
        """Return the process that starts all others of the domain; raises DomainGone when it ended by itself."""
        relay, server = self._relay, self._server
        if relay is None or server is None:
            raise DomainGone(f"nothing runs in the domain {domain}", hint="Start the domains first.")
        pid = relay.pid if domain == IO else server.pid
        if pid:
            return pid
        what = "the relay" if domain == IO else server.title
        raise DomainGone(f"{what} ended by itself", hint="Run the sweep again.")

    def pids(self, domain: DomainId) -> list[int]:
        """Return the domain's processes, the first one first; raises DomainGone."""
        first = self.first_pid(domain)
        try:
            children = psutil.Process(first).children(recursive=True)
        except psutil.NoSuchProcess:
            children = []
        return [first, *(child.pid for child in children)]

    def passed(self) -> Bytes:
        """Return the relay's counters."""
        return self._relay.passed() if self._relay is not None else Bytes()

    def stop(self) -> None:
        """Stop both in bounded time; never raises, may be called twice."""
        relay, self._relay = self._relay, None
        if relay is not None:
            relay.stop()
        server, self._server = self._server, None
        if server is not None:
            server.stop()


def in_and_out(domain: DomainId, passed: Bytes) -> tuple[int, int]:
    """Return the bytes that a domain received and sent, as seen from the network side."""
    if domain == GUEST:
        return passed.to_server, passed.from_server
    return passed.from_clients, passed.to_clients
