"""What a visit of an overhead study says: how long each item took, and what it used meanwhile."""

import re
from collections.abc import Mapping, Sequence

from scheduler.model.documents import VisitDone
from scheduler.model.words import load_title

TIME = "time"

_NAMED = re.compile(r"(\S+) (.+)")

Counters = Mapping[str, tuple[float, str]]
"""Name of a counter to its value and unit; `time` is among them, in milliseconds."""

Block = Mapping[str, Counters]
"""Item to its counters, of one visit."""


def block_of(visit: VisitDone) -> Block:
    """Return a visit's items: the parts that its load told figures of, else one operation as its rate says."""
    found: dict[str, dict[str, tuple[float, str]]] = {}
    for figure in visit.figures:
        named = _NAMED.fullmatch(figure.name)
        if named:
            found.setdefault(named[1], {})[named[2]] = (figure.value, figure.unit)
    items = {item: counters for item, counters in found.items() if counters.get(TIME, (0.0, ""))[0] > 0}
    if items:
        return items
    return {load_title(visit.load): {TIME: (1000 / visit.mean_tps, "ms")}} if visit.mean_tps > 0 else {}


def blocks_of(visits: Sequence[VisitDone], load: str, side: str) -> dict[int, Block]:
    """Return block to what its valid visit to a side said, under one load."""
    there = [each for each in visits if each.load == load and each.setting is not None and each.valid]
    return {each.block: block_of(each) for each in there if each.setting and each.setting.label == side}
