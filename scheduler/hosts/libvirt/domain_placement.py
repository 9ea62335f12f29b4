"""Placement of the two sides of a libvirt host, by live pins of QEMU's threads."""

from collections.abc import Iterable, Mapping

from scheduler.errors import DomainGone
from scheduler.hosts.libvirt import thread_pins
from scheduler.hosts.libvirt.domain_pair import DomainPair
from scheduler.hosts.libvirt.host_cpus import HostCpus
from scheduler.hosts.libvirt.libvirt_connection import LibvirtConnection
from scheduler.hosts.libvirt.thread_pins import PinScope
from scheduler.hosts.libvirt.worker_answers import DomainDescription, parse_description
from scheduler.hosts.protocols import CommandLog
from scheduler.model.placement import PLACE_SLOTS, PlacementParams, PlacementSupport, format_mask
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.toolstacks.virsh import IoSide, PinStep, format_pin
from scheduler.translation import _

PLACED_ROLES: Mapping[DomainId, DomainId] = {PLACE_SLOTS[role]: role for role in (IO, GUEST)}
"""Pseudo domain of a placement to its domain."""

_QEMU, _TEST = "QEMU", "TEST"
AS_FOUND_HINT = _('Write set = "as-found" in [cpus]: the domains stay on their CPUs.')


class SideDomains:
    """Descriptions of the two sides, for their placement.

    Args:
        connection: Connection to the host.
        pair: The two sides of the sweep.
    """

    def __init__(self, connection: LibvirtConnection, pair: DomainPair) -> None:
        self._connection = connection
        self._uuids = {IO: pair.io, GUEST: pair.guest}

    def uuid(self, slot: DomainId) -> str:
        """Return the UUID of a side's domain."""
        return self._uuids[PLACED_ROLES[slot]]

    def describe(self, slot: DomainId) -> DomainDescription:
        """Return libvirt's description of a side's domain; raise DomainGone when it moved."""
        role = PLACED_ROLES[slot]
        request = {"do": "domain", "uuid": self.uuid(slot)}
        found = self._connection.ask(_("reading the CPUs of {role}").format(role=role), request, DomainDescription)
        if found.migrated:
            raise migrated_error(role, f"virsh vcpupin {self.uuid(slot)}")
        return found

    def require(self, slot: DomainId) -> DomainDescription:
        """Return libvirt's description of a domain that runs; raise DomainGone."""
        found = self.describe(slot)
        if found.gone:
            raise self.gone_error(slot)
        return found

    def gone_error(self, slot: DomainId) -> DomainGone:
        """Return the error for a side whose domain does not run."""
        text = _("{placed_roles} (domain {uuid}) does not run any more").format(
            placed_roles=PLACED_ROLES[slot], uuid=self.uuid(slot)
        )
        return DomainGone(
            text, hint=_("Its settings ended with the domain. Start the domain and then the sweep again.")
        )


class DomainPlacement:
    """Pins of both sides.

    Args:
        connection: Connection to the host.
        domains: The two sides.
        side: The kind of the I/O side.
        command_log: Called with each command and its answer.

    Attributes:
        cpus: CPUs of the host.
    """

    def __init__(
        self, connection: LibvirtConnection, domains: SideDomains, side: IoSide, command_log: CommandLog
    ) -> None:
        self.cpus = HostCpus(connection)
        self._connection = connection
        self._domains = domains
        self._command_log = command_log
        self._side = side

    def support(self, domains: Iterable[DomainDescription]) -> PlacementSupport:
        """Return the support for placing the domains.

        Args:
            domains: libvirt's descriptions of both domains.
        """
        kind, choices = self._connection.about().type, self.cpus.numbers()
        if kind not in (_QEMU, _TEST):
            why = _("libvirt's driver for {kind} cannot change the CPUs of a running domain and show them").format(
                kind=kind
            )
            return PlacementSupport(choices=choices, why=why, hint=AS_FOUND_HINT)
        chosen = dict.fromkeys(
            each.name for each in domains if thread_pins.is_placed_by_libvirt(parse_description(each))
        )
        for name in chosen:
            why = _(
                "{name} has <vcpu placement='auto'>: libvirt chooses its CPUs, and refuses pins of its emulator"
            ).format(name=name)
            hint = _("{as_found_hint} Or start {name} with placement='static'.").format(
                as_found_hint=AS_FOUND_HINT, name=name
            )
            return PlacementSupport(choices=choices, why=why, hint=hint)
        return PlacementSupport(possible=True, choices=choices, why="")

    def read(self, slot: DomainId) -> PlacementParams | None:
        """Return the live placement of a side; None when gone. Raise HostError."""
        description = self._domains.describe(slot)
        if description.gone:
            return None
        return thread_pins.read_pins(parse_description(description), self._scope(slot), self.cpus.numbers())

    def plan(self, slot: DomainId, params: SchedParams, *, all_threads: bool = False) -> list[PinStep]:
        """Return the steps that place a side; raise ParameterRefused before the first.

        Args:
            slot: The side.
            params: The placement.
            all_threads: True to include threads that have the wanted CPUs now, for a later restore.
        """
        description = self._domains.require(slot)
        support = self.support([description])
        now = thread_pins.read_pins(parse_description(description), self._scope(slot), support.choices)
        steps = thread_pins.plan_pins(params, now, support, description.name)
        present = dict(thread_pins.list_masks(now))
        every = support.choices
        return [step for step in steps if all_threads or (step.cpus or every) != (present[step.thread] or every)]

    def check(self, slot: DomainId, params: SchedParams) -> None:
        """Raise ParameterRefused for a placement that a side cannot have.

        Args:
            slot: The side.
            params: The placement.
        """
        self.plan(slot, params)

    def write(self, slot: DomainId, params: SchedParams) -> None:
        """Place a side, thread by thread; raise HostError."""
        for step in self.plan(slot, params):
            self._pin_thread(slot, step)

    def lines(self, slot: DomainId, params: SchedParams) -> tuple[str, ...]:
        """Return the commands of `write` as lines to type; touch nothing.

        Args:
            slot: The side.
            params: The placement.
        """
        return tuple(self._format_line(slot, step) for step in self.plan(slot, params))

    def _pin_thread(self, slot: DomainId, step: PinStep) -> None:
        cpus = self.cpus.numbers()
        request = {
            "do": "pin",
            "uuid": self._domains.uuid(slot),
            "kind": step.thread.kind,
            "number": step.thread.number,
            "cpus": list(step.cpus or cpus),
            "count": max(cpus) + 1,
        }
        what = _("{placed_roles}: placing {kind} {number} on {cpus}").format(
            placed_roles=PLACED_ROLES[slot],
            kind=step.thread.kind,
            number=step.thread.number,
            cpus=format_mask(step.cpus),
        )
        reported = self._connection.tell(what, request, lambda: False)  # may be repeated
        if reported.gone:
            raise self._domains.gone_error(slot)
        self._command_log(self._format_line(slot, step), "")

    def _format_line(self, slot: DomainId, step: PinStep) -> str:
        return format_pin(self._connection.uri.text, self._domains.uuid(slot), step)

    def _scope(self, slot: DomainId) -> PinScope:
        if self._side is IoSide.EMULATOR:
            return PinScope(vcpus=PLACED_ROLES[slot] == GUEST, emulator=PLACED_ROLES[slot] == IO)
        return PinScope(emulator=self._connection.about().type == _QEMU)


def migrated_error(role: DomainId, command: str) -> DomainGone:
    """Return the error for a domain that moved to another host with its settings.

    Args:
        role: The domain.
        command: Command that shows its settings there.
    """
    return DomainGone(
        _("{role} was moved to another host, with its limits").format(role=role),
        hint=_("Set them back there by hand: {command}").format(command=command),
    )


class WrittenPlacements:
    """Placements in the form in which they were written.

    libvirt shows a mask of all CPUs and no mask alike.
    """

    def __init__(self) -> None:
        self._written: dict[DomainId, PlacementParams] = {}

    def note(self, slot: DomainId, params: SchedParams) -> None:
        """Note what was written; other parameters are ignored.

        Args:
            slot: Where it was written.
            params: The parameters.
        """
        if isinstance(params, PlacementParams):
            self._written[slot] = params

    def as_written(self, slot: DomainId, got: SchedParams | None, cpus: tuple[int, ...]) -> SchedParams | None:
        """Return a placement as it was written, if it has the same effect.

        Args:
            slot: Where it was read.
            got: What was read.
            cpus: CPUs of the host that are online.
        """
        written = self._written.get(slot)
        if written is None or not isinstance(got, PlacementParams):
            return got
        return written if thread_pins.same_masks(written, got, cpus) else got
