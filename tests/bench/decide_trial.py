"""One simulated sweep without engine and store: a plan, a surface, its noise, and what is answered."""

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from scheduler.model.decision import SweepDecision
from scheduler.model.documents import TrialDone
from scheduler.model.earlier_run import EarlierRun
from scheduler.model.load import LoadSpec
from scheduler.model.objective import LIMITED, TOLERANCE_FRAC, WORST_CASE, Objective
from scheduler.model.protocols import SweepProtocol
from scheduler.model.results import Recommendation, SplitVerdict
from scheduler.model.setting import label_of, parse_split_setting
from scheduler.model.spec import PAPER_SPLITS, Mode, RunSpec
from scheduler.model.split import DomainId
from scheduler.plans.study_plan import choose_plan
from scheduler.plans.trials import Plan
from scheduler.sim.disturbance import RateDisturbance
from scheduler.sim.machine import SurfaceMachine
from scheduler.sim.noise import NoiseModel
from scheduler.sim.pchip import interpolate_pchip
from scheduler.stats.points import exact_mean
from scheduler.stats.recommendation import recommend_split
from scheduler.stats.stalls import mark_counted_seconds
from tests.data_maker import make_done

Surface = Mapping[str, Mapping[str, float]]
"""Load kind to split label to throughput, tuples per second."""


class Seen(NamedTuple):
    """The truth about a trial, for a monitor to tell or to distort.

    Attributes:
        label: Its setting.
        io_frac: The I/O domain's part of it.
        taken_frac: CPU time that neighbours took.
        earlier_frac: The same, some minutes ago.
        rate_frac: Throughput, of the best split's undisturbed one.
    """

    label: str
    io_frac: float
    taken_frac: float
    earlier_frac: float
    rate_frac: float


Monitor = Callable[[Seen, random.Random], float]
"""Stolen time of a trial as a host would report it, 0..1."""

_EARLIER = 25  # trials


class CpuShares(NamedTuple):
    """CPU of both domains at one split, by domain.

    Attributes:
        allotted: Share that the split allots, 0..1.
        used_cpus: CPU that each uses, in CPUs.
    """

    allotted: Mapping[DomainId, float]
    used_cpus: Mapping[DomainId, float]


class Case(NamedTuple):
    """What is simulated.

    Attributes:
        surface: The truth.
        noise: Name of one of `scheduler.sim.noise.NOISES`, or one described in full.
        protocol: Windows and repeats.
        kinds: Loads.
        seed: Of everything.
        objective: What "best" means.
        splits: Those of the plan; the surface may hold more.
        monitor: What the host says of stolen time; None for a host that says nothing.
        plan: Returns the plan of a sweep.
        baseline: Load to the throughput of the original settings; None for that of 1:1.
        trend: Change of ln(throughput) per trial, shared by all settings.
        mode: Caps or weights.
        history: The earlier run that the sweep begins with; None for none.
        modes: Factors of which each trial draws one: a benchmark that starts now fast, now slow.
        shares: Split to the CPU that each domain is allotted and uses; empty where no CPU is metered.
    """

    surface: Surface
    noise: str | NoiseModel
    protocol: SweepProtocol
    kinds: Sequence[str]
    seed: int
    objective: Objective = Objective()
    splits: Sequence[str] = PAPER_SPLITS
    monitor: Monitor | None = None
    plan: Callable[[RunSpec], Plan] = choose_plan
    baseline: Mapping[str, float] | None = None
    trend: float = 0.0
    mode: Mode = Mode.CAPS
    history: EarlierRun | None = None
    modes: Sequence[float] = (1.0,)
    shares: Mapping[str, CpuShares] = {}

    def baseline_tps(self, load: str) -> float:
        """Return the throughput of the original settings under a load."""
        return tps_at(self.surface[load], "1:1") if self.baseline is None else self.baseline[load]

    def true_gain_frac(self, label: str) -> float:
        """Return the true gain of a split over the original settings; all loads count the same."""
        logs = [math.log(tps_at(self.surface[load], label) / self.baseline_tps(load)) for load in self.kinds]
        return math.expm1(exact_mean(logs))


class Answered(NamedTuple):
    """How one trial ended.

    Attributes:
        minutes: Settled and measured.
        regret_frac: True loss of the named split against the truly best of those that were measured.
        missed_frac: Likewise against the best of the surface, measured or not.
        claimed: True when it was said that the split loses 2 % at most; splits that "cannot be told apart" claim less.
        named: The split, those named as equally good, and those not excluded to be so.
        right: True when the loss is within the tolerance.
        best_prob: The chance to be the very best that was told; None where none was.
        expected_loss_frac: Likewise.
        decision: Change, stay, not yet or unknown, with the gain that was stated.
        true_gain_frac: True gain of the named split over the original settings.
        best_gain_frac: True gain of the best split.
    """

    minutes: float
    regret_frac: float
    missed_frac: float
    claimed: bool
    named: frozenset[str]
    right: bool
    best_prob: float | None
    expected_loss_frac: float | None
    decision: SweepDecision
    true_gain_frac: float
    best_gain_frac: float


def spec_of(case: Case) -> RunSpec:
    """Return the plan of a case."""
    return RunSpec(
        host_url="sim:",
        settings=tuple(parse_split_setting(label) for label in case.splits),
        loads=tuple(LoadSpec(kind) for kind in case.kinds),
        protocol=case.protocol,
        objective=case.objective,
        seed=case.seed,
        mode=case.mode,
    )


def answer_of(case: Case) -> Answered:
    """Carry a plan out on a surface."""
    spec = spec_of(case)
    trials, minutes = trials_of(spec, case)
    answer = recommend_split(trials, spec, history=case.history)
    measured = {trial.setting.label for trial in trials if trial.setting}
    known = {*case.surface[case.kinds[0]]}
    regret, missed = (losses_of(case, among)[answer.label] for among in (measured, measured | known))
    return Answered(
        minutes=minutes,
        regret_frac=regret,
        missed_frac=missed,
        claimed=answer.verdict is SplitVerdict.RECOMMEND or _bounded(answer),
        named=frozenset(map(label_of, {answer.setting, *answer.equivalent, *answer.possible})),
        right=regret <= TOLERANCE_FRAC,
        best_prob=answer.best_prob,
        expected_loss_frac=answer.expected_loss_frac,
        decision=answer.decision,
        true_gain_frac=case.true_gain_frac(answer.label),
        best_gain_frac=max(case.true_gain_frac(label) for label in case.splits),
    )


def _bounded(answer: Recommendation) -> bool:
    return answer.loss_bound_frac is not None and answer.loss_bound_frac <= TOLERANCE_FRAC


def trials_of(spec: RunSpec, case: Case) -> tuple[list[TrialDone], float]:
    """Return all trials of the case's plan, and its minutes."""
    machine = SurfaceMachine(
        schema_id="domtune-machine/1",
        splits=tuple(case.splits),
        loads={kind: tuple(case.surface[kind][label] for label in case.splits) for kind in case.kinds},
        noise=case.noise,
        seed=case.seed,
    )
    disturbance = RateDisturbance(machine, case.seed)
    monitored, modes = _Monitored(case), random.Random(case.seed)
    race = case.plan(spec) if case.history is None else choose_plan(spec, history=case.history)
    plan, trials, now_s, load = race, [], 0.0, ""
    trial = next(plan)
    while True:
        tps = tps_at(case.surface[trial.load], trial.setting.label) if trial.setting else case.baseline_tps(trial.load)
        tps *= math.exp(case.trend * len(trials)) * modes.choice(case.modes)
        ratio = None if trial.setting is None else math.exp(trial.setting.position)
        if trial.restart:
            disturbance.restart()
        cold = not load or trial.restart
        disturbance.enter(trial.load, ratio, tps, cold=cold, new_load=trial.load != load)
        load = trial.load
        rates, left = list[float](), list[float]()
        for _ in range(trial.settle_s + trial.measure_s):
            factor, left_frac = disturbance.second(trial.load, now_s, tps)
            now_s += 1.0
            rates.append(tps * factor)
            left.append(left_frac)
        counted = rates[trial.settle_s :]
        if trial.without_stalls:
            counted = [tps for tps, counts in zip(counted, mark_counted_seconds(counted), strict=True) if counts]
        done = make_done(trial, len(trials), exact_mean(counted), t_s=now_s)
        done = msgspec.structs.replace(done, rates_tps=tuple(rates))
        if shares := case.shares.get(label_of(trial.setting)):
            done = msgspec.structs.replace(done, allotted_frac=shares.allotted, used_frac=shares.used_cpus)
        trials.append(monitored.of(done, 1 - exact_mean(left[trial.settle_s :])))
        try:
            trial = plan.send((trials[-1],))
        except StopIteration:
            return trials, now_s / 60


class _Monitored:
    """Adds the stolen CPU time that the case's host reports to its trials."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._dice = random.Random(case.seed)
        self._taken_fracs: list[float] = []

    def of(self, done: TrialDone, taken_frac: float) -> TrialDone:
        """Return the trial with it."""
        if self._case.monitor is None:
            return done
        self._taken_fracs.append(taken_frac)
        earlier = self._taken_fracs[-_EARLIER] if len(self._taken_fracs) >= _EARLIER else 0.0
        best_tps = max(self._case.surface[done.load].values())
        io_frac = 0.5 if done.setting is None else done.setting.split.io_frac
        seen = Seen(label_of(done.setting), io_frac, taken_frac, earlier, done.mean_tps / best_tps)
        return msgspec.structs.replace(done, stolen_frac=self._case.monitor(seen, self._dice))


def tps_at(table: Mapping[str, float], label: str) -> float:
    """Return a split's throughput: its own, or that of a curve through the others that does not overshoot."""
    if label in table:
        return table[label]
    nodes = sorted((parse_split_setting(known).position, tps) for known, tps in table.items())
    return interpolate_pchip(
        [place for place, _ in nodes], [tps for _, tps in nodes], parse_split_setting(label).position
    )


def losses_of(case: Case, among: Iterable[str]) -> dict[str, float]:
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
    value = {label: min(row) if objective.name == WORST_CASE else exact_mean(row) for label, row in below.items()}
    best = max(value.values())
    return {label: -math.expm1(one - best) for label, one in value.items()}
