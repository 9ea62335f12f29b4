"""From the visits of an overhead study to what it found."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from scheduler.model.documents import VisitDone
from scheduler.model.findings import Cause, OverheadFinding, Slowdown
from scheduler.model.results import Point
from scheduler.model.setting import how_of
from scheduler.model.spec import RunSpec
from scheduler.studies.overhead import words
from scheduler.studies.overhead.causes import causes_of
from scheduler.studies.overhead.seen import blocks_of
from scheduler.studies.overhead.slowdown import by_item, overall

_LIMITS = (
    "Intervals are Student's t over blocks, in each of which every side was visited once; a slowdown whose interval "
    "holds 0 is below the noise of so many blocks. They are of one query each: of many, one in twenty misses.",
    "Both sides use the same server and the same rows, in memory where they fit; only the way to it and its limits "
    "differ. What a hypervisor does to memory and interrupts is not in it.",
)


class _Side(NamedTuple):
    whole: Slowdown | None
    items: list[Slowdown]
    causes: list[Cause]


def finding_of(visits: Sequence[VisitDone], points: Sequence[Point], spec: RunSpec) -> OverheadFinding:
    """Return what the visits found so far; deterministic.

    Args:
        visits: All visits, invalid ones included.
        points: Their points.
        spec: The plan.
    """
    del points
    base = next((setting.label for setting in spec.settings if how_of(setting).base), "")
    sides = [setting.label for setting in spec.settings if setting.label != base]
    found = [_side(visits, load.kind, base, side) for load in spec.loads for side in sides]
    wholes = tuple(each.whole for each in found if each.whole)
    return OverheadFinding(
        headline=words.headline(wholes),
        overall=wholes,
        items=tuple(item for each in found for item in each.items),
        causes=tuple(cause for each in found for cause in each.causes),
        reasons=tuple(sentence for each in found for sentence in _sentences(each)),
        limits=_LIMITS if wholes else (),
    )


def _side(visits: Sequence[VisitDone], load: str, base: str, side: str) -> _Side:
    ours, theirs = blocks_of(visits, load, base), blocks_of(visits, load, side)
    pair = (load, side, ours, theirs)
    return _Side(overall(*pair), by_item(*pair), causes_of(*pair))


def _sentences(side: _Side) -> list[str]:
    if not side.items:
        return []
    name = side.items[0].side
    before, after = (math.fsum(values) for values in zip(*((i.base_ms, i.side_ms) for i in side.items), strict=True))
    said = (
        words.of_items(name, side.items),
        words.of_parts(side.causes, after / before - 1),
        words.of_correlations(side.causes),
    )
    return [sentence for sentence in said if sentence]
