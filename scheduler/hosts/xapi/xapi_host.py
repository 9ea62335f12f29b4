"""Host of `xapi://HOST`: XAPI for state, `xl` in Dom0 for live changes.

XAPI cannot change a running domain's weight or cap: the documented call raises NOT_IMPLEMENTED in every version. So a
sweep writes through the adapter for `xl`, over ssh, with its guard. XAPI finds the domains, and reports what would
disturb the sweep. XAPI also ends the sweep when the toolstack changes a domain, and stores a weight for the next boot.
A restore needs only `xl`. So a restore works with XAPI down, without the password, and with any certificate.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import msgspec

from scheduler.errors import DomainGone, HostError, HostNotUsable
from scheduler.hosts.protocols import CommandLog, Host
from scheduler.hosts.remote.guard_session import GuardSession
from scheduler.hosts.remote.ssh_url import SshTarget
from scheduler.hosts.xapi import metrics
from scheduler.hosts.xapi.domain_events import EventWatcher
from scheduler.hosts.xapi.domain_findings import domain_findings
from scheduler.hosts.xapi.pool_findings import pool_findings
from scheduler.hosts.xapi.pool_inventory import PoolInventory, SweptPair, choose_pair, read_inventory
from scheduler.hosts.xapi.preflight_data import PreflightData
from scheduler.hosts.xapi.rrd import Series
from scheduler.hosts.xapi.xapi_records import HostRecord, VmRecord
from scheduler.hosts.xapi.xapi_session import XapiConnection, XapiSession
from scheduler.hosts.xapi.xapi_url import XapiUrl, parse_xapi_url, read_credentials
from scheduler.hosts.xen.xen_host import XenHost
from scheduler.hosts.xen.xen_host import open_host as open_xen
from scheduler.hosts.xen.xen_host import reopen_host as reopen_xen
from scheduler.model.guests import SecondGuestSupport
from scheduler.model.host_properties import DomainUsage, HostProperties, PreflightFinding, Severity
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.model.urls import redact_url
from scheduler.model.vcpus import VcpuRange
from scheduler.translation import _

_ROOT = "root"  # the only account of Dom0 that may call xl on these hosts


@dataclass(frozen=True, slots=True)
class OpenPool:
    """Pool, host and domains as XAPI showed them at the start.

    Attributes:
        world: The pool.
        pair: The host and the domains to sweep.
        way: URL of the adapter for `xl`.
    """

    world: PoolInventory
    pair: SweptPair
    way: str

    @property
    def host(self) -> HostRecord:
        """The host of the two domains."""
        return self.world.hosts[self.pair.host]

    def vm(self, domain: DomainId) -> VmRecord:
        """Return the record of one of the two domains."""
        return self.world.vms[self.pair.io if domain == IO else self.pair.guest]


def build_xl_url(url: XapiUrl, world: PoolInventory, pair: SweptPair) -> str:
    """Return the URL by which `xl` is reached on the host of the two domains.

    Args:
        url: URL of the XAPI host.
        world: The pool.
        pair: The host and the domains to sweep.
    """
    host = world.hosts[pair.host]
    same = len(world.hosts) == 1 or url.address.host in host.names
    target = url.ssh or SshTarget(url.address.host if same else host.address, _ROOT)
    return f"xl+ssh://{target.where}"


_ORDER = [Severity.ERROR, Severity.WARNING, Severity.INFO]


def list_findings(seen: PreflightData) -> list[PreflightFinding]:
    """Return all findings from XAPI, errors first."""
    return sorted((*pool_findings(seen), *domain_findings(seen)), key=severity_rank)


def severity_rank(finding: PreflightFinding) -> int:
    """Return a finding's position by severity: errors first."""
    return _ORDER.index(finding.level)


log = logging.getLogger(__name__)

_NO_VCPUS = VcpuRange(
    why=_("XAPI manages the number of vCPUs of a VM and may overwrite changes made with xl"),
    hint=_("Use a Xen host without XAPI (xl:), local:, or libvirt with QEMU."),
)
_UNSEEN = _("A restart, a move or a change of state of a machine need not have been seen meanwhile.")
_NO_SECOND = SecondGuestSupport(
    why=_("through XAPI DomTune watches the two domains of a sweep, not a third one"),
    hint=_("Take a Xen host by xl (xl+ssh:) with two guests, or local:."),
)


class XapiHost(Host):
    """Two domains of a XenServer or XCP-ng host.

    Args:
        url: URL of the host.
        session: Login to the pool.
        found: Pool, host and domains.
        dom0: Adapter for `xl`, which sets and counts live values.
        command_log: Called with each command and its answer.
    """

    def __init__(
        self, url: XapiUrl, session: XapiSession, found: OpenPool, dom0: XenHost, command_log: CommandLog
    ) -> None:
        self._url = url
        self._session = session
        self._line = XapiConnection(session)
        self._found = found
        self._dom0 = dom0
        self._command_log = command_log
        self._facts: HostProperties | None = None
        self._watcher: EventWatcher | None = None

    @property
    def guard(self) -> GuardSession:
        return self._dom0.guard

    def facts(self) -> HostProperties:
        if self._facts is None:
            self._facts = self._collect_properties()
        return self._facts

    def boot(self) -> None:
        self._dom0.boot()
        self._start_watcher()

    def follow(self, hard_s: float) -> bool:
        guarded = self._dom0.follow(hard_s)
        self._start_watcher()
        return guarded

    def look_again(self) -> HostProperties:
        return self._dom0.look_again()

    def _start_watcher(self) -> None:
        if self._watcher is None:
            swept = {self._found.pair.io: self._found.vm(IO), self._found.pair.guest: self._found.vm(GUEST)}
            names = {ref: host.name_label for ref, host in self._found.world.hosts.items()}
            self._watcher = EventWatcher(XapiConnection(self._session), swept, names)
            self._watcher.start()

    def read(self, domain: DomainId) -> SchedParams | None:
        return self._dom0.read(domain)

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        self._dom0.write(domain, params)

    def release_domain(self, domain: DomainId) -> None:
        self._dom0.release_domain(domain)

    def baseline(self, domain: DomainId) -> SchedParams:
        return self._dom0.baseline(domain)

    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        return self._dom0.commands(domain, params)

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        """Return the counters; raise DomainGone when the toolstack changed a domain."""
        if self._watcher is not None and self._watcher.domain_changes:
            raise DomainGone(
                f"{self._found.host.name_label}: {'; '.join(self._watcher.domain_changes)}",
                hint=_("The sweep stops, and DomTune restores its changes where the domain still exists."),
            )
        return self._dom0.usage()

    def passed(self) -> Mapping[str, int]:
        return self._dom0.passed()

    def failure_details(self) -> str:
        reported = [self._dom0.failure_details()]
        if self._watcher is not None:
            reported += self._watcher.domain_changes
            reported += (
                [_("XAPI's events do not come: {blind}").format(blind=self._watcher.blind)]
                if self._watcher.blind
                else []
            )
        return "\n".join(text for text in reported if text)

    def warnings(self) -> tuple[str, ...]:
        missed = self._watcher.missed if self._watcher is not None else ""
        return (
            (_("{unseen} XAPI's events did not come: {missed}").format(unseen=_UNSEEN, missed=missed),)
            if missed
            else ()
        )

    def context(self) -> Mapping[str, str]:
        return {**self._dom0.context(), "xl": self._found.way}

    def close(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()
        self._dom0.close()
        self._line.close()
        self._session.close()

    def _collect_properties(self) -> HostProperties:
        found, live = self._found, self._read_live_properties()
        certificates = metrics.read_certificates(self._line)
        seen = PreflightData(
            world=found.world,
            pair=found.pair,
            live=self._dom0.read(GUEST),
            xen=live.versions.get("xen", ""),
            metrics=self._fetch_metrics(certificates),
            certificate=certificates.get(found.pair.host),
            now=datetime.now(UTC),
            competitors=self._dom0.competitors(),
        )
        software = found.host.software_version
        product = f"{software.get('product_brand', 'XAPI')} {software.get('product_version', '')}".strip()
        merged = sorted((*live.findings, *list_findings(seen)), key=severity_rank)
        return msgspec.structs.replace(
            live,
            url=self._url.text,
            title=f"{product}, {live.title}",
            versions={**live.versions, "xapi": software.get("xapi", "unknown"), "product": product},
            findings=tuple(merged),
            vcpus=_NO_VCPUS,
            second_guest=_NO_SECOND,
        )

    def _read_live_properties(self) -> HostProperties:
        """Return the properties as read by `xl`; name XAPI's host in an error.

        Raises:
            HostError: The guest is not on the host that XAPI names, or the host cannot be used.
        """
        try:
            return self._dom0.facts()
        except HostNotUsable as error:
            if type(error) is not HostNotUsable:
                raise  # an unknown or changed ssh key: the caller needs this exact error
            guest, host = self._found.vm(GUEST), self._found.host
            text = _("{error}; according to XAPI, {label} ({uuid}) runs on {label_2}").format(
                error=error, label=guest.name_label, uuid=guest.uuid, label_2=host.name_label
            )
            raise HostNotUsable(text, hint=error.hint or _("Check that ssh reaches that host.")) from error

    def _fetch_metrics(self, certificates: Mapping[str, metrics.CertificateRecord]) -> Series:
        try:
            host = self._found.pair.host
            return metrics.fetch_metrics(self._session, self._found.world, host, certificates.get(host))
        except HostError as error:
            log.info("no metrics: %s", error)
            return {}


def open_host(url: str, command_log: CommandLog, io_domain: str, guest_domain: str, database: str) -> XapiHost:
    """Open a pool through one of its members, and find the two domains.

    Args:
        url: URL of the host.
        command_log: Called with each command and its answer.
        io_domain: Name or UUID of the I/O domain; empty for Dom0.
        guest_domain: Name or UUID of the guest; empty when only one runs there.
        database: Ignored.

    Raises:
        SpecError: The URL is not valid, or a name matches no running domain.
        HostKeyUnknown: The host's certificate was never accepted.
        HostKeyChanged: The host shows a certificate other than the accepted one.
        HostNotUsable: The password is missing, or the host has no domain that can be swept.
        HostUnreachable: The host does not answer within the time limit.
    """
    parsed = parse_xapi_url(url)
    session = XapiSession(parsed.address, *read_credentials(parsed))
    line = XapiConnection(session)
    try:
        world = read_inventory(line)
        pair = choose_pair(world, parsed.address.host, io_domain, guest_domain)
        found = OpenPool(world, pair, build_xl_url(parsed, world, pair))
        io = "" if pair.io == world.dom0_of(pair.host) else found.vm(IO).uuid
        dom0 = open_xen(found.way, command_log, io, found.vm(GUEST).uuid, database)
        return XapiHost(parsed, session, found, dom0, command_log)
    except BaseException:
        session.close()
        raise
    finally:
        line.close()


def reopen_host(url: str, context: Mapping[str, str], command_log: CommandLog) -> XenHost:
    """Reopen the Dom0 that a dead sweep left, to restore the domains by `xl`.

    Args:
        url: URL of the host.
        context: Context from the undo record.
        command_log: Called with each command and its answer.

    Raises:
        HostError: The undo record does not name the way to Dom0.
    """
    if "xl" not in context:
        raise HostError(
            _("the undo record of {redact_url} does not say how Dom0 is reached").format(redact_url=redact_url(url))
        )
    return reopen_xen(context["xl"], context, command_log)
