"""Test data: results whose decision is of a given kind, whatever their trials show."""

import msgspec

from scheduler.export.material import ExportMaterial
from scheduler.model.decision import DecisionKind, SweepDecision
from scheduler.model.results import Results
from tests.settings import split_at

HEADLINES = {
    DecisionKind.CHANGE: "Change to {split}: +9 % (5 to 13 %) over the original settings.",
    DecisionKind.STAY: "Keep the original settings: no split gains 2 % over the original settings (the best, {split}).",
    DecisionKind.NOT_YET: "Keep the original settings for now: {split} may gain up to 6 % or lose 2 %.",
    DecisionKind.UNKNOWN: "Best of the two: {split}. The gain of {split} over the original settings was not measured.",
}


def with_decision(results: Results, kind: DecisionKind, split: str = "1:2") -> Results:
    """Return results whose decision is of a kind and about a split; everything else stays.

    Args:
        results: Results of a split study.
        kind: Kind of the decision.
        split: Label of a split that was measured.
    """
    gain_frac = {DecisionKind.CHANGE: 0.09, DecisionKind.STAY: -0.01, DecisionKind.NOT_YET: 0.02}.get(kind)
    answer = msgspec.structs.replace(
        results.answer,
        setting=split_at(split),
        equivalent=(split_at(split),),
        headline=HEADLINES[kind].format(split=split),
        decision=SweepDecision(kind=kind, setting=split_at(split), gain_frac=gain_frac),
    )
    return msgspec.structs.replace(results, answer=answer)


def ordering(material: ExportMaterial, split: str = "1:2") -> ExportMaterial:
    """Return material whose decision orders a split."""
    results = material.results
    decision = SweepDecision(kind=DecisionKind.CHANGE, setting=split_at(split))
    answer = msgspec.structs.replace(
        results.answer, setting=split_at(split), equivalent=(split_at(split),), decision=decision
    )
    return msgspec.structs.replace(material, results=msgspec.structs.replace(results, answer=answer))
