"""Fit of the queueing model to the points of a sweep, for each load."""

import math
from collections.abc import Sequence

import numpy as np

from scheduler.model.load import LoadSpec
from scheduler.model.queueing import ModelPoint, QueueModel
from scheduler.model.results import MeasuredPoint
from scheduler.model.sentence_texts import format_load_rate, load_title
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.stats.points import exact_mean
from scheduler.stats.queueing.discrepancy import describe_agreement, find_discrepancies
from scheduler.stats.queueing.least_squares import least_squares
from scheduler.stats.queueing.mva import Floats
from scheduler.stats.queueing.network import CappedNetwork, QueueNetwork, TupleCosts, WeightedNetwork
from scheduler.translation import _, ngettext

LEAST_SPLITS = 4
"""Smallest number of measured splits for a fit, which has three costs."""
_SPLITS_FOR_FIXED_PART = 6  # for the fourth parameter, and one further point
# Weight of a domain's measured CPU per tuple in the fit, where a split's throughput has 1. Chosen on simulated
# machines: it does not bend the curve, and noise does not dominate costs that throughput leaves open.
_CPU_WEIGHT = 0.1
_MIXED = _("the model has one class of users, but other loads ran at the same time")
_FIRST_WAIT = 0.1  # of the time per tuple, at the start of a fit


def fit_models(points: Sequence[MeasuredPoint], spec: RunSpec, *, cpus: int) -> tuple[QueueModel, ...]:
    """Fit the model to the points of each load; the same input gives the same fit.

    Args:
        points: Points of the sweep.
        spec: Specification of the sweep.
        cpus: Number of CPUs that the domains share, >= 1.
    """
    return tuple(_fit_load(points, load, spec.mode, cpus) for load in spec.loads)


def _fit_load(points: Sequence[MeasuredPoint], load: LoadSpec, mode: Mode, cpus: int) -> QueueModel:
    if load.mix:
        return QueueModel(load=load.name, users=load.users, reason=_MIXED)
    measured = [p for p in points if p.load == load.name and p.allotted_share and (p.mean_tps or 0.0) > 0]
    reason = _find_obstacle(measured, load.name, mode)
    if reason:
        return QueueModel(load=load.name, users=load.users, reason=reason)
    network = _build_network(measured, load.users, mode, cpus)
    target = np.log([point.mean_tps or 1.0 for point in measured])
    start = network.start(_first_costs(measured, load.users, cpus))
    costs = network.costs(_fit_parameters(network, target, start, _known_parameters(measured, mode)))
    answer = network.answer(costs)
    modelled = tuple(
        ModelPoint(setting=point.setting, predicted_tps=tps, bottleneck=limit)
        for point, (tps, limit) in zip(measured, answer, strict=True)
    )
    parts = find_discrepancies(measured, modelled)
    off = np.log([tps for tps, _ in answer]) - target
    deviation = math.sqrt(float(off @ off) / len(measured))
    return QueueModel(
        load=load.name,
        users=load.users,
        io_ms=1000 * costs.io_s,
        guest_ms=1000 * costs.guest_s,
        wait_ms=1000 * costs.wait_s,
        io_fixed_frac=costs.io_fixed_frac,
        points=modelled,
        deviation_frac=deviation,
        parts=parts,
        sentences=(
            *describe_agreement(load.name, costs, measured, modelled, deviation),
            *_weights_sentence(load, mode, modelled),
        ),
    )


def _fit_parameters(network: QueueNetwork, target: Floats, start: Floats, known: Sequence[int]) -> Floats:
    """Return the best parameters, with `known` parameters held near their start."""
    held = np.array(known, dtype=np.intp)
    weight = math.sqrt(_CPU_WEIGHT)
    rows = weight * np.eye(len(start))[held]

    def curve(at: Floats) -> tuple[Floats, Floats]:
        values, slopes = network.curve(at)
        return np.concatenate([values, weight * at[held]]), np.concatenate([slopes, rows])

    return least_squares(curve, np.concatenate([target, weight * start[held]]), start)


def _known_parameters(measured: Sequence[MeasuredPoint], mode: Mode) -> list[int]:
    """Return the indices of the costs that the measured CPU use determines.

    With caps, they are the costs of the I/O domain (0) and the guest (1); with weights, none.
    """
    if mode is Mode.WEIGHTS:
        return []
    return [at for at, domain in enumerate((IO, GUEST)) if all(p.used_share.get(domain) for p in measured)]


def _find_obstacle(measured: Sequence[MeasuredPoint], kind: str, mode: Mode) -> str:
    if len(measured) < LEAST_SPLITS:
        if not measured:
            text = _("{load}: no model, as no splits were measured and it takes {least}.")
            return text.format(load=load_title(kind), least=LEAST_SPLITS)
        return ngettext(
            "{load}: no model, as {n} split was measured and it takes {least}.",
            "{load}: no model, as {n} splits were measured and it takes {least}.",
            len(measured),
        ).format(load=load_title(kind), n=len(measured), least=LEAST_SPLITS)
    if mode is Mode.WEIGHTS and not all(point.used_share for point in measured):
        return _("{load}: no model of weights, as the CPU of the domains was not measured.").format(
            load=load_title(kind)
        )
    return ""


def _weights_sentence(load: LoadSpec, mode: Mode, modelled: Sequence[ModelPoint]) -> tuple[str, ...]:
    if mode is not Mode.WEIGHTS:
        return ()
    same = format_load_rate(modelled[0].predicted_tps, load.name, load.unit)
    return (
        _(
            "With weights, a domain can use the CPU time that the other leaves. In the model every split does {same}."
        ).format(same=same),
    )


def _build_network(measured: Sequence[MeasuredPoint], users: int, mode: Mode, cpus: int) -> QueueNetwork:
    if mode is Mode.WEIGHTS:
        io_s, guest_s = (
            exact_mean([_cpu_used(p, domain, cpus) / (p.mean_tps or 1.0) for p in measured]) for domain in (IO, GUEST)
        )
        return WeightedNetwork(float(cpus), len(measured), users, TupleCosts(io_s, guest_s, 0.0))
    has = np.array([[cpus * point.allotted_share[domain] for domain in (IO, GUEST)] for point in measured])
    return CappedNetwork(has, users, fixed_part=len(measured) >= _SPLITS_FOR_FIXED_PART)


def _first_costs(measured: Sequence[MeasuredPoint], users: int, cpus: int) -> TupleCosts:
    """Return the first costs of the fit: medians over the splits.

    The CPU per tuple is CPU used over throughput (Denning and Buzen, 1978).
    """
    io_s, guest_s = (
        float(np.median([_cpu_used(p, d, cpus) / (p.mean_tps or 1.0) for p in measured])) for d in (IO, GUEST)
    )
    return TupleCosts(io_s, guest_s, _FIRST_WAIT * users / max(p.mean_tps or 1.0 for p in measured))


def _cpu_used(point: MeasuredPoint, domain: DomainId, cpus: int) -> float:
    """Return the CPU that a domain used, else the CPU allotted, in CPUs."""
    return point.used_share.get(domain) or cpus * point.allotted_share[domain]
