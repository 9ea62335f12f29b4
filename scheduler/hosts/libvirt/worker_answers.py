"""What the worker answers, as types; `gone` stands for a domain that does not run here."""

import xml.etree.ElementTree as ET

import msgspec

from scheduler.errors import HostError


class ListedDomain(msgspec.Struct, frozen=True):
    """One domain of the host: its UUID, its name, whether it runs."""

    uuid: str
    name: str
    active: bool


class DomainDescription(msgspec.Struct, frozen=True):
    """A running domain.

    Attributes:
        gone: True when it does not run; the rest is then empty.
        name: What the host calls it now.
        number: Its number while it runs; another one after a new start.
        condition: Why its vCPUs do not run, for example `paused`; empty while they do.
        vcpus: Number of virtual CPUs.
        scheduler: Libvirt's name of its scheduler: `posix`, `credit`, `credit2`, `fair`.
        xml: Its description.
        vcpu_pins: Per vCPU, per physical CPU, whether it may run there; None where the driver does not say.
        emulator_pins: Likewise for the emulator.
    """

    gone: bool = False
    name: str = ""
    number: int = -1
    condition: str = ""
    vcpus: int = 0
    scheduler: str = ""
    xml: str = ""
    vcpu_pins: tuple[tuple[bool, ...], ...] | None = None
    emulator_pins: tuple[bool, ...] | None = None


def parse_description(domain: DomainDescription) -> ET.Element:
    """Return the root of a domain's description; raises HostError where it is no XML."""
    try:
        return ET.fromstring(domain.xml)
    except (ET.ParseError, ValueError) as error:  # a ValueError is a character that no encoding has
        raise HostError(
            f"libvirt's description of {domain.name[:100]!r} is no XML: {error}",
            hint="Look at it with 'virsh dumpxml'.",
        ) from error


class LiveParameters(msgspec.Struct, frozen=True):
    """Live parameters.

    Attributes:
        gone: True when the domain does not run; there are no live parameters then.
        migrated: True when it went to another host, with its parameters.
        params: Libvirt's names to values.
    """

    gone: bool = False
    migrated: bool = False
    params: dict[str, int] = {}


class VcpuCounts(msgspec.Struct, frozen=True):
    """The vCPUs of a running domain.

    Attributes:
        gone: True when it does not run.
        migrated: True when it went to another host.
        online: How many it has; 0 where the driver does not say.
        most: The most it can be given; 0 likewise.
        least: Those that cannot be taken away.
    """

    gone: bool = False
    migrated: bool = False
    online: int = 0
    most: int = 0
    least: int = 1


class SetAnswer(msgspec.Struct, frozen=True):
    """Answer of a set."""

    gone: bool = False


class DomainCounters(msgspec.Struct, frozen=True):
    """Counters of a running domain.

    Attributes:
        gone: True when it does not run.
        number: Its number while it runs.
        condition: Why its vCPUs do not run, for example `crashed`; empty while they do.
        cpu_ns: CPU time of the domain with everything that works for it.
        system_ns: The part of it in the host's kernel.
        vcpu_ns: CPU time of its vCPUs; 0 where the driver does not say.
        memory_kib: Memory in use.
        in_bytes: Bytes that its network cards received.
        out_bytes: Bytes that they sent.
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
