"""CPUs of a libvirt host that are online, and where they are."""

from scheduler.hosts.kernel_topology import read_kernel_topology
from scheduler.hosts.libvirt.host_topology import read_topology
from scheduler.hosts.libvirt.libvirt_connection import LibvirtConnection
from scheduler.model.placement import HostCpu
from scheduler.toolstacks.tool_output import MOST_CPUS
from scheduler.translation import _

_CAPABILITIES_S = 60.0  # QEMU's driver starts every QEMU program for the answer, once after each upgrade
_TEST = "TEST"


class HostCpus:
    """CPUs of a host, read once.

    Args:
        connection: Connection to the host.
    """

    def __init__(self, connection: LibvirtConnection) -> None:
        self._connection = connection
        self._numbers: tuple[int, ...] = ()

    def numbers(self) -> tuple[int, ...]:
        """Return the CPUs that were online at the first call, ascending; raise HostError."""
        if not self._numbers:
            listed = self._connection.ask(_("listing the CPUs"), {"do": "cpus"}, list[int])
            known = sorted(cpu for cpu in set(listed) if 0 <= cpu < MOST_CPUS)
            self._numbers = tuple(known) or tuple(range(min(self._connection.about().pcpus, MOST_CPUS)))
        return self._numbers

    def topology(self) -> tuple[HostCpu, ...]:
        """Return the CPUs that are online; raise HostError."""
        here = read_kernel_topology({}) if self._connection.uri.here else ()
        if tuple(cpu.number for cpu in here) == self.numbers() and self._connection.about().type != _TEST:
            return here
        request = {"do": "capabilities"}
        described = self._connection.ask_once(_("looking at the CPUs"), request, str, _CAPABILITIES_S)
        return read_topology(described or "", self.numbers())
