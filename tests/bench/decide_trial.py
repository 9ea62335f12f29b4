"""One simulated sweep without engine and store: a plan, a surface, its noise, and what is answered."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from scheduler.model.documents import VisitDone
from scheduler.model.objective import LIMITED, WORST_CASE, Objective
from scheduler.model.results import Recommendation, Verdict
from scheduler.model.setting import split_setting
from scheduler.model.spec import PAPER_SPLITS, LoadSpec, Protocol, RunSpec
from scheduler.plans.choice import plan_for
from scheduler.sim.disturbing import Disturbance
from scheduler.sim.machine import SurfaceMachine
from scheduler.sim.pchip import pchip
from scheduler.stats.compare import ZONE_FRAC
from scheduler.stats.points import mean
from scheduler.stats.recommend import recommend
from scheduler.stats.stalls import flowing
from tests.data_maker import make_done

Surface = Mapping[str, Mapping[str, float]]
"""Load kind to split label to throughput, tuples per second."""


class Case(NamedTuple):
    """What is simulated.

    Attributes:
        surface: The truth.
        noise: Name of one of `scheduler.sim.noise.NOISES`.
        protocol: Windows and repeats.
        kinds: Loads.
        seed: Of everything.
        objective: What "best" means.
        splits: Those of the plan; the surface may hold more.
    """

    surface: Surface
    noise: str
    protocol: Protocol
    kinds: Sequence[str]
    seed: int
    objective: Objective = Objective()
    splits: Sequence[str] = PAPER_SPLITS


class Answered(NamedTuple):
    """How one trial ended.

    Attributes:
        minutes: Settled and measured.
        regret_frac: True loss of the named split against the truly best of those that were measured.
        missed_frac: Likewise against the best of the surface, measured or not.
        claimed: True when it was said that the split loses 2 % at most; splits that "cannot be told apart" claim less.
        named: The split, those named as equally good, and those not excluded to be so.
        right: True when the loss is within the zone.
    """

    minutes: float
    regret_frac: float
    missed_frac: float
    claimed: bool
    named: frozenset[str]
    right: bool


def answer_of(case: Case) -> Answered:
    """Carry a plan out on a surface."""
    spec = RunSpec(
        host_url="sim:",
        settings=tuple(split_setting(label) for label in case.splits),
        loads=tuple(LoadSpec(kind) for kind in case.kinds),
        protocol=case.protocol,
        objective=case.objective,
        seed=case.seed,
    )
    visits, minutes = _visits(spec, case)
    answer = recommend(visits, spec)
    measured = {visit.setting.label for visit in visits if visit.setting}
    known = {*case.surface[case.kinds[0]]}
    regret, missed = (_regret(case, among)[answer.split] for among in (measured, measured | known))
    return Answered(
        minutes=minutes,
        regret_frac=regret,
        missed_frac=missed,
        claimed=answer.verdict is Verdict.RECOMMEND or _bounded(answer),
        named=frozenset({answer.split, *answer.equivalent, *answer.possible}),
        right=regret <= ZONE_FRAC,
    )


def _bounded(answer: Recommendation) -> bool:
    return answer.loss_bound_frac is not None and answer.loss_bound_frac <= ZONE_FRAC


def _visits(spec: RunSpec, case: Case) -> tuple[list[VisitDone], float]:
    """Return what the plan measured, and its minutes."""
    machine = SurfaceMachine(
        schema_id="domtune-machine/1",
        splits=tuple(case.splits),
        loads={kind: tuple(case.surface[kind][label] for label in case.splits) for kind in case.kinds},
        noise=case.noise,
        seed=case.seed,
    )
    disturbance = Disturbance(machine, case.seed)
    plan, visits, now_s, load = plan_for(spec), [], 0.0, ""
    visit = next(plan)
    while True:
        tps = tps_at(case.surface[visit.load], visit.setting.label if visit.setting else "1:1")
        ratio = None if visit.setting is None else math.exp(visit.setting.position)
        if visit.restart:
            disturbance.restart()
        cold = not load or visit.restart
        disturbance.enter(visit.load, ratio, tps, cold=cold, new_load=visit.load != load)
        load = visit.load
        rates: list[float] = []
        for _ in range(visit.settle_s + visit.measure_s):
            factor, _ = disturbance.second(visit.load, now_s, tps)
            now_s += 1.0
            rates.append(tps * factor)
        counted = rates[visit.settle_s :]
        if visit.without_stalls:
            counted = [tps for tps, counts in zip(counted, flowing(counted), strict=True) if counts]
        done = make_done(visit, len(visits), mean(counted), t_s=now_s)
        visits.append(msgspec.structs.replace(done, rates_tps=tuple(rates)))
        try:
            visit = plan.send(visits[-1])
        except StopIteration:
            return visits, now_s / 60


def tps_at(table: Mapping[str, float], label: str) -> float:
    """Return a split's throughput: its own, or that of a curve through the others that does not overshoot."""
    if label in table:
        return table[label]
    nodes = sorted((split_setting(known).position, tps) for known, tps in table.items())
    return pchip([place for place, _ in nodes], [tps for _, tps in nodes], split_setting(label).position)


def _regret(case: Case, among: Iterable[str]) -> dict[str, float]:
    """Return label to the true loss in the objective against the best of `among`; all loads count the same.

    With a limit it is the loss of the favoured load, or what the other loses beyond the limit, whichever is more.
    """
    kinds, objective = case.kinds, case.objective
    logs = {kind: {label: math.log(tps_at(case.surface[kind], label)) for label in among} for kind in kinds}
    tops = {kind: max(table.values()) for kind, table in logs.items()}
    if objective.name == LIMITED:
        (other,) = (kind for kind in kinds if kind != objective.load)
        least = tops[other] + math.log1p(-objective.limit_frac)
        best = max(logs[objective.load][label] for label in among if logs[other][label] >= least)
        short = {label: max(best - logs[objective.load][label], least - logs[other][label]) for label in among}
        return {label: -math.expm1(-max(0.0, value)) for label, value in short.items()}
    below = {label: [logs[kind][label] - tops[kind] for kind in kinds] for label in among}
    value = {label: min(row) if objective.name == WORST_CASE else mean(row) for label, row in below.items()}
    best = max(value.values())
    return {label: -math.expm1(one - best) for label, one in value.items()}
