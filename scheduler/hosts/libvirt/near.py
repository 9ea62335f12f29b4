"""A libvirt host by libvirt's API alone: two of its domains, or one QEMU domain and its emulator."""

from collections.abc import Mapping, Sequence

import msgspec

from scheduler.errors import DomainGone, ParameterRefused
from scheduler.hosts.base import CRASHED_HINT, Ledger
from scheduler.hosts.libvirt import describe, usage, vcpus
from scheduler.hosts.libvirt.answers import Counted, Described, Read, Sized
from scheduler.hosts.libvirt.connection import Connection
from scheduler.hosts.libvirt.dialect import Step, dialects_for, line
from scheduler.hosts.libvirt.pair import Pair
from scheduler.hosts.libvirt.uri import Uri
from scheduler.model.facts import DomainUsage, HostFacts
from scheduler.model.params import SchedParams
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams

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
        self.pair = pair
        self._connection = connection
        self._ledger = ledger
        self._scheduler = scheduler
        self._dialects = dialects_for(connection.uri.driver, scheduler, pair.side)
        self._uuids = {IO: pair.io, GUEST: pair.guest, GUEST_VCPUS: pair.guest}
        self._numbers: dict[DomainId, int] = {}
        self._counters: dict[DomainId, DomainUsage] = {}
        self._found: dict[DomainId, SchedParams] = {}
        self._facts: HostFacts | None = None

    @property
    def uri(self) -> Uri:
        """The host's URI."""
        return self._connection.uri

    def uuid(self, domain: DomainId) -> str:
        """Return the domain's identity over reboots."""
        return self._uuids[domain]

    def facts(self) -> HostFacts:
        if self._facts is None:
            seen = {role: self._describe(role) for role in _ROLES}
            raw = {role: self._read(role, f"reading {role}").params for role in _ROLES}
            facts = describe.describe(self._connection, self.pair, seen, raw)
            can = vcpus.vcpu_range(self._connection.about().type, seen[GUEST], self._sized())
            self._facts = msgspec.structs.replace(facts, vcpus=can)
        return self._facts

    def boot(self) -> None:
        for role in _ROLES:
            self._count(role)  # raises DomainGone

    def follow(self, hard_s: float) -> bool:
        self.boot()
        return False

    def look_again(self) -> HostFacts:
        self._facts = None
        return self.facts()

    def database_url(self) -> str:
        return ""

    def database_secret(self) -> str:
        return ""

    def read(self, domain: DomainId) -> SchedParams | None:
        """Return the live parameters; None for a domain that does not run, which has none.

        Raises:
            DomainGone: It went to another host and took its parameters with it.
        """
        found = self._sized() if domain == GUEST_VCPUS else self._read(domain, f"reading {domain}")
        if found.migrated:
            raise DomainGone(
                f"{domain} was moved to another host, with its limits",
                hint=f"Set them back there by hand: virsh schedinfo {self._uuids[domain]}",
            )
        if isinstance(found, Sized):
            return None if found.gone else VcpuParams(found.online)
        return None if found.gone else self._dialects[domain].read(found.params)

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        if params is None:
            self._refuse_to_end(domain)
            return
        if domain == GUEST_VCPUS:
            self._size(vcpus.wanted(params, self._sized()))
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
        if domain == GUEST_VCPUS:
            online = None if params is None else vcpus.wanted(params, self._sized())
            return () if online is None else (vcpus.line(self.uri.text, self.pair.guest, online),)
        steps: Sequence[Step] = () if params is None else self._dialects[domain].steps(params)
        return tuple(self._line(domain, step) for step in steps)

    def resizes(self, params: SchedParams) -> int:
        """Return how many vCPUs these parameters ask for; raises ParameterRefused."""
        return vcpus.wanted(params, self._sized())

    def sets(self, domain: DomainId, params: SchedParams) -> list[tuple[str, ...]]:
        """Return what `virsh schedinfo DOMAIN` is told, a call for each parameter; raises ParameterRefused."""
        dialect = self._dialects[domain]
        flag = (dialect.flag,) if dialect.flag else ()
        return [(*flag, "--set", f"{name}={value}") for name, value in dialect.steps(params)]

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        return {role: self._count(role) for role in _ROLES}

    def context(self) -> Mapping[str, str]:
        return {
            "uri": self._connection.uri.text,
            "hostname": self._connection.about().hostname,
            "io": self.pair.io,
            "guest": self.pair.guest,
            "side": self.pair.side.value,
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

    def _sized(self) -> Sized:
        return self._connection.ask("looking at the guest's vCPUs", {"do": "vcpus", "uuid": self.pair.guest}, Sized)

    def _size(self, online: int) -> None:
        self.baseline(GUEST_VCPUS)
        request = {"do": "size", "uuid": self.pair.guest, "online": online}
        what = f"giving the guest {online} vCPUs"
        told = self._connection.tell(what, request, lambda: self._sized().online == online)
        if told.gone:
            raise self._gone(GUEST)
        self._ledger(vcpus.line(self.uri.text, self.pair.guest, online), "")

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
        if seen.condition == "crashed":  # and kept, by <on_crash>preserve</on_crash>
            raise DomainGone(
                f"{role} (domain {uuid}) is crashed: it is still listed, but it does not run",
                hint=CRASHED_HINT,
            )
        now = usage.forwards(self._counters.get(role), usage.of_role(role, self.pair.side, seen))
        self._counters[role] = now
        return now

    def _gone(self, domain: DomainId) -> DomainGone:
        text = f"{domain} (domain {self._uuids[domain]}) does not run any more"
        return DomainGone(text, hint="What was set for it ended with it; start it and begin the sweep again.")

    def _refuse_to_end(self, domain: DomainId) -> None:
        if not self._read(domain, f"reading {domain}").gone:
            raise ParameterRefused(f"{domain} runs; DomTune never ends a domain", hint="Shut it down yourself.")
