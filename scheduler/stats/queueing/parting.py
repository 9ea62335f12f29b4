"""Where measurement and model part, and what the page says of it."""

import math
from collections.abc import Sequence

from scheduler.model.bottleneck import Bottleneck
from scheduler.model.number_texts import percent, short, signed_percent
from scheduler.model.queueing import ModelPoint
from scheduler.model.results import Point
from scheduler.model.split import GUEST, IO
from scheduler.model.words import domain_title, listing, load_title, rate
from scheduler.stats.prior import PRIOR_SD
from scheduler.stats.queueing.network import Costs

PARTS_FRAC = 0.10
"""By less than this the model does not part from a measurement."""
_TWO_SIDED = 1.96  # of the normal distribution at 95 %, for a single visit
_TOLD_FRAC = 0.005  # of a CPU; less of a fixed part is not worth a word


def parting(measured: Sequence[Point], told: Sequence[ModelPoint]) -> tuple[str, ...]:
    """Return the labels of the splits where the model is off by more than 10 % and outside the 95 % interval.

    A single visit has no interval; its deviation is then taken for the prior one of 8 %.
    """
    return tuple(
        point.split
        for point, model in zip(measured, told, strict=True)
        if abs(_off(point, model)) > PARTS_FRAC and not _within(point, model.predicted_tps)
    )


def sentences(
    kind: str, costs: Costs, measured: Sequence[Point], told: Sequence[ModelPoint], deviation: float
) -> tuple[str, ...]:
    """Return how well model and measurement agree, and where they part, with figures; the worst split first."""
    parts = parting(measured, told)
    pairs = [pair for pair in zip(measured, told, strict=True) if pair[0].split in parts]
    pairs.sort(key=lambda pair: -abs(math.log1p(_off(*pair))))
    if not pairs:
        nowhere = f"Nowhere do they part by more than {percent(PARTS_FRAC)} and the measurement's 95 % interval."
        return _agreement(kind, costs, len(measured), deviation), nowhere
    others = [f"{point.split} ({signed_percent(_off(point, model))})" for point, model in pairs[1:]]
    also = (f"They also part at {listing(others)}.",) if others else ()
    return _agreement(kind, costs, len(measured), deviation), _departure(costs, *pairs[0]), *also


def _agreement(kind: str, costs: Costs, splits: int, deviation: float) -> str:
    lost = costs.io_fixed_frac
    fixed = f", which besides loses {percent(lost)} of a CPU while it has work" if lost >= _TOLD_FRAC else ""
    return (
        f"{load_title(kind)}: fitted to {splits} splits, the queueing model is typically {percent(deviation)} off. "
        f"In it a tuple costs {short(1000 * costs.guest_s)} ms of the guest's CPU and {short(1000 * costs.io_s)} ms of "
        f"the I/O domain's{fixed}."
    )


def _departure(costs: Costs, point: Point, model: ModelPoint) -> str:
    return (
        f"At {point.split} the throughput is {rate(point.mean_tps or 0.0, point.load, point.unit)}, "
        f"in the model {rate(model.predicted_tps, point.load, point.unit)} "
        f"({signed_percent(_off(point, model))}){_why(costs, point, model)}."
    )


def _why(costs: Costs, point: Point, model: ModelPoint) -> str:
    """Return what explains it: another cost per tuple than in the model, in the domain that limits there."""
    if model.bottleneck not in (Bottleneck.IO, Bottleneck.GUEST) or not point.mean_tps:
        return ""
    domain = IO if model.bottleneck is Bottleneck.IO else GUEST
    measured_s = point.delivered_share.get(domain, 0.0) / point.mean_tps
    known_s = costs.guest_s if domain == GUEST else costs.io_s + costs.io_fixed_frac / point.mean_tps
    dearer = measured_s / known_s - 1
    if measured_s == 0.0 or abs(dearer) < PARTS_FRAC or (dearer > 0) != (_off(point, model) > 0):
        return ""
    cost = f"{short(1000 * measured_s)} ms of {domain_title(domain)}'s CPU"
    return f": a tuple cost {cost} there, {short(1000 * known_s)} ms in the model"


def _off(point: Point, model: ModelPoint) -> float:
    """Return by how much the model is above the measurement, as a fraction of it."""
    return model.predicted_tps / (point.mean_tps or 1.0) - 1


def _within(point: Point, tps: float) -> bool:
    if point.ci95_tps is None:
        return abs(math.log(tps / (point.mean_tps or 1.0))) <= _TWO_SIDED * PRIOR_SD
    low, high = point.ci95_tps
    return low <= tps <= high
