"""Placement of domains: the physical CPUs on which their vCPUs may run."""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import TypeVar

import msgspec

from scheduler.errors import SpecError
from scheduler.model.sentence_texts import domain_title, encode_cpu_list, format_cpu_list
from scheduler.model.split import GUEST, GUEST_2, IO, MAX_RATIO, DomainId, Split
from scheduler.translation import _, ngettext

_Value = TypeVar("_Value", bound=Hashable)

CpuMask = tuple[int, ...]
"""Numbers of physical CPUs, ascending; empty for every CPU."""

PLACE_SLOTS: Mapping[DomainId, DomainId] = {
    IO: DomainId("io-place"),
    GUEST: DomainId("guest-place"),
    GUEST_2: DomainId("guest-2-place"),
}
"""Role to the pseudo domain for its placement, in reads, writes, undo records and documents."""
_OTHER_PLACE = "other-place-"


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

    def confined_to(self, mask: CpuMask) -> "PlacementParams":
        """Return the same vCPUs and threads on other CPUs; soft affinity stays.

        Args:
            mask: The CPUs; empty for every CPU.
        """
        return PlacementParams(
            vcpus=(mask,) * len(self.vcpus),
            soft=self.soft,
            emulator=None if self.emulator is None else mask,
            iothreads=tuple((number, mask) for number, _ in self.iothreads),
        )

    def reduced_to(self, cpus: CpuMask) -> "PlacementParams":
        """Return the same vCPUs with the hard affinity that lies in `cpus`.

        A vCPU without any of them gets all of them.

        Args:
            cpus: The CPUs, ascending; at least one.
        """
        masks = (tuple(cpu for cpu in cpus if not mask or cpu in mask) or cpus for mask in self.vcpus)
        return msgspec.structs.replace(self, vcpus=tuple(masks))

    def joined(self, other: "PlacementParams") -> "PlacementParams":
        """Return `other` with the hard affinity of both, vCPU by vCPU.

        Args:
            other: Placement of the same domain, with as many vCPUs.
        """
        pairs = zip(self.vcpus, other.vcpus, strict=True)
        both = tuple(tuple(sorted({*one, *two})) if one and two else () for one, two in pairs)
        return msgspec.structs.replace(other, vcpus=both)

    def width(self, cpus: int) -> int:
        """Return the number of CPUs of all vCPUs together, each counted by itself.

        Args:
            cpus: Number of CPUs of a vCPU that may run on every CPU.
        """
        return sum(len(mask) or cpus for mask in self.vcpus)

    @property
    def words(self) -> str:
        """The placement as text for people, one text where all vCPUs have the same CPUs."""
        return "; ".join(_("{name} on {value}").format(name=name, value=value) for name, value in self.rows.items())

    @property
    def rows(self) -> dict[str, str]:
        """Parameter name to its value as text; vCPUs with the same CPUs in one row."""
        return group_vcpus([format_mask(mask) for mask in self.vcpus]) | self.other_rows

    @property
    def other_rows(self) -> dict[str, str]:
        """The rows of everything but the vCPUs' hard affinity."""
        rows = dict[str, str]()
        if any(self.soft):
            rows["soft affinity"] = "; ".join(map(format_mask, dict.fromkeys(self.soft)))
        if self.emulator is not None:
            rows["emulator"] = format_mask(self.emulator)
        return rows | {
            _("I/O thread {number}").format(number=number): format_mask(mask) for number, mask in self.iothreads
        }


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
        moves_others: True when DomTune can keep other guests off the CPUs of a sweep, and restore them.
    """

    possible: bool = False
    choices: tuple[int, ...] = ()
    why: str = _("DomTune cannot place domains on such a host")
    hint: str = ""
    moves_others: bool = False


def other_place(uuid: str) -> DomainId:
    """Return the placement slot of a guest that is no domain of the sweep."""
    return DomainId(f"{_OTHER_PLACE}{uuid}")


def is_other_place(slot: DomainId) -> bool:
    """Return True for the placement slot of a guest that is no domain of the sweep."""
    return slot.startswith(_OTHER_PLACE)


def is_place(slot: DomainId) -> bool:
    """Return True for a placement slot."""
    return slot in PLACE_SLOTS.values() or is_other_place(slot)


def group_vcpus(values: Sequence[_Value]) -> dict[str, _Value]:
    """Return names of vCPUs with equal values, as `vCPUs` or `vCPU 0-3`, to the value.

    Args:
        values: One value per vCPU, by its number.
    """
    numbers: dict[_Value, list[int]] = {}
    for number, value in enumerate(values):
        numbers.setdefault(value, []).append(number)
    if len(values) > 1 and len(numbers) == 1:
        return {"vCPUs": values[0]}
    return {f"vCPU {format_cpu_list(those)}": value for value, those in numbers.items()}


def format_mask(mask: CpuMask) -> str:
    """Return a mask as text with all CPUs: `CPU 0-3`, or `any CPU`."""
    return f"CPU {encode_cpu_list(mask, ', ')}" if mask else _("any CPU")


def divide_cpus(cpus: CpuMask, split: Split) -> dict[DomainId, CpuMask]:
    """Return each domain's own CPUs: the I/O domain's are the first ones.

    Args:
        cpus: The shared CPUs, ascending.
        split: The split; each share of the CPUs is a whole number, at least 1.

    Raises:
        SpecError: A share is not a whole number of CPUs. The message names splits that are.
    """
    parts, first = dict[DomainId, CpuMask](), 0
    for domain, number in count_whole_cpus(len(cpus), split).items():
        parts[domain] = cpus[first : first + number]
        first += number
    return parts


def count_whole_cpus(cpus: int, split: Split) -> dict[DomainId, int]:
    """Return the number of whole CPUs of each domain; raise SpecError.

    Args:
        cpus: Number of shared CPUs, >= 1.
        split: The split.
    """
    amounts = {role: Fraction(str(split.parts[role])) for role in split.roles}
    total = sum(amounts.values())
    found = {role: amount * cpus / total for role, amount in amounts.items()}
    if cpus < len(found):
        problem = ngettext(
            "{n} shared CPU cannot be divided into whole CPUs for {domains} domains",
            "{n} shared CPUs cannot be divided into whole CPUs for {domains} domains",
            cpus,
        ).format(n=cpus, domains=len(found))
        raise SpecError("cpus", problem, hint=_('Share more CPUs, or use mode = "caps".'))
    for role, number in found.items():
        if number.denominator != 1:
            problem = _("{label} gives {domain} {number:.3g} of {cpus} CPUs, not whole CPUs").format(
                label=split.label, domain=domain_title(role), number=float(number), cpus=cpus
            )
            examples = " or ".join(preset_dedicated_splits(cpus)[:2])
            hint = (
                _("Write for example {examples}.").format(examples=examples)
                if len(found) == 2
                else _("Choose parts that add up to the CPUs.")
            )
            raise SpecError("splits", problem, hint=hint)
    return {role: int(number) for role, number in found.items()}


MOST_PRESETS = 7
"""Largest number of preset splits into whole CPUs; with more CPUs, some numbers are left out."""


def preset_dedicated_splits(cpus: int) -> tuple[str, ...]:
    """Return the labels of preset splits into whole CPUs: `1:3`, `2:2`, `3:1`.

    Up to 8 CPUs every number for the I/O domain is included. Beyond, numbers are spread by their ratio, from 1 to all
    CPUs but one. No split is more uneven than 1:100.

    Args:
        cpus: Number of shared CPUs, >= 2.
    """
    numbers = range(1, cpus)
    if len(numbers) > MOST_PRESETS:
        halves = [cpus >> step for step in range(1, MOST_PRESETS // 2 + 1)]
        least = ceil(cpus / (MAX_RATIO + 1))
        numbers = sorted({least, *halves, *(cpus - half for half in halves)})
    return tuple(f"{number}:{cpus - number}" for number in numbers)
