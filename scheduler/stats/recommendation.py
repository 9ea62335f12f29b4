"""Recommendation of a split from the trials of a sweep.

`TrialEvidence` does not depend on the weights of the loads and is made once per run: its cost grows with the trials.
The recommendation for other weights takes less than 10 ms for any number of trials, so it follows every move of the
weight slider.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.checks import check_weights
from scheduler.model.decision import DecisionKind, SweepDecision
from scheduler.model.documents import TrialDone
from scheduler.model.earlier_run import EarlierRun
from scheduler.model.objective import Objective
from scheduler.model.results import MeasuredPoint, Recommendation, SplitProposal, SplitVerdict
from scheduler.model.setting import BASELINE
from scheduler.model.spec import RunSpec
from scheduler.model.split import Settable, any_split
from scheduler.stats import exclusion_reasons, objective_words, reasons
from scheduler.stats.best_probability import estimate_odds
from scheduler.stats.calibration import summarise_calibration
from scheduler.stats.control_variates import build_adjusted_cells
from scheduler.stats.decision_rules import (
    LEAST_IDLE_PASSES,
    compute_gain_chances,
    find_remaining_blocks,
    keep_without_effect,
    make_decision,
)
from scheduler.stats.gain import SplitGain, paired_gains
from scheduler.stats.headline import write_headline
from scheduler.stats.history_check import HistoryAgreement, carry_history
from scheduler.stats.history_means import describe_history
from scheduler.stats.interpolation import SplitProspect, find_prospect
from scheduler.stats.leader_comparison import compare_with_leader, select_judged
from scheduler.stats.objective_words import estimate_objective_gain
from scheduler.stats.paired_comparison import TrialCells
from scheduler.stats.points import build_points
from scheduler.stats.rate_modes import TwoModes, list_two_modes
from scheduler.stats.reasons import RecommendationInput
from scheduler.stats.regret import build_regret_table
from scheduler.stats.saved_time import saved_frac, spent_s
from scheduler.stats.trial_quality import TrialQuality, assess_trials
from scheduler.stats.verdict import SplitJudgement, judge_splits, loss_bound
from scheduler.stats.weight_effect import loads_without_effect
from scheduler.stats.whole_cpus import describe_flat_range
from scheduler.translation import _


class TrialEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """Evidence of the trials, independent of the weights of the loads.

    Attributes:
        spec: The sweep.
        points: (label, load) to point, baseline included.
        cells: Every usable trial, the original settings included, adjusted where this reduces their noise.
        troubles: Quality of the trials.
        spent_s: Seconds of settling and measuring.
        cpus: Number of CPUs that the domains share.
        settable: Returns True when the host can be set to a split.
        history: The earlier run that the sweep begins with; None for none.
        agreement: The result of the check of the history.
        modes: Loads whose trials run at two rates.
    """

    spec: RunSpec
    points: Mapping[tuple[str, str], MeasuredPoint]
    cells: TrialCells
    troubles: TrialQuality
    spent_s: float
    cpus: int = 1
    settable: Settable = any_split
    history: EarlierRun | None = None
    agreement: HistoryAgreement = HistoryAgreement()
    modes: tuple[TwoModes, ...] = ()


def gather_evidence(
    trials: Sequence[TrialDone],
    spec: RunSpec,
    *,
    cpus: int = 1,
    settable: Settable = any_split,
    history: EarlierRun | None = None,
) -> TrialEvidence:
    """Summarise all trials so far, invalid ones and baselines included.

    Args:
        trials: All trials so far.
        spec: The sweep that they belong to.
        cpus: Number of CPUs that the domains share, >= 1.
        settable: Returns True when the host can be set to a split.
        history: The earlier run that the sweep begins with; None for none.
    """
    cells, agreement = carry_history(history, build_adjusted_cells(trials, spec))
    return TrialEvidence(
        spec=spec,
        points={(point.label, point.load): point for point in build_points(trials, mode=spec.mode, cpus=cpus)},
        cells=cells,
        troubles=assess_trials(trials),
        spent_s=spent_s(trials),
        cpus=cpus,
        settable=settable,
        history=history,
        agreement=agreement,
        modes=list_two_modes(trials),
    )


def recommend_split(
    trials: Sequence[TrialDone],
    spec: RunSpec,
    weights: Mapping[str, float] | None = None,
    history: EarlierRun | None = None,
) -> Recommendation:
    """Return the split to use, or why none is named.

    The result is deterministic and does not depend on the order of the trials.

    Args:
        trials: All trials so far, invalid ones and baselines included.
        spec: The sweep that they belong to.
        weights: Load kind to weight, >= 0, in place of the spec's objective; None for that objective.
        history: The earlier run that the sweep begins with; None for none.

    Raises:
        SpecError: The weights are negative, all zero, or name a load that the sweep does not have.
    """
    return recommend_from_evidence(gather_evidence(trials, spec, history=history), weights)


def recommend_from_evidence(evidence: TrialEvidence, weights: Mapping[str, float] | None = None) -> Recommendation:
    """Return the split to use, or why none is named, from the evidence of the trials.

    Args:
        evidence: The evidence (`gather_evidence`).
        weights: Load kind to weight, >= 0, in place of the spec's objective; None for that objective.

    Raises:
        SpecError: The weights are negative, all zero, or name a load that the sweep does not have.
    """
    spec, points = evidence.spec, evidence.points
    used = _effective_weights(spec, weights)
    if not spec.protocol.decides:
        return summarise_calibration(spec, tuple(points.values()), used, evidence.cpus)
    objective = _effective_objective(spec, weights)
    idle = _find_idle_loads(evidence, used)
    counted = _exclude_loads(used, idle) if objective.weighs else used
    cells = select_judged(evidence.cells, counted)
    case = RecommendationInput(
        spec=spec,
        objective=objective,
        weights=counted,
        points=points,
        cells=cells,
        unmeasured=_list_unmeasured(spec, used, points),
        failed=_explain_failed_splits(spec, used, points, cells.labels),
        troubles=evidence.troubles,
        spent_s=evidence.spent_s,
        idle=idle,
        history=describe_history(evidence.history, evidence.agreement),
        modes=evidence.modes,
        cpus=evidence.cpus,
    )
    if not cells.labels:
        return _recommend_nothing(case)
    found = judge_splits(cells, counted, points, objective=case.objective, certify=spec.needs_certificates)
    found = reasons.withhold_recommendation(case, found)
    answer = _build_recommendation(case, found, evidence)
    return msgspec.structs.replace(answer, weights=used) if objective.weighs else answer


def _build_recommendation(case: RecommendationInput, found: SplitJudgement, evidence: TrialEvidence) -> Recommendation:
    best = (
        found.against if not found.proven else compare_with_leader(case.cells, case.weights, objective=case.objective)
    )
    has_curve = (
        found.verdict is not SplitVerdict.NONE and case.objective.weighs
    )  # a parabola has neither kinks nor steps
    further = find_prospect(case.cells, best, evidence.settable) if has_curve else SplitProspect()
    table = build_regret_table(case.cells, best)
    row = next(row for row in table if row.label == found.named)
    gain = estimate_objective_gain(case.objective, row, evidence.cells, case.weights, _count_choices(found))
    decision = _build_decision(case, found, gain, evidence)
    possible = () if found.verdict is SplitVerdict.NONE else found.against.possible
    runner_up = next((row.setting for row in table if row.label not in found.members), None)
    odds = estimate_odds(found) if has_curve else None
    said = reasons.build_reasons(case, found, gain, table, runner_up.label if runner_up else "", odds)
    unseen = reasons.describe_prospect(further, best.leader, looked=case.spec.protocol.refine)
    shown = {kind: case.points[found.named, kind] for kind in _load_names(case) if (found.named, kind) in case.points}
    return Recommendation(
        verdict=found.verdict,
        setting=found.setting,
        equivalent=tuple(map(case.cells.find_setting, found.members)),
        confidence=1 - found.against.doubt if found.against.rivals else 0.0,
        needed_confidence=1 - found.against.allowed_doubt if found.against.rivals else 0.0,
        gain_frac=gain.frac if gain else None,
        gain_ci95_frac=gain.ci95_frac if gain else None,
        loss_bound_frac=loss_bound(found.against),
        best_prob=odds.best_prob if odds else None,
        expected_loss_frac=odds.expected_loss_frac if odds else None,
        saved_frac=None if found.verdict is SplitVerdict.NONE else saved_frac(case.spec, case.spent_s),
        reasons=(*said.evidence, *describe_flat_range(case, table)),
        advice=said.means,
        limits=(*said.limits, *unseen),
        headline=write_headline(case, found, decision),
        expected_tps={kind: point.mean_tps for kind, point in shown.items() if point.mean_tps is not None},
        units=case.spec.units,
        ci95_tps={kind: point.ci95_tps for kind, point in shown.items() if point.ci95_tps is not None},
        runner_up=runner_up,
        possible=tuple(case.cells.find_setting(label) for label in possible if label not in found.members),
        regret=table,
        tolerance_frac=case.objective.tolerance_frac,
        objective=case.objective,
        weights=case.weights if case.objective.weighs else {},
        proposal=_build_proposal(case, best.leader, further),
        decision=decision,
        history=case.history,
        proven=found.proven,
    )


def _count_choices(found: SplitJudgement) -> int:
    """Return the number of splits that may be the best, the named one among them."""
    return 1 if found.verdict is not SplitVerdict.NONE else 1 + len(found.against.possible)


def _build_decision(
    case: RecommendationInput, found: SplitJudgement, gain: SplitGain | None, evidence: TrialEvidence
) -> SweepDecision:
    objective = case.objective
    gains = paired_gains(evidence.cells, case.weights) if objective.weighs else {}
    gains = {label: gains[label] for label in case.cells.labels if label in gains}
    decision = make_decision(
        found,
        gain,
        compute_gain_chances(gains, objective.least_gain_frac, found.named),
        objective,
        rest=find_remaining_blocks(case.spec),
        missing=_explain_missing_gain(case),
    )
    without_effect = case.without_effect and found.against.passes >= LEAST_IDLE_PASSES
    return keep_without_effect(decision, case.without_effect) if without_effect else decision


def _explain_missing_gain(case: RecommendationInput) -> str:
    """Return the reason why there is no gain over the original settings, as a clause."""
    if not case.spec.baseline:
        return _("the plan leaves the baseline out")
    if objective_words.find_broken_limits(case.objective, case.points):
        return _("the original settings break the limit")
    return _("they have no valid trial under every load")


def _build_proposal(case: RecommendationInput, leader: str, further: SplitProspect) -> SplitProposal | None:
    if further.setting is None:
        return None
    tps = {kind: (case.points[leader, kind].mean_tps or 0.0) * math.exp(log) for kind, log in further.log_tps.items()}
    low, high = map(case.cells.find_setting, further.between)
    return SplitProposal(setting=further.setting, gain_frac=further.gain_frac, between=(low, high), expected_tps=tps)


def _recommend_nothing(case: RecommendationInput) -> Recommendation:
    return Recommendation(
        verdict=SplitVerdict.NONE,
        headline=_("No recommendation: no split was measured under every load."),
        reasons=reasons.explain_no_evidence(case),
        objective=case.objective,
        weights=case.weights if case.objective.weighs else {},
        decision=SweepDecision(
            kind=DecisionKind.UNKNOWN,
            purpose=case.objective.purpose,
            worth_frac=case.objective.least_gain_frac,
            missing=_("no split was measured under every load"),
        ),
    )


def _effective_objective(spec: RunSpec, weights: Mapping[str, float] | None) -> Objective:
    """Return the objective that decides.

    This is the plan's objective, or the weighted mean where a person moved the weights.
    """
    if weights is None:
        return spec.objective
    mine = spec.objective
    return Objective(tolerance_frac=mine.tolerance_frac, purpose=mine.purpose, worth_frac=mine.worth_frac)


def _effective_weights(spec: RunSpec, weights: Mapping[str, float] | None) -> dict[str, float]:
    kinds = [load.name for load in spec.loads]
    if weights is None:
        return {kind: spec.weight_of(kind) for kind in kinds}
    check_weights(weights, set(kinds))
    raw = {kind: float(weights.get(kind, 0.0 if weights else 1.0)) for kind in kinds}
    return {kind: weight / sum(raw.values()) for kind, weight in raw.items()}


def _find_idle_loads(evidence: TrialEvidence, weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the loads that count although weights decided little under them."""
    without = loads_without_effect(tuple(evidence.points.values()), evidence.spec.mode, evidence.cpus)
    return tuple(kind for kind in without if weights.get(kind, 0.0) > 0)


def _exclude_loads(weights: Mapping[str, float], idle: Sequence[str]) -> dict[str, float]:
    """Return the weights without the excluded loads, normalised.

    All weights stay the same where no other load is left.
    """
    left = {kind: 0.0 if kind in idle else weight for kind, weight in weights.items()}
    total = sum(left.values())
    return {kind: weight / total for kind, weight in left.items()} if total > 0 else dict(weights)


def _load_names(case: RecommendationInput) -> list[str]:
    return [load.name for load in case.spec.loads]


def _list_unmeasured(
    spec: RunSpec, weights: Mapping[str, float], points: Mapping[tuple[str, str], MeasuredPoint]
) -> tuple[str, ...]:
    wanted = [kind for kind, weight in weights.items() if weight > 0]
    left = _unresponsive_splits(points)
    labels = [setting.label for setting in spec.settings if setting.label not in left]
    return tuple(label for label in labels if any((label, kind) not in points for kind in wanted))


def _unresponsive_splits(points: Mapping[tuple[str, str], MeasuredPoint]) -> set[str]:
    """Return the labels of the splits that became unresponsive."""
    return {label for (label, _), point in points.items() if not point.responsive}


def _explain_failed_splits(
    spec: RunSpec,
    weights: Mapping[str, float],
    points: Mapping[tuple[str, str], MeasuredPoint],
    compared: Sequence[str],
) -> dict[str, str]:
    """Return label to the reason why a measured split is excluded."""
    failed: dict[str, str] = {}
    left = _unresponsive_splits(points)
    planned = (setting.label for setting in spec.settings)
    for label in dict.fromkeys([*planned, *(label for label, _unused in points if label != BASELINE)]):
        seen = [points.get((label, kind)) for kind, weight in weights.items() if weight > 0]
        present = [point for point in seen if point is not None]
        if label in left:
            seen_at_all = [points[label, load.name] for load in spec.loads if (label, load.name) in points]
            failed[label] = exclusion_reasons.explain_unresponsive(seen_at_all)
        elif label not in compared and len(present) == len(seen):
            failed[label] = exclusion_reasons.explain_unjudged(present)
    return failed
