"""Placement of domains: the physical CPUs on which their vCPUs may run."""

from collections.abc import Mapping

import msgspec

from scheduler.model.sentence_texts import format_cpu_list
from scheduler.model.split import GUEST, GUEST_2, IO, DomainId

CpuMask = tuple[int, ...]
"""Numbers of physical CPUs, ascending; empty for every CPU."""

PLACE_SLOTS: Mapping[DomainId, DomainId] = {
    IO: DomainId("io-place"),
    GUEST: DomainId("guest-place"),
    GUEST_2: DomainId("guest-2-place"),
}
"""Role to the pseudo domain for its placement, in reads, writes, undo records and documents."""


class PlacementParams(msgspec.Struct, frozen=True, tag_field="dialect", tag="placement"):
    """CPUs on which one domain may run.

    Attributes:
        vcpus: Hard affinity by the vCPU's number, offline vCPUs included. A control group has one entry.
        soft: Soft affinity by the vCPU's number; empty where the host has none.
        emulator: CPUs of the emulator's threads; None where the host has none.
        iothreads: I/O thread's number to its CPUs.
    """

    vcpus: tuple[CpuMask, ...]
    soft: tuple[CpuMask, ...] = ()
    emulator: CpuMask | None = None
    iothreads: tuple[tuple[int, CpuMask], ...] = ()

    @property
    def words(self) -> str:
        """The placement as text for people, one text where all vCPUs have the same CPUs."""
        return "; ".join(f"{name} on {value}" for name, value in self.rows.items())

    @property
    def rows(self) -> dict[str, str]:
        """Parameter name to its value as text for people."""
        texts = [format_mask(mask) for mask in self.vcpus]
        rows = {f"vCPU {number}": text for number, text in enumerate(texts)}
        if len(texts) > 1 and len(set(texts)) == 1:
            rows = {"vCPUs": texts[0]}
        if any(self.soft):
            rows["soft affinity"] = "; ".join(map(format_mask, dict.fromkeys(self.soft)))
        if self.emulator is not None:
            rows["emulator"] = format_mask(self.emulator)
        return rows | {f"I/O thread {number}": format_mask(mask) for number, mask in self.iothreads}


class HostCpu(msgspec.Struct, frozen=True):
    """One physical CPU, as the host numbers it: a hardware thread.

    Attributes:
        number: Its number, from 0.
        core: Number of its core, unique on the host.
        socket: Number of its socket.
        node: Number of its NUMA node.
        busy_frac: Part of the time in which it ran something, 0..1; None where the host does not report it.
    """

    number: int
    core: int
    socket: int = 0
    node: int = 0
    busy_frac: float | None = None


class PlacementSupport(msgspec.Struct, frozen=True):
    """Support of a host for placing domains during a sweep.

    Attributes:
        possible: True when DomTune can confine the domains, and restore their placement.
        choices: CPUs open to all domains of the sweep: online, and in the pool of each domain; ascending.
        why: Reason why it is not possible, for people.
        hint: Advice; may be empty.
    """

    possible: bool = False
    choices: tuple[int, ...] = ()
    why: str = "DomTune cannot place domains on such a host"
    hint: str = ""


def format_mask(mask: CpuMask) -> str:
    """Return a mask as text: `CPU 0-3`, or `any CPU`."""
    return f"CPU {format_cpu_list(mask)}" if mask else "any CPU"
