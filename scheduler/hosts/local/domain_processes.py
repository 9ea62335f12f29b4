"""Processes of the domains: a relay (I/O domain) and a database server (guest).

With a second guest there are two of each. The relays of both guests are in the one I/O domain. So a flood of one
guest's bytes delays the other guest's bytes, as in a driver domain.
"""

from collections.abc import Iterator, Mapping, Sequence

import psutil

from scheduler.errors import DomainGone
from scheduler.hosts.local.guest_server import GuestServer
from scheduler.model.databases import DATABASES, database_url, parse_database_name
from scheduler.model.sentence_texts import domain_title
from scheduler.model.split import GUEST, GUEST_2, IO, DomainId
from scheduler.translation import _


class DomainProcesses:
    """Processes of the domains; none runs before `start`.

    Args:
        database: URL of an external server on this computer, or the kind of built-in database (`postgresql:`).

    Attributes:
        database: As in the arguments.
    """

    def __init__(self, database: str = "") -> None:
        self.database = database
        self._served: dict[DomainId, GuestServer] = {GUEST: GuestServer(database)}

    def add_guest(self) -> None:
        """Add a second guest from the next `start` on: a server of the same kind.

        The second server has data of its own.
        """
        self._served.setdefault(GUEST_2, GuestServer(self.database, beside=GUEST_2))
        self.set_server(self._served[GUEST].settings)

    def set_server(self, settings: Mapping[str, str]) -> None:
        """Start built-in servers with these settings from the next `start` on."""
        for served in self._served.values():
            served.settings = settings

    @property
    def started(self) -> bool:
        """True between `start` and `stop`."""
        return self._served[GUEST].started

    def start(self) -> None:
        """Start all processes without limits; raise HostNotUsable, HostBusy."""
        for served in self._served.values():
            if not served.started:
                served.start()

    def restart_server(self, *, cold: bool = False) -> int:
        """Stop the guest's built-in server and start it again.

        Args:
            cold: Start with none of the server's files in the page cache.

        Returns:
            Bytes of files that stayed in the page cache after a cold start; else 0.

        Raises:
            HostNotUsable: The server does not start again.
            DomainGone: The server has ended by itself.
        """
        self.first_pid(GUEST)
        return self._served[GUEST].restart_server(cold=cold)

    @property
    def product(self) -> str:
        """Product name of the guest's server, without its version."""
        return DATABASES[parse_database_name(self.database)].title

    @property
    def is_external(self) -> bool:
        """True for an external server, which is moved back instead of ended."""
        return bool(database_url(self.database))

    @property
    def notices(self) -> Sequence[str]:
        """Messages of the servers' start, for people."""
        return [notice for served in self._served.values() for notice in served.notices]

    def failure_details(self) -> str:
        """Return the end of the logs of built-in servers after an unexpected end.

        Empty without such an end.
        """
        return "\n".join(filter(None, (served.failure_details() for served in self._served.values())))

    def url(self, guest: DomainId = GUEST) -> str:
        """Return the URL of a guest's database through its relay; empty when not running.

        The URL has no password.
        """
        return self._served[guest].url() if guest in self._served else ""

    def reference_url(self) -> str:
        """Return the URL of the database without the relay; empty when not running.

        The URL has no password.
        """
        return self._served[GUEST].reference_url()

    def secret(self, guest: DomainId = GUEST) -> str:
        """Return the password for the URL."""
        return self._served[guest].secret() if guest in self._served else ""

    def first_pid(self, domain: DomainId) -> int:
        """Return the parent process of the domain's others; raise DomainGone at its end."""
        return self._first_pids(domain)[0]

    def pids(self, domain: DomainId) -> list[int]:
        """Return the domain's processes, the parents first; raise DomainGone."""
        firsts = self._first_pids(domain)
        return [*firsts, *(pid for first in firsts for pid in _child_pids(first))]

    def bytes_of(self, domain: DomainId) -> tuple[int, int]:
        """Return the bytes received and sent by a domain, from the network's view."""
        if domain == IO:
            passed = [served.passed() for served in self._served.values()]
            return sum(each.from_clients for each in passed), sum(each.to_clients for each in passed)
        served = self._served.get(domain)
        return (served.passed().to_server, served.passed().from_server) if served is not None else (0, 0)

    def stop(self) -> None:
        """Stop all processes in bounded time; never raise, may be called twice."""
        for served in self._served.values():
            served.stop()

    def _first_pids(self, domain: DomainId) -> list[int]:
        if not self.started or not (domain == IO or domain in self._served):
            raise DomainGone(
                _("nothing runs in the domain {domain}").format(domain=domain), hint=_("Start the domains first.")
            )
        return [_require_alive(pid, what) for pid, what in self._started_by_us(domain)]

    def _started_by_us(self, domain: DomainId) -> Iterator[tuple[int, str]]:
        """Yield the parent processes of a domain, each with a name for messages."""
        for guest, served in self._served.items():
            whose = _(" of {domain}").format(domain=domain_title(guest)) if len(self._served) > 1 else ""
            if domain == IO:
                yield served.relay_pid, _("the relay{whose}").format(whose=whose)
            elif domain == guest:
                yield served.server_pid, f"{served.title}{whose}"


def _require_alive(pid: int, what: str) -> int:
    if not pid:
        raise DomainGone(_("{what} ended by itself").format(what=what), hint=_("Run the sweep again."))
    return pid


def _child_pids(pid: int) -> list[int]:
    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
