"""Discrepancies between measurement and queueing model, and their texts."""

import math
from collections.abc import Sequence

from scheduler.model.bottleneck import Bottleneck
from scheduler.model.number_texts import format_percent, format_short, format_signed_percent
from scheduler.model.queueing import ModelPoint
from scheduler.model.results import MeasuredPoint
from scheduler.model.sentence_texts import domain_title, format_load_rate, join_names, load_title
from scheduler.model.split import GUEST, IO
from scheduler.model.studies import Setting
from scheduler.stats.prior import PRIOR_SD
from scheduler.stats.queueing.network import TupleCosts
from scheduler.translation import _

LEAST_DISCREPANCY_FRAC = 0.10
"""Smallest relative error that counts as a discrepancy."""
_TWO_SIDED = 1.96  # quantile of the normal distribution at 95 %, for a single trial
_TOLD_FRAC = 0.005  # of a CPU; a smaller fixed part is not mentioned


def find_discrepancies(
    measured: Sequence[MeasuredPoint], predicted: Sequence[ModelPoint]
) -> tuple[Setting | None, ...]:
    """Return the splits where model and measurement disagree.

    The model is then off by more than 10 % and outside the 95 % interval. A single trial has no interval. Its standard
    deviation is taken to be 8 %, as in the prior.

    Args:
        measured: The measured points.
        predicted: The model's points of the same splits, in the same order.
    """
    return tuple(
        point.setting
        for point, model in zip(measured, predicted, strict=True)
        if abs(_relative_error(point, model)) > LEAST_DISCREPANCY_FRAC
        and not _is_within_interval(point, model.predicted_tps)
    )


def describe_agreement(
    kind: str, costs: TupleCosts, measured: Sequence[MeasuredPoint], predicted: Sequence[ModelPoint], deviation: float
) -> tuple[str, ...]:
    """Return sentences on the agreement of model and measurement.

    Discrepancies have figures, the largest first.

    Args:
        kind: Load kind.
        costs: Fitted costs.
        measured: The measured points.
        predicted: The model's points of the same splits, in the same order.
        deviation: Root mean square of ln(model / measurement), >= 0.
    """
    parts = find_discrepancies(measured, predicted)
    pairs = [pair for pair in zip(measured, predicted, strict=True) if pair[0].setting in parts]
    pairs.sort(key=lambda pair: -abs(math.log1p(_relative_error(*pair))))
    if not pairs:
        nowhere = _(
            "Nowhere do they part by more than {least_discrepancy_frac} and the measurement's 95 % interval."
        ).format(least_discrepancy_frac=format_percent(LEAST_DISCREPANCY_FRAC))
        return _agreement_sentence(kind, costs, len(measured), deviation), nowhere
    others = [f"{point.label} ({format_signed_percent(_relative_error(point, model))})" for point, model in pairs[1:]]
    also = (_("They also part at {others}.").format(others=join_names(others)),) if others else ()
    return _agreement_sentence(kind, costs, len(measured), deviation), _discrepancy_sentence(costs, *pairs[0]), *also


def _agreement_sentence(kind: str, costs: TupleCosts, splits: int, deviation: float) -> str:
    lost = costs.io_fixed_frac
    fixed = (
        _(", which besides loses {lost} of a CPU while it has work").format(lost=format_percent(lost))
        if lost >= _TOLD_FRAC
        else ""
    )
    return _(
        "{load}: fitted to {splits} splits, the queueing model is typically {deviation} off. "
        "In it a tuple costs {guest_s} ms of the guest's CPU and {io_s} ms of the I/O "
        "domain's{fixed}."
    ).format(
        load=load_title(kind),
        splits=splits,
        deviation=format_percent(deviation),
        guest_s=format_short(1000 * costs.guest_s),
        io_s=format_short(1000 * costs.io_s),
        fixed=fixed,
    )


def _discrepancy_sentence(costs: TupleCosts, point: MeasuredPoint, model: ModelPoint) -> str:
    return _(
        "At {label} the throughput is {mean_tps}, in the model {predicted_tps} ({relative_error}){explain_discrepancy}."
    ).format(
        label=point.label,
        mean_tps=format_load_rate(point.mean_tps or 0.0, point.load, point.unit),
        predicted_tps=format_load_rate(model.predicted_tps, point.load, point.unit),
        relative_error=format_signed_percent(_relative_error(point, model)),
        explain_discrepancy=_explain_discrepancy(costs, point, model),
    )


def _explain_discrepancy(costs: TupleCosts, point: MeasuredPoint, model: ModelPoint) -> str:
    """Return the explanation by another cost per tuple than in the model, else empty.

    The cost is that of the domain that limits the throughput in the model.
    """
    if model.bottleneck not in (Bottleneck.IO, Bottleneck.GUEST) or not point.mean_tps:
        return ""
    domain = IO if model.bottleneck is Bottleneck.IO else GUEST
    measured_s = point.used_share.get(domain, 0.0) / point.mean_tps
    known_s = costs.guest_s if domain == GUEST else costs.io_s + costs.io_fixed_frac / point.mean_tps
    dearer = measured_s / known_s - 1
    if measured_s == 0.0 or abs(dearer) < LEAST_DISCREPANCY_FRAC or (dearer > 0) != (_relative_error(point, model) > 0):
        return ""
    cost = _("{measured_s} ms of {domain}'s CPU").format(
        measured_s=format_short(1000 * measured_s), domain=domain_title(domain)
    )
    return _(": a tuple cost {cost} there, {known_s} ms in the model").format(
        cost=cost, known_s=format_short(1000 * known_s)
    )


def _relative_error(point: MeasuredPoint, model: ModelPoint) -> float:
    """Return model / measurement - 1."""
    return model.predicted_tps / (point.mean_tps or 1.0) - 1


def _is_within_interval(point: MeasuredPoint, tps: float) -> bool:
    if point.ci95_tps is None:
        return abs(math.log(tps / (point.mean_tps or 1.0))) <= _TWO_SIDED * PRIOR_SD
    low, high = point.ci95_tps
    return low <= tps <= high
