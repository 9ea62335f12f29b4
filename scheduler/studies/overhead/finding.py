"""From the visits of an overhead study to what it found."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scheduler.errors import SpecError
from scheduler.model.cold import is_cold
from scheduler.model.documents import VisitDone
from scheduler.model.facts import HostFacts
from scheduler.model.findings import Cause, OverheadFinding, Slowdown
from scheduler.model.results import Point
from scheduler.model.setting import how_of
from scheduler.model.spec import RunSpec
from scheduler.model.words import load_title
from scheduler.studies.overhead import words
from scheduler.studies.overhead.causes import CHANGES, FAULT_RATE, Causes, causes_of
from scheduler.studies.overhead.costs import Cost, costs_of, times_of
from scheduler.studies.overhead.slowdown import Comparison, compared
from scheduler.studies.overhead.slowdown import Slowdown as Slower

NOTHING = "No answer: no block has both the base and another side."

_LIMITS = (
    "Intervals are Student's t over blocks, in each of which every side was measured once; a slowdown whose interval "
    "holds 0 is below the noise of so many blocks. Each is of one item: of many, one in twenty misses.",
)
_SAME = (
    "Both sides use the same server and the same rows, {memory}; only the way to it and its limits differ. What a "
    "hypervisor does to memory and interrupts is not in it."
)
_TWO = (
    "Base and other sides are two servers of one major version with the same rows and settings, {memory}; what else "
    "differs between them (CPU, disk, kernel, distance) is in it."
)
_MS_PER_S = 1_000.0


class _Side(NamedTuple):
    """One load on one side, compared with the base."""

    load: str
    comparison: Comparison
    causes: Causes


def finding_of(
    visits: Sequence[VisitDone], points: Sequence[Point], spec: RunSpec, facts: HostFacts | None = None
) -> OverheadFinding:
    """Return what the visits found so far; deterministic.

    Args:
        visits: All visits, invalid ones included.
        points: Their points.
        spec: The plan.
        facts: The host as found; nothing of it is needed.
    """
    del points, facts
    base = next((setting.label for setting in spec.settings if how_of(setting).base), "")
    others = [setting.label for setting in spec.settings if setting.label != base]
    found = [side for load in spec.loads for other in others if (side := _side(visits, load.kind, base, other))]
    several = len(spec.loads) > 1
    wholes = [(side, side.comparison.geometric) for side in found]
    return OverheadFinding(
        headline=words.in_short([(_where(side, several), whole) for side, whole in wholes if whole]) or NOTHING,
        overall=tuple(_told(side.load, side.comparison, whole) for side, whole in wholes if whole),
        totals=tuple(
            _told(side.load, side.comparison, side.comparison.total) for side in found if side.comparison.total
        ),
        items=tuple(_told(side.load, side.comparison, item) for side in found for item in side.comparison.items),
        causes=tuple(cause for side in found for cause in _causes(side)),
        reasons=tuple(f"{_prefix(side, several)}{sentence}" for side in found for sentence in _sentences(side)),
        limits=_limits(spec) if found else (),
    )


def _limits(spec: RunSpec) -> tuple[str, ...]:
    cold = any(is_cold(load) for load in spec.loads)
    memory = "read anew from the disk for each query" if cold else "in memory where they fit"
    return (*_LIMITS, (_TWO if spec.base else _SAME).format(memory=memory))


def _side(visits: Sequence[VisitDone], load: str, base: str, other: str) -> _Side | None:
    """Return the comparison; None where no block has both."""
    costs = {side: _blocks(visits, load, side) for side in (base, other)}
    try:
        comparison = compared(times_of(costs), base, other)
    except SpecError:
        return None
    return _Side(load, comparison, causes_of(costs, comparison))


def _blocks(visits: Sequence[VisitDone], load: str, side: str) -> Mapping[int, Mapping[str, Cost]]:
    """Return block to item to its cost, of the valid visits to a side."""
    there = [each for each in visits if each.valid and each.load == load and each.setting is not None]
    found = {each.block: _items(each) for each in there if each.setting and each.setting.label == side}
    return {block: items for block, items in found.items() if items}


def _items(visit: VisitDone) -> Mapping[str, Cost]:
    """Return what a visit's parts cost; of a load without parts, what one operation took as its rate says."""
    parts = costs_of(visit.figures)
    if parts or visit.mean_tps <= 0:
        return parts
    return {load_title(visit.load): Cost(time_s=1 / visit.mean_tps)}


def _told(load: str, comparison: Comparison, found: Slower) -> Slowdown:
    added = found.added_ci95_s
    return Slowdown(
        load=load,
        side=comparison.other,
        item=found.item,
        base_ms=_MS_PER_S * found.base_s,
        side_ms=_MS_PER_S * found.other_s,
        slowdown_frac=found.slower_frac,
        ci95_frac=found.ci95_frac,
        blocks=found.blocks,
        added_ci95_ms=(_MS_PER_S * added[0], _MS_PER_S * added[1]) if added else None,
        smallest_frac=found.smallest_frac,
    )


def _causes(side: _Side) -> list[Cause]:
    """Return where the added time went, then which counters go with the slowdown from item to item."""
    parts = [
        Cause(
            load=side.load,
            side=side.comparison.other,
            counter=part.name,
            added_frac=part.added_frac,
            added_ci95_frac=part.added_ci95_frac,
        )
        for part in side.causes.parts
    ]
    return [*parts, *_correlated(side)]


def _correlated(side: _Side) -> list[Cause]:
    units = {name: unit for name, (unit, _) in CHANGES.items()} | {FAULT_RATE: "per second"}
    known = [(name, found) for name, found in side.causes.correlations.items() if found is not None]
    return [
        Cause(
            load=side.load,
            side=side.comparison.other,
            counter=name,
            unit=units[name],
            correlation=found.r,
            correlation_ci=found.interval,
            claimed=name in side.causes.claimed,
        )
        for name, found in known
    ]


def _sentences(side: _Side) -> tuple[str, ...]:
    said = (*words.headline(side.comparison), *words.explained(side.causes, side.comparison))
    return tuple(sentence for sentence in said if sentence)


def _where(side: _Side, several: bool) -> str:  # noqa: FBT001 - private
    name = side.comparison.other
    return f"{name} under {load_title(side.load)}" if several else name


def _prefix(side: _Side, several: bool) -> str:  # noqa: FBT001 - private
    return f"{load_title(side.load)}, " if several else ""
