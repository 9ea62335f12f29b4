"""Other guests on the CPUs of a sweep, left there or kept away while it runs."""

from collections.abc import Sequence

import msgspec

from scheduler.model.number_texts import format_cpus
from scheduler.model.placement import CpuMask, PlacementParams, format_mask, group_vcpus, other_place
from scheduler.model.sentence_texts import format_cpu_list, join_names, list_names
from scheduler.model.split import DomainId
from scheduler.translation import _, ngettext

LEAVE, AWAY = "leave", "away"
MOST_AWAY = 64
"""Largest number of guests that are kept away; the guard takes at most 64 KiB of restore commands."""
_MOST_NAMED = 3


class OtherGuest(msgspec.Struct, frozen=True):
    """One running guest that is no domain of the sweep.

    Attributes:
        name: The host's name of the guest.
        uuid: Its identity over reboots.
        cpus: Physical CPUs that it may run on.
        used_cpus: CPUs that it used before the sweep, >= 0.
        away: True when the sweep keeps it off the shared CPUs.
        vcpus: Hard affinity of each vCPU before the sweep; an empty mask is every CPU.
    """

    name: str
    uuid: str
    cpus: CpuMask
    used_cpus: float = 0.0
    away: bool = False
    vcpus: tuple[CpuMask, ...] = ()

    @property
    def slot(self) -> DomainId:
        """The pseudo domain for its placement."""
        return other_place(self.uuid)


class KeptAway(msgspec.Struct, frozen=True):
    """Guests that a sweep keeps off its CPUs.

    Attributes:
        slots: Placement slots of the guests.
        cpus: CPUs that remain for them, ascending.
    """

    slots: tuple[DomainId, ...] = ()
    cpus: CpuMask = ()


NONE_AWAY = KeptAway()


def find_competing(others: Sequence[OtherGuest], cpus: CpuMask) -> list[OtherGuest]:
    """Return the other guests that may run on some of the CPUs, the busiest first.

    Args:
        others: All other guests of the host.
        cpus: The CPUs of the sweep.
    """
    here = (guest for guest in others if not set(cpus).isdisjoint(guest.cpus))
    return sorted(here, key=lambda guest: (-guest.used_cpus, guest.name))


def describe_others(others: Sequence[OtherGuest], cpus: CpuMask) -> str:
    """Return the guests on the CPUs of a sweep as a clause, each with its load.

    Empty where no other guest may run there.

    Args:
        others: All other guests of the host.
        cpus: The CPUs of the sweep.
    """
    found = find_competing(others, cpus)
    moved = [guest for guest in found if guest.away]
    stays = [guest for guest in found if not guest.away]
    clauses: list[str] = []
    if moved:
        text = ngettext("{guests} is kept off these CPUs", "{guests} are kept off these CPUs", len(moved))
        clauses.append(text.format(guests=_name_guests(moved)))
    if stays:
        text = ngettext("{guests} also runs there", "{guests} also run there", len(stays))
        clauses.append(text.format(guests=_name_guests(stays)))
    return ", and ".join(clauses)


def describe_measured_away(others: Sequence[OtherGuest], cpus: CpuMask, rest: CpuMask) -> str:
    """Return a sentence on the guests that a sweep kept away; empty for none.

    Args:
        others: All other guests of the host, as the sweep recorded them.
        cpus: The shared CPUs of the sweep.
        rest: CPUs that remained for these guests.
    """
    names = list_names(guest.name for guest in others if guest.away)
    if not names:
        return ""
    return _("This split was measured without other guests on CPU {cpus}: the sweep kept {names} on CPU {rest}").format(
        cpus=format_cpu_list(cpus), names=names, rest=format_cpu_list(rest)
    )


def list_measured_pins(guest: OtherGuest, rest: CpuMask) -> dict[str, tuple[str, str]]:
    """Return names of vCPUs to their CPUs during and before the sweep, as text.

    Args:
        guest: A guest that the sweep kept away.
        rest: CPUs that remained for it.
    """
    before = PlacementParams(guest.vcpus or (guest.cpus,))
    pairs = zip(before.reduced_to(rest).vcpus, before.vcpus, strict=True)
    return group_vcpus([(format_mask(during), format_mask(found)) for during, found in pairs])


def _name_guests(guests: Sequence[OtherGuest]) -> str:
    named = [f"{guest.name} ({format_cpus(guest.used_cpus)})" for guest in guests]
    if len(named) <= _MOST_NAMED + 1:
        return join_names(named)
    rest = guests[_MOST_NAMED:]
    used = format_cpus(sum(guest.used_cpus for guest in rest))
    return _("{named} and {count} more ({used} together)").format(
        named=", ".join(named[:_MOST_NAMED]), count=len(rest), used=used
    )
