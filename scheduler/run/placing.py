"""Order of placements, so that the I/O domain always has the CPUs that it needs."""

from collections.abc import Iterator, Mapping

from scheduler.errors import DomainGone, PlacementChanged
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import IO, DomainId
from scheduler.translation import _

_IO_PLACE = PLACE_SLOTS[IO]
_EVERY_CPU = 1 << 12  # CPUs of a vCPU that may run on every CPU; more than any host has

Placements = Mapping[DomainId, PlacementParams]
"""Placement slot to the placement of its domain."""


def list_placement_steps(now: Placements, wanted: Placements) -> Iterator[tuple[DomainId, PlacementParams]]:
    """Yield the writes from one placement to another.

    Writes that change nothing are left out. The I/O domain first gets its old and its new CPUs together, and gives up
    the old ones last. So it never waits for CPUs that a guest still has to leave.

    Args:
        now: Present placements.
        wanted: Placements to set, of the same slots.
    """
    present = dict(now)
    if _IO_PLACE in wanted:
        old, new = now[_IO_PLACE], wanted[_IO_PLACE]
        both = old.joined(new)
        if both.vcpus not in (old.vcpus, new.vcpus):
            present[_IO_PLACE] = both
            yield _IO_PLACE, both
    for slot in sorted(wanted, key=lambda each: each == _IO_PLACE):
        if present[slot] != wanted[slot]:
            yield slot, wanted[slot]


def sort_by_width(originals: Mapping[DomainId, SchedParams | None]) -> dict[DomainId, SchedParams | None]:
    """Return originals with the placements last, the widest first."""
    return dict(sorted(originals.items(), key=lambda each: _restore_rank(each[1])))


def _restore_rank(original: SchedParams | None) -> tuple[bool, int]:
    if not isinstance(original, PlacementParams):
        return False, 0
    return True, -original.width(_EVERY_CPU)


def check_vcpu_counts(slot: DomainId, now: SchedParams | None, wanted: PlacementParams) -> PlacementParams:
    """Return the present placement of a domain that still has its vCPUs.

    Args:
        slot: Placement slot of the domain.
        now: Its present placement; None when the domain does not exist.
        wanted: Placement to set.

    Raises:
        DomainGone: The domain does not exist.
        PlacementChanged: The domain has another number of vCPUs.
    """
    if not isinstance(now, PlacementParams):
        raise DomainGone(
            _("{slot}: the domain is not there any more").format(slot=slot),
            hint=_("It ended, or was restarted or migrated."),
        )
    if len(now.vcpus) != len(wanted.vcpus):
        raise placement_changed_error(slot, wanted, now)
    return now


def placement_changed_error(slot: DomainId, wanted: PlacementParams, got: SchedParams | None) -> PlacementChanged:
    """Return the error that names the placement of this sweep and the present one.

    Args:
        slot: Placement slot of the domain.
        wanted: Placement of this sweep.
        got: Present placement; None when the domain does not exist.
    """
    if isinstance(got, PlacementParams) and len(got.vcpus) != len(wanted.vcpus):
        return PlacementChanged(
            _(
                "{slot}: the domain has {count} vCPUs now and had {count_2}: another program changed "
                "their number, or restarted the domain"
            ).format(slot=slot, count=len(got.vcpus), count_2=len(wanted.vcpus)),
            hint=_("Do not change the number of vCPUs during a sweep."),
        )
    reads = _("nothing: the domain does not exist") if got is None else got.words
    return PlacementChanged(
        _("{slot}: this sweep set {words}, but it reads {reads} now: another program placed the domain").format(
            slot=slot, words=wanted.words, reads=reads
        ),
        hint=_("The trial is discarded. Stop what places the domain: a management tool, a hook or a cron job."),
    )
