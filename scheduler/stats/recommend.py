"""From visits to the recommendation.

What no weight changes is `Evidence`, made once per run: its cost grows with the visits. What is made from it for other
weights is fast enough (< 10 ms, however many visits) for every move of the weight slider.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.checks import check_weights
from scheduler.model.decision import Decision, DecisionKind
from scheduler.model.documents import VisitDone
from scheduler.model.history import History
from scheduler.model.objective import Objective
from scheduler.model.results import Point, Proposal, Recommendation, Verdict
from scheduler.model.setting import BASELINE
from scheduler.model.spec import RunSpec
from scheduler.model.split import Settable, any_split
from scheduler.stats import aims, reasons, unjudged
from scheduler.stats.agreement import Agreement, carry_history
from scheduler.stats.aims import gain_in
from scheduler.stats.between import Prospect, prospect
from scheduler.stats.calibration import calibration
from scheduler.stats.compare import Cells
from scheduler.stats.contention import loads_without_effect
from scheduler.stats.contest import contest, judged
from scheduler.stats.decide import LEAST_IDLE_PASSES, chances_of_worth, decide, rest_of_blocks, stay_without_effect
from scheduler.stats.effort import saved_frac, spent_s
from scheduler.stats.gain import Gain, paired_gains
from scheduler.stats.headline import headline
from scheduler.stats.history import history_sentence
from scheduler.stats.modes import TwoModes, modes_of
from scheduler.stats.odds import odds_of
from scheduler.stats.points import points_from
from scheduler.stats.reasons import Case
from scheduler.stats.regret import regret_table
from scheduler.stats.troubles import Troubles, troubles_of
from scheduler.stats.variates import steadied_cells
from scheduler.stats.verdict import Judgement, judge, loss_bound


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What the visits show, whatever the loads count.

    Attributes:
        spec: The sweep.
        points: (label, load) to point, baseline included.
        cells: Every usable trial, the original settings included, adjusted where that steadies them.
        troubles: What stood in the way of the visits.
        spent_s: Seconds of settling and measuring.
        cpus: Number of CPUs that the domains share.
        settable: Tells whether the host can be set to a split.
        history: The earlier run that the sweep begins with; None for none.
        agreement: The outcome of its check.
        modes: Loads whose trials run at two rates.
    """

    spec: RunSpec
    points: Mapping[tuple[str, str], Point]
    cells: Cells
    troubles: Troubles
    spent_s: float
    cpus: int = 1
    settable: Settable = any_split
    history: History | None = None
    agreement: Agreement = Agreement()
    modes: tuple[TwoModes, ...] = ()


def evidence_of(
    visits: Sequence[VisitDone],
    spec: RunSpec,
    *,
    cpus: int = 1,
    settable: Settable = any_split,
    history: History | None = None,
) -> Evidence:
    """Summarise all visits so far, invalid ones and baselines included; for the others see `Evidence`."""
    cells, agreement = carry_history(history, steadied_cells(visits, spec))
    return Evidence(
        spec=spec,
        points={(point.split, point.load): point for point in points_from(visits, mode=spec.mode, cpus=cpus)},
        cells=cells,
        troubles=troubles_of(visits),
        spent_s=spent_s(visits),
        cpus=cpus,
        settable=settable,
        history=history,
        agreement=agreement,
        modes=modes_of(visits),
    )


def recommend(
    visits: Sequence[VisitDone],
    spec: RunSpec,
    weights: Mapping[str, float] | None = None,
    history: History | None = None,
) -> Recommendation:
    """Return the split to use, or why none is named; deterministic, and blind to the order of the visits.

    Args:
        visits: All visits so far, invalid ones and baselines included.
        spec: The sweep that they belong to.
        weights: Load kind to weight, in place of the spec's objective.
        history: The earlier run that the sweep begins with; None for none.

    Raises:
        SpecError: The weights are negative, all zero, or name a load that the sweep does not have.
    """
    return weighed(evidence_of(visits, spec, history=history), weights)


def weighed(evidence: Evidence, weights: Mapping[str, float] | None = None) -> Recommendation:
    """Return what `recommend` returns, from the evidence; raises likewise."""
    spec, points = evidence.spec, evidence.points
    used = _weights(spec, weights)
    if spec.calibrates:
        return calibration(spec, tuple(points.values()), used, evidence.cpus)
    objective = _objective(spec, weights)
    idle = _idle(evidence, used)
    counted = _without(used, idle) if objective.weighs else used
    cells = judged(evidence.cells, counted)
    case = Case(
        spec=spec,
        objective=objective,
        weights=counted,
        points=points,
        cells=cells,
        unmeasured=_unmeasured(spec, used, points),
        failed=_failed(spec, used, points, cells.labels),
        troubles=evidence.troubles,
        spent_s=evidence.spent_s,
        idle=idle,
        history=history_sentence(evidence.history, evidence.agreement),
        modes=evidence.modes,
    )
    if not cells.labels:
        return _nothing(case)
    found = judge(cells, counted, points, objective=case.objective, certify=spec.certifies)
    found = reasons.hindered(case, found)
    answer = _answer(case, found, evidence)
    return msgspec.structs.replace(answer, weights=used) if objective.weighs else answer


def _answer(case: Case, found: Judgement, evidence: Evidence) -> Recommendation:
    best = found.against if not found.proven else contest(case.cells, case.weights, objective=case.objective)
    told = found.verdict is not Verdict.NONE and case.objective.weighs  # a parabola has neither kinks nor steps
    further = prospect(case.cells, best, evidence.settable) if told else Prospect()
    table = regret_table(case.cells, best)
    row = next(row for row in table if row.split == found.named)
    gain = gain_in(case.objective, row, evidence.cells, case.weights, _choices(found))
    decision = _decision(case, found, gain, evidence)
    possible = () if found.verdict is Verdict.NONE else found.against.possible
    runner_up = next((row.split for row in table if row.split not in found.members), "")
    odds = odds_of(found) if told else None
    said = reasons.sentences(case, found, gain, table, runner_up, odds)
    unseen = reasons.further(further, best.leader, looked=case.spec.protocol.refine)
    shown = {kind: case.points[found.named, kind] for kind in _kinds(case) if (found.named, kind) in case.points}
    return Recommendation(
        verdict=found.verdict,
        split=found.named,
        equivalent=found.members,
        confidence=1 - found.against.doubt if found.against.rivals else 0.0,
        needed_confidence=1 - found.against.allowed_doubt if found.against.rivals else 0.0,
        gain_frac=gain.frac if gain else None,
        gain_ci95_frac=gain.ci95_frac if gain else None,
        loss_bound_frac=loss_bound(found.against),
        best_prob=odds.best_prob if odds else None,
        expected_loss_frac=odds.expected_loss_frac if odds else None,
        saved_frac=None if found.verdict is Verdict.NONE else saved_frac(case.spec, case.spent_s),
        reasons=(*said.all, *unseen),
        means=said.means,
        limits=(*said.limits, *unseen),
        headline=headline(case, found, decision),
        expected_tps={kind: point.mean_tps for kind, point in shown.items() if point.mean_tps is not None},
        units=case.spec.units,
        ci95_tps={kind: point.ci95_tps for kind, point in shown.items() if point.ci95_tps is not None},
        runner_up=runner_up,
        possible=tuple(label for label in possible if label not in found.members),
        regret=table,
        indifference_frac=case.objective.indifference_frac,
        objective=case.objective,
        weights=case.weights if case.objective.weighs else {},
        proposal=_proposal(case, best.leader, further),
        decision=decision,
        history=case.history,
        proven=found.proven,
    )


def _choices(found: Judgement) -> int:
    """Return the number of splits that may be the best: the named one is among them, chosen for being ahead."""
    return 1 if found.verdict is not Verdict.NONE else 1 + len(found.against.possible)


def _decision(case: Case, found: Judgement, gain: Gain | None, evidence: Evidence) -> Decision:
    objective = case.objective
    gains = paired_gains(evidence.cells, case.weights) if objective.weighs else {}
    gains = {label: gains[label] for label in case.cells.labels if label in gains}
    decision = decide(
        found,
        gain,
        chances_of_worth(gains, objective.least_gain_frac, found.named),
        objective,
        rest=rest_of_blocks(case.spec),
        missing=_missing_gain(case),
    )
    without_effect = case.without_effect and found.against.passes >= LEAST_IDLE_PASSES
    return stay_without_effect(decision, case.without_effect) if without_effect else decision


def _missing_gain(case: Case) -> str:
    """Return why there is no gain over the original settings, as a clause; empty where the reason is not known."""
    if not case.spec.baseline:
        return "the plan leaves the baseline out"
    if aims.limit_broken(case.objective, case.points):
        return "the original settings break the limit"
    return "they have no valid trial under every load"


def _proposal(case: Case, leader: str, further: Prospect) -> Proposal | None:
    if not further.split:
        return None
    tps = {kind: (case.points[leader, kind].mean_tps or 0.0) * math.exp(log) for kind, log in further.log_tps.items()}
    return Proposal(split=further.split, gain_frac=further.gain_frac, between=further.between, expected_tps=tps)


def _nothing(case: Case) -> Recommendation:
    return Recommendation(
        verdict=Verdict.NONE,
        headline="No recommendation: no split was measured under every load.",
        reasons=reasons.without_evidence(case),
        objective=case.objective,
        weights=case.weights if case.objective.weighs else {},
        decision=Decision(
            kind=DecisionKind.UNKNOWN,
            purpose=case.objective.purpose,
            worth_frac=case.objective.least_gain_frac,
            missing="no split was measured under every load",
        ),
    )


def _objective(spec: RunSpec, weights: Mapping[str, float] | None) -> Objective:
    """Return the objective that decides: the plan's, or the weighted mean where a person moved the weights."""
    if weights is None:
        return spec.objective
    mine = spec.objective
    return Objective(indifference_frac=mine.indifference_frac, purpose=mine.purpose, worth_frac=mine.worth_frac)


def _weights(spec: RunSpec, weights: Mapping[str, float] | None) -> dict[str, float]:
    kinds = [load.name for load in spec.loads]
    if weights is None:
        return {kind: spec.weight_of(kind) for kind in kinds}
    check_weights(weights, set(kinds))
    raw = {kind: float(weights.get(kind, 0.0 if weights else 1.0)) for kind in kinds}
    return {kind: weight / sum(raw.values()) for kind, weight in raw.items()}


def _idle(evidence: Evidence, weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the loads that count and under which the weights of a share sweep decided little."""
    without = loads_without_effect(tuple(evidence.points.values()), evidence.spec.mode, evidence.cpus)
    return tuple(kind for kind in without if weights.get(kind, 0.0) > 0)


def _without(weights: Mapping[str, float], idle: Sequence[str]) -> dict[str, float]:
    """Return the weights of the others, normalised; all as they are where no other is left."""
    left = {kind: 0.0 if kind in idle else weight for kind, weight in weights.items()}
    total = sum(left.values())
    return {kind: weight / total for kind, weight in left.items()} if total > 0 else dict(weights)


def _kinds(case: Case) -> list[str]:
    return [load.name for load in case.spec.loads]


def _unmeasured(
    spec: RunSpec, weights: Mapping[str, float], points: Mapping[tuple[str, str], Point]
) -> tuple[str, ...]:
    wanted = [kind for kind, weight in weights.items() if weight > 0]
    left = _left(points)
    labels = [setting.label for setting in spec.settings if setting.label not in left]
    return tuple(label for label in labels if any((label, kind) not in points for kind in wanted))


def _left(points: Mapping[tuple[str, str], Point]) -> set[str]:
    """Return the splits that could not be held."""
    return {label for (label, _), point in points.items() if not point.held}


def _failed(
    spec: RunSpec,
    weights: Mapping[str, float],
    points: Mapping[tuple[str, str], Point],
    compared: Sequence[str],
) -> dict[str, str]:
    """Return label to the reason why it takes no part although it was visited under every load, or had to be left."""
    failed: dict[str, str] = {}
    left = _left(points)
    planned = (setting.label for setting in spec.settings)
    for label in dict.fromkeys([*planned, *(label for label, _ in points if label != BASELINE)]):
        seen = [points.get((label, kind)) for kind, weight in weights.items() if weight > 0]
        present = [point for point in seen if point is not None]
        if label in left:
            seen_at_all = [points[label, load.name] for load in spec.loads if (label, load.name) in points]
            failed[label] = unjudged.why_left(seen_at_all)
        elif label not in compared and len(present) == len(seen):
            failed[label] = unjudged.why_failed(present)
    return failed
