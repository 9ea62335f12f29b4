"""A libvirt URI as a host: two of its domains, or one QEMU domain and its emulator."""

from collections.abc import Mapping, Sequence

from scheduler.errors import DomainGone, HostError, HostNotUsable, ParameterRefused
from scheduler.hosts.base import Ledger
from scheduler.hosts.libvirt import describe, usage
from scheduler.hosts.libvirt.answers import Counted, Described, Listed, Read
from scheduler.hosts.libvirt.connection import Connection
from scheduler.hosts.libvirt.dialect import Step, dialects_for, line
from scheduler.hosts.libvirt.pair import Pair, Side, choose
from scheduler.hosts.libvirt.uri import parse
from scheduler.model.facts import DomainUsage, HostFacts
from scheduler.model.params import SchedParams
from scheduler.model.split import GUEST, IO, DomainId

_ROLES = (IO, GUEST)


class LibvirtHost:
    """Two sides of a libvirt host.

    Args:
        connection: To the host.
        pair: Which domains.
        ledger: Called for everything that the host is told.
        scheduler: Libvirt's name of the scheduler.
    """

    def __init__(self, connection: Connection, pair: Pair, ledger: Ledger, scheduler: str) -> None:
        self._connection = connection
        self._pair = pair
        self._ledger = ledger
        self._scheduler = scheduler
        self._dialects = dialects_for(connection.uri.driver, scheduler, pair.side)
        self._uuids = {IO: pair.io, GUEST: pair.guest}
        self._numbers: dict[DomainId, int] = {}
        self._counters: dict[DomainId, DomainUsage] = {}
        self._found: dict[DomainId, SchedParams] = {}
        self._facts: HostFacts | None = None

    def facts(self) -> HostFacts:
        if self._facts is None:
            seen = {role: self._describe(role) for role in _ROLES}
            raw = {role: self._read(role, f"reading {role}").params for role in _ROLES}
            self._facts = describe.describe(self._connection, self._pair, seen, raw)
        return self._facts

    def boot(self) -> None:
        for role in _ROLES:
            self._count(role)  # raises DomainGone

    def database_url(self) -> str:
        return ""

    def database_secret(self) -> str:
        return ""

    def read(self, domain: DomainId) -> SchedParams | None:
        """Return the live parameters; None for a domain that does not run, which has none.

        Raises:
            DomainGone: It went to another host and took its parameters with it.
        """
        found = self._read(domain, f"reading {domain}")
        if found.migrated:
            raise DomainGone(
                f"{domain} was moved to another host, with its limits",
                hint=f"Set them back there by hand: virsh schedinfo {self._uuids[domain]}",
            )
        return None if found.gone else self._dialects[domain].read(found.params)

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        if params is None:
            self._refuse_to_end(domain)
            return
        steps = self._dialects[domain].steps(params)
        self.baseline(domain)  # what was found, before the first write
        for step in steps:
            self._set(domain, step)

    def withdraw(self, domain: DomainId) -> None:
        return

    def baseline(self, domain: DomainId) -> SchedParams:
        if domain not in self._found:
            found = self.read(domain)
            if found is None:
                raise self._gone(domain)
            self._found[domain] = found
        return self._found[domain]

    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        steps: Sequence[Step] = () if params is None else self._dialects[domain].steps(params)
        return tuple(self._line(domain, step) for step in steps)

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        return {role: self._count(role) for role in _ROLES}

    def context(self) -> Mapping[str, str]:
        return {
            "uri": self._connection.uri.text,
            "hostname": self._connection.about().hostname,
            "io": self._pair.io,
            "guest": self._pair.guest,
            "side": self._pair.side.value,
            "scheduler": self._scheduler,
        }

    def trouble(self) -> str:
        return ""

    def close(self) -> None:
        self._connection.close()

    def _describe(self, role: DomainId) -> Described:
        request = {"do": "domain", "uuid": self._uuids[role]}
        seen = self._connection.ask(f"looking at {role}", request, Described)
        if seen.gone:
            raise self._gone(role)
        return seen

    def _read(self, domain: DomainId, what: str) -> Read:
        return self._connection.ask(what, {"do": "read", "uuid": self._uuids[domain]}, Read)

    def _set(self, domain: DomainId, step: Step) -> None:
        name, value = step
        request = {"do": "set", "uuid": self._uuids[domain], "name": name, "value": value}
        what = f"{domain}: setting {name} to {value}"
        told = self._connection.tell(what, request, lambda: self._read(domain, what).params.get(name) == value)
        if told.gone:
            raise self._gone(domain)
        self._ledger(self._line(domain, step), "")

    def _line(self, domain: DomainId, step: Step) -> str:
        return line(self._connection.uri.text, self._uuids[domain], self._dialects[domain].flag, step)

    def _count(self, role: DomainId) -> DomainUsage:
        uuid = self._uuids[role]
        seen = self._connection.ask(f"counting {role}", {"do": "usage", "uuid": uuid}, Counted)
        if seen.gone:
            raise self._gone(role)
        first = self._numbers.setdefault(role, seen.number)
        if seen.number != first:
            raise DomainGone(
                f"{role} was started anew (it was number {first} and is {seen.number})",
                hint="A sweep measures one uninterrupted domain; begin it again.",
            )
        now = usage.forwards(self._counters.get(role), usage.of_role(role, self._pair.side, seen))
        self._counters[role] = now
        return now

    def _gone(self, domain: DomainId) -> DomainGone:
        text = f"{domain} (domain {self._uuids[domain]}) does not run any more"
        return DomainGone(text, hint="What was set for it ended with it; start it and begin the sweep again.")

    def _refuse_to_end(self, domain: DomainId) -> None:
        if not self._read(domain, f"reading {domain}").gone:
            raise ParameterRefused(f"{domain} runs; DomTune never ends a domain", hint="Shut it down yourself.")


def open_host(url: str, ledger: Ledger, io_domain: str, guest_domain: str, database: str) -> LibvirtHost:
    """Open a libvirt URI.

    Raises:
        SpecError: Not such a URI, or the names fit no running domains.
        HostNotUsable: No Python here speaks with libvirt, or nothing there can be swept.
        HostUnreachable: No answer within the time limit.
    """
    connection = Connection(parse(url))
    try:
        domains = connection.ask("listing the domains", {"do": "domains"}, list[Listed])
        pair = choose(connection.uri.driver, domains, io_domain, guest_domain)
        guest = connection.ask("looking at the guest", {"do": "domain", "uuid": pair.guest}, Described)
        return LibvirtHost(connection, pair, ledger, guest.scheduler)
    except BaseException:
        connection.close()
        raise


def reopen_host(url: str, context: Mapping[str, str], ledger: Ledger) -> LibvirtHost:
    """Open the host of an undo record; raises HostError when it is another one now, or the record says too little."""
    try:
        pair = Pair(context["io"], context["guest"], Side(context["side"]))
        connection = Connection(parse(context["uri"]))
        expected, scheduler = context["hostname"], context["scheduler"]
    except (KeyError, ValueError) as error:
        raise HostError(f"the undo record of {url} does not say which domains it is about: {error}") from error
    try:
        _refuse_another(url, connection.about().hostname, expected)
        return LibvirtHost(connection, pair, ledger, scheduler)
    except BaseException:
        connection.close()
        raise


def _refuse_another(url: str, hostname: str, expected: str) -> None:
    """Domains would look gone on another host, and the record be dropped while they are limited on theirs."""
    if hostname != expected:
        raise HostNotUsable(
            f"{url} is {hostname!r} now; the undo record is about {expected!r}",
            hint="Make the URI lead to that host again, then run 'domtune restore'.",
        )
