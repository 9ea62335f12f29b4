"""What an open Xen host is: the tool, the domains of the sweep, their scheduler; kept in the undo record, too."""

import msgspec

from scheduler.errors import HostError
from scheduler.hosts.xen.toolstack_access import ToolstackAccess
from scheduler.model.split import GUEST, GUEST_2, IO, ROLES, DomainId
from scheduler.toolstacks.command_words import Argv
from scheduler.toolstacks.xen_tool import Version, XenTool

NO_UUID = "00000000-0000-0000-0000-000000000000"  # Dom0's


class DomainIdentity(msgspec.Struct, frozen=True):
    """One of the domains.

    Attributes:
        name: As the toolstack keeps it.
        uuid: Its identity over reboots.
        domid: Number of its present life.
        vcpus: Its vCPUs, offline ones too.
    """

    name: str
    uuid: str
    domid: int
    vcpus: int


class XenSetup(msgspec.Struct, frozen=True):
    """An open host.

    Attributes:
        sudo: Words before a command that needs root; none for root.
        program: Absolute path of the tool.
        version: Of Xen.
        scheduler: Of the CPU pool that the domains are in.
        boot_id: Of Dom0's running kernel: another one means that all settings are gone.
        run: Folder of the guard on the host.
        io: The I/O domain.
        guest: The guest.
        virsh: Absolute path of libvirt's command where libvirt sets what is measured; empty where xl does.
        guest_2: The second guest, in a study of two.
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

    @property
    def domains(self) -> tuple[DomainId, ...]:
        """The domains of the sweep: two, or three where a study has two guests."""
        return ROLES if self.guest_2 else (IO, GUEST)

    @property
    def access(self) -> ToolstackAccess:
        """How the host lets us in."""
        return ToolstackAccess(self.sudo, self.program, self.version)

    @property
    def tool(self) -> XenTool:
        """The tool, with sudo where it is needed."""
        return XenTool((*self.sudo, self.program), self.access.name, self.version)

    @property
    def root_tool(self) -> XenTool:
        """The tool as root calls it."""
        return XenTool((self.program,), self.access.name, self.version)

    def member(self, domain: DomainId) -> DomainIdentity:
        """Return one of the domains; the guest's vCPUs are the guest's. Raises HostError where there is none such."""
        if domain == GUEST_2:
            if self.guest_2 is None:
                raise HostError("there is no second guest in this sweep, so nothing of it is read or set")
            return self.guest_2
        return self.io if domain == IO else self.guest

    def moved(self, domain: DomainId, member: DomainIdentity) -> "XenSetup":
        """Return the same host with one domain in another life."""
        field = {IO: "io", GUEST_2: "guest_2"}.get(domain, "guest")
        return msgspec.structs.replace(self, **{field: member})
