"""From visits to the recommendation: fast enough (< 10 ms) to run at every move of the weight slider."""

from collections.abc import Mapping, Sequence

from scheduler.model.checks import check_weights
from scheduler.model.documents import VisitDone
from scheduler.model.results import Point, Recommendation, Verdict
from scheduler.model.spec import RunSpec
from scheduler.stats import reasons
from scheduler.stats.compare import ZONE_FRAC, cells_of
from scheduler.stats.contest import contest, judged
from scheduler.stats.gain import gain_of
from scheduler.stats.points import points_from
from scheduler.stats.reasons import Case
from scheduler.stats.regret import regret_table
from scheduler.stats.verdict import Judgement, judge, loss_bound


def recommend(
    visits: Sequence[VisitDone], spec: RunSpec, weights: Mapping[str, float] | None = None, *, cpus: int = 1
) -> Recommendation:
    """Return the split to use, or why none is named; deterministic, and blind to the order of the visits.

    Args:
        visits: All visits so far, invalid ones and baselines included.
        spec: The sweep that they belong to.
        weights: Load kind to weight, in place of the spec's objective (for the slider).
        cpus: Number of CPUs that the domains share.

    Raises:
        SpecError: The weights are negative, all zero, or name a load that the sweep does not have.
    """
    used = _weights(spec, weights)
    kinds = [load.kind for load in spec.loads]
    points = {(point.split, point.load): point for point in points_from(visits, mode=spec.mode, cpus=cpus)}
    cells = judged(cells_of(visits, kinds), used)
    case = Case(
        spec=spec,
        weights=used,
        points=points,
        cells=cells,
        unmeasured=_unmeasured(spec, used, points),
        failed=_failed(spec, used, points, cells.labels),
    )
    if not cells.labels:
        return _nothing(case)
    found = judge(cells, used, points)
    if case.unmeasured:
        found = reasons.unfinished(case, found)
    return _answer(case, found, visits)


def _answer(case: Case, found: Judgement, visits: Sequence[VisitDone]) -> Recommendation:
    gain = gain_of(found.named, visits, case.weights)
    best = found.against if not found.proven else contest(case.cells, case.weights)
    table = regret_table(case.cells, best)
    runner_up = next((row.split for row in table if row.split not in found.members), "")
    shown = {kind: case.points[found.named, kind] for kind in _kinds(case) if (found.named, kind) in case.points}
    return Recommendation(
        verdict=found.verdict,
        split=found.named,
        equivalent=found.members,
        confidence=1 - found.against.doubt if found.against.rivals else 0.0,
        gain_frac=gain.frac if gain else None,
        gain_ci95_frac=gain.ci95_frac if gain else None,
        loss_bound_frac=loss_bound(found.against),
        reasons=reasons.sentences(case, found, gain, table, runner_up),
        headline=reasons.headline(case, found),
        expected_tps={kind: point.mean_tps for kind, point in shown.items() if point.mean_tps is not None},
        ci95_tps={kind: point.ci95_tps for kind, point in shown.items() if point.ci95_tps is not None},
        runner_up=runner_up,
        regret=table,
        indifference_frac=ZONE_FRAC,
        weights=case.weights,
    )


def _nothing(case: Case) -> Recommendation:
    return Recommendation(
        verdict=Verdict.NONE,
        headline="No recommendation: no split was measured under every load.",
        reasons=reasons.without_evidence(case),
        weights=case.weights,
    )


def _weights(spec: RunSpec, weights: Mapping[str, float] | None) -> dict[str, float]:
    kinds = [load.kind for load in spec.loads]
    if weights is None:
        return {kind: spec.weight_of(kind) for kind in kinds}
    check_weights(weights, set(kinds))
    raw = {kind: float(weights.get(kind, 0.0 if weights else 1.0)) for kind in kinds}
    return {kind: weight / sum(raw.values()) for kind, weight in raw.items()}


def _kinds(case: Case) -> list[str]:
    return [load.kind for load in case.spec.loads]


def _unmeasured(
    spec: RunSpec, weights: Mapping[str, float], points: Mapping[tuple[str, str], Point]
) -> tuple[str, ...]:
    wanted = [kind for kind, weight in weights.items() if weight > 0]
    labels = [setting.label for setting in spec.settings]
    return tuple(label for label in labels if any((label, kind) not in points for kind in wanted))


def _failed(
    spec: RunSpec,
    weights: Mapping[str, float],
    points: Mapping[tuple[str, str], Point],
    compared: Sequence[str],
) -> dict[str, str]:
    """Return label to the reason why it takes no part although it was visited under every load."""
    failed: dict[str, str] = {}
    for setting in spec.settings:
        seen = [points.get((setting.label, kind)) for kind, weight in weights.items() if weight > 0]
        present = [point for point in seen if point is not None]
        if setting.label not in compared and len(present) == len(seen):
            failed[setting.label] = reasons.why_failed(present)
    return failed
