"""Finding of an isolation study from its trials."""

from collections.abc import Sequence

from scheduler.model.documents import TrialDone
from scheduler.model.host_properties import HostProperties
from scheduler.model.results import MeasuredPoint
from scheduler.model.spec import RunSpec
from scheduler.stats.study_answer import FindingAnswers
from scheduler.studies.isolation import isolation_texts
from scheduler.studies.isolation.declaration import IsolationFinding
from scheduler.studies.isolation.isolation_costs import group_blocks, isolation_cost, split_modes


def finding_of(
    trials: Sequence[TrialDone], points: Sequence[MeasuredPoint], spec: RunSpec, facts: HostProperties | None = None
) -> IsolationFinding:
    """Return the finding so far; deterministic.

    Args:
        trials: All trials, invalid ones included.
        points: Ignored.
        spec: The plan.
        facts: Host properties at the start, with the CPUs of the users; None where they are not known.
    """
    del points
    blocks = group_blocks(trials)
    every = (
        isolation_cost(blocks, cell, guest, load)
        for cell in split_modes(spec.settings)
        for guest, load in spec.guest_loads.items()
    )
    costs = tuple(cost for cost in every if cost is not None)
    return IsolationFinding(
        headline=isolation_texts.isolation_headline(costs),
        costs=costs,
        reasons=tuple(line for cost in costs for line in isolation_texts.cost_sentences(cost)),
        advice=tuple(isolation_texts.isolation_advice(costs)),
        limits=tuple(isolation_texts.validity_sentences(costs, facts)),
    )


ANSWERS = FindingAnswers(finding_of)
