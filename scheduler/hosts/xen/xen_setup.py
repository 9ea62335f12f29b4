"""Setup of an open Xen host, stored in the undo record."""

from collections.abc import Iterable

import msgspec

from scheduler.errors import HostError
from scheduler.hosts.xen.toolstack_access import ToolstackAccess
from scheduler.model.placement import PLACE_SLOTS, PlacementSupport, is_other_place, other_place
from scheduler.model.split import GUEST, GUEST_2, IO, ROLES, DomainId
from scheduler.toolstacks.command_words import Argv
from scheduler.toolstacks.xen_tool import Version, XenTool
from scheduler.translation import _

NO_UUID = "00000000-0000-0000-0000-000000000000"  # Dom0's
_ROLES_BY_SLOT = {slot: role for role, slot in PLACE_SLOTS.items()}


class DomainIdentity(msgspec.Struct, frozen=True):
    """Identity of one domain of the sweep.

    Attributes:
        name: Name in the toolstack.
        uuid: Identity across reboots.
        domid: Current number; a restart changes the number.
        vcpus: Number of vCPUs, offline ones included.
    """

    name: str
    uuid: str
    domid: int
    vcpus: int


class XenSetup(msgspec.Struct, frozen=True):
    """Setup of an open host.

    Attributes:
        sudo: Command prefix for root; empty for root.
        program: Absolute path of the tool.
        version: Version of Xen.
        scheduler: Scheduler of the domains' CPU pool.
        boot_id: Boot id of Dom0's running kernel; a different id means that all settings are gone.
        run: Folder of the guard on the host.
        io: The I/O domain.
        guest: The guest.
        virsh: Absolute path of virsh where libvirt sets the splits; empty where xl does.
        guest_2: The second guest, in a study of two guests.
        placement: Support for placing the domains.
        others: The other guests in the domains' CPU pool.
        ignores_masks: True where `xl vcpu-pin` needs `-i`, so that `vm.cpumask` in xl.conf does not cut a mask.
    """

    sudo: Argv
    program: str
    version: Version
    scheduler: str
    boot_id: str
    run: str
    io: DomainIdentity
    guest: DomainIdentity
    virsh: str = ""
    guest_2: DomainIdentity | None = None
    placement: PlacementSupport = PlacementSupport()
    ignores_masks: bool = False
    others: tuple[DomainIdentity, ...] = ()

    @property
    def domains(self) -> tuple[DomainId, ...]:
        """The domains of the sweep: two, or three in a study of two guests."""
        return ROLES if self.guest_2 else (IO, GUEST)

    @property
    def access(self) -> ToolstackAccess:
        """Access to the toolstack."""
        return ToolstackAccess(self.sudo, self.program, self.version)

    @property
    def tool(self) -> XenTool:
        """The tool, with sudo where necessary."""
        return XenTool((*self.sudo, self.program), self.access.name, self.version)

    @property
    def root_tool(self) -> XenTool:
        """The tool as root calls it."""
        return XenTool((self.program,), self.access.name, self.version)

    def member(self, domain: DomainId) -> DomainIdentity:
        """Return the identity of a domain; vCPUs and placement belong to their domain.

        Raises:
            HostError: The sweep has no such domain.
        """
        if is_other_place(domain):
            return self._find_other(domain)
        domain = _ROLES_BY_SLOT.get(domain, domain)
        if domain == GUEST_2:
            if self.guest_2 is None:
                raise HostError(_("there is no second guest in this sweep, so DomTune does not read or set it"))
            return self.guest_2
        return self.io if domain == IO else self.guest

    def _find_other(self, slot: DomainId) -> DomainIdentity:
        for member in self.others:
            if other_place(member.uuid) == slot:
                return member
        raise HostError(
            _("{slot}: no such guest ran when the host was looked at, so DomTune does not read or set it").format(
                slot=slot
            )
        )

    def limited_to(self, slots: Iterable[DomainId]) -> "XenSetup":
        """Return the same setup with the other guests of these slots only."""
        wanted = set(slots)
        return msgspec.structs.replace(
            self, others=tuple(member for member in self.others if other_place(member.uuid) in wanted)
        )

    def moved(self, domain: DomainId, member: DomainIdentity) -> "XenSetup":
        """Return the same setup with a new identity of one domain.

        Args:
            domain: The domain.
            member: Identity of the domain after a restart or a new name.
        """
        if is_other_place(domain):
            others = tuple(member if each.uuid == member.uuid else each for each in self.others)
            return msgspec.structs.replace(self, others=others)
        role = _ROLES_BY_SLOT.get(domain, domain)
        field = {IO: "io", GUEST_2: "guest_2"}.get(role, "guest")
        return msgspec.structs.replace(self, **{field: member})
