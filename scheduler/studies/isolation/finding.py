"""From the visits of an isolation study to what it found."""

from collections.abc import Sequence

from scheduler.model.documents import VisitDone
from scheduler.model.facts import HostFacts
from scheduler.model.neighbours import IsolationFinding
from scheduler.model.results import Point
from scheduler.model.spec import RunSpec
from scheduler.studies.isolation import words
from scheduler.studies.isolation.costs import blocks_of, cells_of, cost_of


def finding_of(
    visits: Sequence[VisitDone], points: Sequence[Point], spec: RunSpec, facts: HostFacts | None = None
) -> IsolationFinding:
    """Return what the visits found so far; deterministic.

    Args:
        visits: All visits, invalid ones included.
        points: Their points.
        spec: The plan.
        facts: The host as found; it tells where the users ran.
    """
    del points
    blocks = blocks_of(visits)
    every = (
        cost_of(blocks, cell, guest, load)
        for cell in cells_of(spec.settings)
        for guest, load in spec.guest_loads.items()
    )
    costs = tuple(cost for cost in every if cost is not None)
    return IsolationFinding(
        headline=words.headline(costs),
        costs=costs,
        reasons=tuple(line for cost in costs for line in words.lines(cost)),
        advice=tuple(words.advice(costs)),
        limits=tuple(words.limits(costs, facts)),
    )
