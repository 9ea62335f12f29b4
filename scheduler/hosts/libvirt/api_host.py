"""libvirt host by libvirt's API alone.

The sides are two domains, or one QEMU domain and its emulator.
"""

from collections.abc import Mapping, Sequence

import msgspec

from scheduler.errors import DomainGone, DomainPaused, ParameterRefused
from scheduler.hosts.libvirt import describe, libvirt_usage, libvirt_vcpus
from scheduler.hosts.libvirt.container_placement import ContainerPlacement
from scheduler.hosts.libvirt.domain_pair import DomainPair
from scheduler.hosts.libvirt.domain_placement import (
    PLACED_ROLES,
    DomainPlacement,
    SideDomains,
    WrittenPlacements,
    migrated_error,
)
from scheduler.hosts.libvirt.host_cpus import HostCpus
from scheduler.hosts.libvirt.libvirt_connection import LibvirtConnection
from scheduler.hosts.libvirt.libvirt_uri import LibvirtUri
from scheduler.hosts.libvirt.worker_answers import DomainCounters, DomainDescription, LiveParameters, VcpuCounts
from scheduler.hosts.protocols import CRASHED_HINT, PAUSED_HINT, CommandLog, Host
from scheduler.model.host_properties import DomainUsage, HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.toolstacks.command_words import Argv
from scheduler.toolstacks.virsh import ParamStep, dialects_for, format_schedinfo, format_setvcpus, schedinfo_words
from scheduler.translation import _

_ROLES = (IO, GUEST)


class LibvirtHost(Host):
    """Two sides of a libvirt host.

    Args:
        connection: Connection to the host.
        pair: The two sides of the sweep.
        command_log: Called with each command and its answer.
        scheduler: libvirt's name of the scheduler.

    Attributes:
        pair: As in the arguments.
        placement: Placement of both sides.
    """

    def __init__(
        self, connection: LibvirtConnection, pair: DomainPair, command_log: CommandLog, scheduler: str
    ) -> None:
        self.pair = pair
        self._connection = connection
        self._command_log = command_log
        self._scheduler = scheduler
        self._dialects = dialects_for(connection.uri.driver, scheduler, pair.side)
        self._uuids = {IO: pair.io, GUEST: pair.guest, GUEST_VCPUS: pair.guest}
        self._uuids |= {slot: self._uuids[role] for slot, role in PLACED_ROLES.items()}
        self.placement = self._open_placement(pair)
        self._written = WrittenPlacements()
        self._numbers: dict[DomainId, int] = {}
        self._counters: dict[DomainId, DomainUsage] = {}
        self._found: dict[DomainId, SchedParams] = {}
        self._facts: HostProperties | None = None

    @property
    def uri(self) -> LibvirtUri:
        """The host's URI."""
        return self._connection.uri

    def uuid(self, domain: DomainId) -> str:
        """Return the domain's UUID, which survives reboots."""
        return self._uuids[domain]

    def facts(self) -> HostProperties:
        if self._facts is None:
            seen = {role: self._describe_domain(role) for role in _ROLES}
            raw = {role: self._read_live(role, _("reading {role}").format(role=role)).params for role in _ROLES}
            placement = self.placement.support(seen.values())
            facts = describe.describe_libvirt(self._connection, self.pair, seen, raw, placement)
            can = libvirt_vcpus.vcpu_range(self._connection.about().type, seen[GUEST], self._read_vcpu_counts())
            self._facts = msgspec.structs.replace(facts, vcpus=can, topology=self.placement.cpus.topology())
        return self._facts

    def boot(self) -> None:
        for role in _ROLES:
            self._read_counters(role)  # raises DomainGone

    def follow(self, hard_s: float) -> bool:
        self.boot()
        return False

    def look_again(self) -> HostProperties:
        self._facts = None
        return self.facts()

    def read(self, domain: DomainId) -> SchedParams | None:
        """Return the live parameters; None for a domain that does not run.

        Raises:
            DomainGone: The domain moved to another host and took its parameters along.
        """
        if domain in PLACED_ROLES:
            return self._written.as_written(domain, self.placement.read(domain), self.placement.cpus.numbers())
        found = (
            self._read_vcpu_counts()
            if domain == GUEST_VCPUS
            else self._read_live(domain, _("reading {domain}").format(domain=domain))
        )
        if found.migrated:
            raise migrated_error(domain, f"virsh schedinfo {self._uuids[domain]}")
        if isinstance(found, VcpuCounts):
            return None if found.gone else VcpuParams(found.online)
        return None if found.gone else self._dialects[domain].read(found.params)

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        if params is None:
            self._refuse_to_end(domain)
            return
        if domain == GUEST_VCPUS:
            self._set_vcpus(libvirt_vcpus.require_vcpu_count(params, self._read_vcpu_counts()))
            return
        if domain in PLACED_ROLES:
            self.placement.check(domain, params)  # refuse wrong parameters before anything is recorded
            self.baseline(domain)
            self.placement.write(domain, params)
            self._written.note(domain, params)
            return
        steps = self._dialects[domain].steps(params)
        self.baseline(domain)  # record the original before the first write
        for step in steps:
            self._set_parameter(domain, step)

    def baseline(self, domain: DomainId) -> SchedParams:
        if domain not in self._found:
            found = self.read(domain)
            if found is None:
                raise self._domain_gone_error(domain)
            self._found[domain] = found
        return self._found[domain]

    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        if domain == GUEST_VCPUS:
            online = None if params is None else libvirt_vcpus.require_vcpu_count(params, self._read_vcpu_counts())
            return () if online is None else (format_setvcpus(self.uri.text, self.pair.guest, online),)
        if domain in PLACED_ROLES:
            return () if params is None else self.placement.lines(domain, params)
        steps: Sequence[ParamStep] = () if params is None else self._dialects[domain].steps(params)
        return tuple(self._format_line(domain, step) for step in steps)

    def require_vcpus(self, params: SchedParams) -> int:
        """Return the number of vCPUs in these parameters; raise ParameterRefused."""
        return libvirt_vcpus.require_vcpu_count(params, self._read_vcpu_counts())

    def schedinfo_calls(self, domain: DomainId, params: SchedParams, who: str) -> list[Argv]:
        """Return virsh's arguments that set parameters, one call per parameter.

        Args:
            domain: The domain.
            params: Parameters to set.
            who: UUID of the domain, or the guard's placeholder.

        Raises:
            ParameterRefused: A value cannot be set.
        """
        dialect = self._dialects[domain]
        return [schedinfo_words(who, dialect.flag, step) for step in dialect.steps(params)]

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        return {role: self._read_counters(role) for role in _ROLES}

    def context(self) -> Mapping[str, str]:
        return {
            "uri": self._connection.uri.text,
            "hostname": self._connection.about().hostname,
            "io": self.pair.io,
            "guest": self.pair.guest,
            "side": self.pair.side.value,
            "scheduler": self._scheduler,
        }

    def close(self) -> None:
        self._connection.close()

    def _open_placement(self, pair: DomainPair) -> DomainPlacement | ContainerPlacement:
        domains, uri = SideDomains(self._connection, pair), self._connection.uri
        if uri.driver == "lxc":
            return ContainerPlacement(domains, HostCpus(self._connection), self._command_log, here=uri.here)
        return DomainPlacement(self._connection, domains, pair.side, self._command_log)

    def _describe_domain(self, role: DomainId) -> DomainDescription:
        request = {"do": "domain", "uuid": self._uuids[role]}
        seen = self._connection.ask(_("looking at {role}").format(role=role), request, DomainDescription)
        if seen.gone:
            raise self._domain_gone_error(role)
        return seen

    def _read_live(self, domain: DomainId, what: str) -> LiveParameters:
        return self._connection.ask(what, {"do": "read", "uuid": self._uuids[domain]}, LiveParameters)

    def _read_vcpu_counts(self) -> VcpuCounts:
        return self._connection.ask(
            _("looking at the guest's vCPUs"), {"do": "vcpus", "uuid": self.pair.guest}, VcpuCounts
        )

    def _set_vcpus(self, online: int) -> None:
        self.baseline(GUEST_VCPUS)
        request = {"do": "size", "uuid": self.pair.guest, "online": online}
        what = _("giving the guest {online} vCPUs").format(online=online)
        reported = self._connection.tell(what, request, lambda: self._read_vcpu_counts().online == online)
        if reported.gone:
            raise self._domain_gone_error(GUEST)
        self._command_log(format_setvcpus(self.uri.text, self.pair.guest, online), "")

    def _set_parameter(self, domain: DomainId, step: ParamStep) -> None:
        name, value = step
        request = {"do": "set", "uuid": self._uuids[domain], "name": name, "value": value}
        what = _("{domain}: setting {name} to {value}").format(domain=domain, name=name, value=value)
        reported = self._connection.tell(what, request, lambda: self._read_live(domain, what).params.get(name) == value)
        if reported.gone:
            raise self._domain_gone_error(domain)
        self._command_log(self._format_line(domain, step), "")

    def _format_line(self, domain: DomainId, step: ParamStep) -> str:
        return format_schedinfo(self._connection.uri.text, self._uuids[domain], self._dialects[domain].flag, step)

    def _read_counters(self, role: DomainId) -> DomainUsage:
        uuid = self._uuids[role]
        seen = self._connection.ask(
            _("counting {role}").format(role=role), {"do": "usage", "uuid": uuid}, DomainCounters
        )
        if seen.gone:
            raise self._domain_gone_error(role)
        first = self._numbers.setdefault(role, seen.number)
        if seen.number != first:
            raise DomainGone(
                _("{role} was restarted (its number was {first} and is {number})").format(
                    role=role, first=first, number=seen.number
                ),
                hint=_("A sweep needs domains that keep running. Start the sweep again."),
            )
        if seen.condition == "crashed":  # a crashed domain kept by <on_crash>preserve</on_crash>
            raise DomainGone(
                _("{role} (domain {uuid}) has crashed. It is still listed, but does not run").format(
                    role=role, uuid=uuid
                ),
                hint=CRASHED_HINT,
            )
        if seen.condition == "paused":
            raise DomainPaused(
                _("{role} (domain {uuid}) is paused. It is listed, but does not run").format(role=role, uuid=uuid),
                hint=PAUSED_HINT.format(resume=f"virsh resume {uuid}"),
            )
        now = libvirt_usage.keep_monotonic(
            self._counters.get(role), libvirt_usage.count_role(role, self.pair.side, seen)
        )
        self._counters[role] = now
        return now

    def _domain_gone_error(self, domain: DomainId) -> DomainGone:
        text = _("{domain} (domain {uuids}) does not run any more").format(domain=domain, uuids=self._uuids[domain])
        return DomainGone(
            text, hint=_("Its settings ended with the domain. Start the domain and then the sweep again.")
        )

    def _refuse_to_end(self, domain: DomainId) -> None:
        domain = PLACED_ROLES.get(domain, domain)
        if not self._read_live(domain, _("reading {domain}").format(domain=domain)).gone:
            raise ParameterRefused(
                _("{domain} runs; DomTune never ends a domain").format(domain=domain), hint=_("Shut it down yourself.")
            )
