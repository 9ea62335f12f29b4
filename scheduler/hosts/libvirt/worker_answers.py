"""Types of the worker's answers; `gone` marks a domain that does not run here."""

import xml.etree.ElementTree as ET

import msgspec

from scheduler.errors import HostError
from scheduler.translation import _


class ListedDomain(msgspec.Struct, frozen=True):
    """One libvirt domain in the list of a host.

    Attributes:
        uuid: UUID of the domain.
        name: Name of the domain.
        active: True when the domain runs.
    """

    uuid: str
    name: str
    active: bool


class DomainDescription(msgspec.Struct, frozen=True):
    """A running domain.

    Attributes:
        gone: True when the domain does not run; all other fields are then empty.
        migrated: True when the domain moved to another host.
        name: Current name of the domain.
        number: Current number of the domain; a restart changes the number.
        condition: Reason why the vCPUs do not run, for example `paused`; empty while they run.
        vcpus: Number of vCPUs.
        scheduler: libvirt's name of the scheduler: `posix`, `credit`, `credit2`, `fair`.
        xml: Description of the domain.
        vcpu_pins: Per vCPU and physical CPU, True when the vCPU may run there; None where unknown.
        emulator_pins: Per physical CPU, True when the emulator may run there; None where unknown.
    """

    gone: bool = False
    migrated: bool = False
    name: str = ""
    number: int = -1
    condition: str = ""
    vcpus: int = 0
    scheduler: str = ""
    xml: str = ""
    vcpu_pins: tuple[tuple[bool, ...], ...] | None = None
    emulator_pins: tuple[bool, ...] | None = None


def parse_description(domain: DomainDescription) -> ET.Element:
    """Return the root of a domain's description; raise HostError for invalid XML."""
    try:
        return ET.fromstring(domain.xml)
    except (ET.ParseError, ValueError) as error:  # a ValueError is a character that no encoding has
        raise HostError(
            _("libvirt's description of {domain!r} is no XML: {error}").format(domain=domain.name[:100], error=error),
            hint=_("Look at it with 'virsh dumpxml'."),
        ) from error


class LiveParameters(msgspec.Struct, frozen=True):
    """Live parameters of a domain.

    Attributes:
        gone: True when the domain does not run, without live parameters.
        migrated: True when the domain moved to another host, with its parameters.
        params: Values by libvirt's names.
    """

    gone: bool = False
    migrated: bool = False
    params: dict[str, int] = {}


class VcpuCounts(msgspec.Struct, frozen=True):
    """The vCPUs of a running domain.

    Attributes:
        gone: True when the domain does not run.
        migrated: True when the domain moved to another host.
        online: Present number of vCPUs; 0 where unknown.
        most: Highest possible number of vCPUs; 0 where unknown.
        least: Number of vCPUs that cannot be unplugged.
    """

    gone: bool = False
    migrated: bool = False
    online: int = 0
    most: int = 0
    least: int = 1


class SetAnswer(msgspec.Struct, frozen=True):
    """Answer of a set; `gone` is True when the domain does not run."""

    gone: bool = False


class DomainCounters(msgspec.Struct, frozen=True):
    """Counters of a running domain.

    Attributes:
        gone: True when the domain does not run.
        number: Current number of the domain.
        condition: Reason why the vCPUs do not run, for example `crashed`; empty while they run.
        cpu_ns: CPU time of the domain and of all threads that work for the domain.
        system_ns: The part of `cpu_ns` in the host's kernel.
        vcpu_ns: CPU time of the vCPUs; 0 where unknown.
        memory_kib: Memory in use.
        in_bytes: Bytes received by the network cards.
        out_bytes: Bytes sent by the network cards.
    """

    gone: bool = False
    number: int = -1
    condition: str = ""
    cpu_ns: int = 0
    system_ns: int = 0
    vcpu_ns: int = 0
    memory_kib: int = 0
    in_bytes: int = 0
    out_bytes: int = 0
