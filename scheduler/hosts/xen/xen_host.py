"""Xen host, read, set and restored by its toolstack.

Where the URL names libvirt, virsh sets the splits; the toolstack still reads and restores.
"""

import time
from collections.abc import Mapping

import msgspec

from scheduler.errors import DomainGone, HostError
from scheduler.hosts.protocols import GUARD_TOKEN, CommandLog, Host
from scheduler.hosts.remote.guard import new_token
from scheduler.hosts.remote.guard_session import GuardSession
from scheduler.hosts.remote.guarded_changes import GuardedChanges
from scheduler.hosts.remote.shell import StreamingShell
from scheduler.hosts.xen.background_load import is_competing
from scheduler.hosts.xen.commands import pools_command
from scheduler.hosts.xen.describe import describe_xen
from scheduler.hosts.xen.domain_choice import choose_domains, choose_second_guest
from scheduler.hosts.xen.domain_view import DomainView, build_domain_view, identify_domain
from scheduler.hosts.xen.host_survey import survey_host
from scheduler.hosts.xen.urls import XenUrl, parse_xen_url
from scheduler.hosts.xen.virsh import find_virsh, refuse_unknown
from scheduler.hosts.xen.xen_placement import (
    find_placement_support,
    has_same_effect,
    identify_others,
    ignores_global_masks,
    pin_not_verified_error,
    read_placements,
)
from scheduler.hosts.xen.xen_setup import XenSetup
from scheduler.hosts.xen.xen_usage import XenUsage
from scheduler.hosts.xen.xen_values import XenDomainValues
from scheduler.hosts.xen.xen_vcpus import VcpuChanges
from scheduler.model.bounded_json import decode_bounded
from scheduler.model.host_properties import DomainUsage, HostProperties
from scheduler.model.placement import PlacementParams
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import GUEST_2, DomainId
from scheduler.model.urls import redact_url
from scheduler.model.vcpus import GUEST_VCPUS
from scheduler.translation import _

_SETUP = "setup"  # key in an undo record's context
_SETUP_OF_THREE = "setup of three"  # a reader of two domains would restore the wrong guest


class XenParts:
    """Parts that exist while the host is open."""

    def __init__(
        self, shell: StreamingShell, setup: XenSetup, token: str, command_log: CommandLog, *, left: bool
    ) -> None:
        self._where = shell.where
        self.values = XenDomainValues(shell, setup)
        self.guarding = GuardSession(shell, self.values, setup.run, setup.sudo, token, command_log)
        self.changes = GuardedChanges(self.guarding, self.values, command_log, left=left)
        self.vcpus = VcpuChanges(self.changes, self.guarding, shell.where)
        self.usage = XenUsage(shell, self.values)
        if setup.guest_2 is not None:
            self.guarding.guard_slot(GUEST_2)
        self._placed: dict[DomainId, tuple[PlacementParams, int]] = {}  # written, with the guard's arming

    def verify_placement(self, slot: DomainId, wanted: PlacementParams) -> None:
        """Read a placement back after a write.

        Args:
            slot: The slot that was written.
            wanted: The placement that was written.

        Raises:
            WriteNotVerified: A vCPU may run on other CPUs.
        """
        got = self.changes.read(slot)
        setup = self.values.setup
        if not isinstance(got, PlacementParams):
            return
        if not has_same_effect(wanted, got, setup.placement.choices):
            raise pin_not_verified_error(setup.member(slot).name, wanted, got, self._where)
        self._placed[slot] = (wanted, self.guarding.armings)

    def as_written(self, slot: DomainId, got: SchedParams | None) -> SchedParams | None:
        """Return a placement as it was written, where the host shows the same CPUs.

        Args:
            slot: The slot that was read.
            got: The parameters that the toolstack shows.
        """
        wanted, arming = self._placed.get(slot, (None, 0))
        if wanted is None or arming != self.guarding.armings or not isinstance(got, PlacementParams):
            return got
        return wanted if has_same_effect(wanted, got, self.values.setup.placement.choices) else got


class XenHost(Host):
    """Two domains of a Xen host, or three in a study of two guests.

    Args:
        url: URL of the host.
        way: Access that the URL names.
        command_log: Called with each command and its answer.
        names: The plan's names of the I/O domain and the guest; empty where only one choice exists.
        left: Setup and token of the dead sweep that left this host; None for a new sweep.
    """

    def __init__(
        self,
        url: str,
        way: XenUrl,
        command_log: CommandLog,
        names: tuple[str, str] = ("", ""),
        left: tuple[XenSetup, str] | None = None,
    ) -> None:
        self._url = url
        self._way = way
        self._shell = way.shell()
        self._command_log = command_log
        self._names = names
        self._token = left[1] if left else new_token()
        self._left = left is not None
        self._facts: HostProperties | None = None
        self._view: DomainView | None = None
        self._libvirt = ""
        self._parts: XenParts | None = (
            XenParts(self._shell, left[0], self._token, command_log, left=True) if left else None
        )

    @property
    def guard(self) -> GuardSession:
        return self._open_parts().guarding

    def facts(self) -> HostProperties:
        if self._facts is None:
            self._facts = self._survey_host()
        return self._facts

    def boot(self) -> None:
        self._open_parts().guarding.arm()

    def add_guest(self, name: str = "") -> None:
        parts, view = self._open_parts(), self._view
        if view is None:
            raise HostError(
                _("{where} has an undo record of another sweep; DomTune does not extend it").format(
                    where=self._shell.where
                )
            )
        row = choose_second_guest(view.survey.domains, (view.io.row, view.guest.row), name, self._shell.where)
        view = view.with_second(row)
        second, setup = identify_domain(view.domains[-1]), parts.values.setup
        if setup.virsh:
            refuse_unknown(self._shell, setup.virsh, second)
        parts.guarding.guard_slot(GUEST_2)
        parts.values.setup = msgspec.structs.replace(setup, guest_2=second, placement=find_placement_support(view))
        self._facts = self._describe_view(view)

    def read(self, domain: DomainId) -> SchedParams | None:
        parts = self._open_parts()
        return parts.as_written(domain, parts.changes.read(domain))

    def write(self, domain: DomainId, params: SchedParams | None) -> None:
        parts = self._open_parts()
        if domain == GUEST_VCPUS:
            parts.vcpus.write(params)
            return
        parts.changes.write(domain, params)
        if isinstance(params, PlacementParams):
            parts.verify_placement(domain, params)

    def release_domain(self, domain: DomainId) -> None:
        if self._parts is not None:
            self._parts.changes.release_domain(domain)

    def baseline(self, domain: DomainId) -> SchedParams:
        found = self._open_parts().guarding.originals.get(domain) or self.read(domain)
        if found is None:
            raise DomainGone(
                _("{where}: {domain} is not there any more").format(where=self._shell.where, domain=domain)
            )
        return found

    def competitors(self) -> frozenset[str]:
        """Return the UUIDs of all domains that may run on a shared CPU.

        Source: the last survey.
        """
        view = self._view
        return frozenset() if view is None else frozenset(r.uuid for r in view.survey.domains if is_competing(view, r))

    def commands(self, domain: DomainId, params: SchedParams | None) -> tuple[str, ...]:
        parts = self._open_parts()
        if params is None:
            return (f"# {parts.values.name(domain)} stays: DomTune neither creates nor ends Xen domains",)
        return parts.changes.lines(domain, params)

    def usage(self) -> Mapping[DomainId, DomainUsage]:
        parts = self._open_parts()
        parts.guarding.check()  # After the guard has restored the host, no figure belongs to the split.
        return parts.usage.look(time.monotonic())

    def passed(self) -> Mapping[str, int]:
        return self._open_parts().usage.passed()

    def failure_details(self) -> str:
        return self._parts.guarding.failure_details() if self._parts is not None else ""

    def context(self) -> Mapping[str, str]:
        setup = self._open_parts().values.setup
        key = _SETUP if setup.guest_2 is None else _SETUP_OF_THREE
        setup = setup.limited_to(self.guard.slots)
        return {key: msgspec.json.encode(setup).decode(), GUARD_TOKEN: self._token}

    def follow(self, hard_s: float) -> bool:
        self._open_parts().guarding.follow(hard_s)
        return True

    def look_again(self) -> HostProperties:
        return self._survey_host()

    def close(self) -> None:
        if self._parts is not None:
            self._parts.usage.close()
            self._parts.guarding.close()
        self._shell.close()

    def _survey_host(self) -> HostProperties:
        seen = survey_host(self._shell)
        pair = choose_domains(seen.domains, *self._names, self._shell.where, unfit=self._parts is not None)
        view = build_domain_view(seen, *pair)
        setup, libvirt = view.setup(), ""
        setup = msgspec.structs.replace(
            setup,
            placement=find_placement_support(view),
            ignores_masks=ignores_global_masks(view),
            others=identify_others(view),
        )
        if self._way.by_libvirt and not self._left:
            virsh, libvirt = find_virsh(self._shell, setup)
            setup = msgspec.structs.replace(setup, virsh=virsh)
        self._parts = self._parts or XenParts(self._shell, setup, self._token, self._command_log, left=False)
        self._view, self._libvirt = view, libvirt
        return self._describe_view(view)

    def _describe_view(self, view: DomainView) -> HostProperties:
        """Read the live parameters of the domains; return the host's properties."""
        parts = self._open_parts()
        setup = parts.values.setup
        found = {domain: parts.values.read(domain) for domain in setup.domains}
        parts.changes.found = {**found, **read_placements(view)}
        now = {setup.member(domain).name: params for domain, params in found.items()}
        pools = self._shell.run(setup.tool.call(pools_command(setup.scheduler))).out
        return describe_xen(self._url, view, now, pools, parts.guarding.state(), self._libvirt)

    def _open_parts(self) -> XenParts:
        if self._parts is None:
            self.facts()
        if self._parts is None:
            raise HostError(_("{where} was not looked at").format(where=self._shell.where))
        return self._parts


def open_host(url: str, command_log: CommandLog, io_domain: str, guest_domain: str, database: str) -> XenHost:
    """Open a Dom0; the first call that needs the host connects.

    Args:
        url: URL of the host.
        command_log: Called with each command and its answer.
        io_domain: The plan's name of the I/O domain; empty for Dom0.
        guest_domain: The plan's name of the guest; empty where only one exists.
        database: Ignored.

    Raises:
        SpecError: The URL is not valid.
    """
    return XenHost(url, parse_xen_url(url), command_log, (io_domain, guest_domain))


def reopen_host(url: str, context: Mapping[str, str], command_log: CommandLog) -> XenHost:
    """Reopen a Dom0 that a dead sweep left, to restore the domains.

    Args:
        url: URL of the host.
        context: Context from the undo record.
        command_log: Called with each command and its answer.

    Raises:
        HostError: The undo record does not identify the domains.
    """
    try:
        setup = decode_bounded(
            msgspec.json.Decoder(XenSetup), context[_SETUP_OF_THREE if _SETUP_OF_THREE in context else _SETUP]
        )
        token = context[GUARD_TOKEN]
    except (KeyError, msgspec.DecodeError) as error:
        raise HostError(
            _("the undo record of {redact_url} does not name its domains: {error}").format(
                redact_url=redact_url(url), error=error
            )
        ) from error
    return XenHost(url, parse_xen_url(url), command_log, left=(setup, token))
