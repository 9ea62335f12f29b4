"""Test data: documents of studies beside the split study, made without an engine; nothing was measured."""

import math
import random
from collections.abc import Callable, Iterator

import msgspec

from scheduler.model.documents import Document, RunOutcome, RunStarted, RunStopped, TrialDone
from scheduler.model.guests import LoadedGuests
from scheduler.model.named_figures import NamedFigure
from scheduler.model.plan_file import parse_plan
from scheduler.model.split import IO, ROLES
from scheduler.plans.trials import PlannedTrial
from tests.data_maker import WALL_UNIX_S, make_facts
from tests.unit.plans.carrying import carried_out

CAPACITY = """host = "local:"
study = "capacity"
splits = ["1:2", "2:1"]
demand_users = 4
[[load]]
kind = "osdb-ir"
users = 32
[[load]]
kind = "osdb-oltp"
users = 32
"""
OVERHEAD = 'host = "local:"\nstudy = "overhead"\nrepeats = {blocks}\n'
ISOLATION = 'host = "local:"\nstudy = "isolation"\nsplits = ["1:1:1"]\nrepeats = 4\nsecond_users = 16\n'
SCALE_UP = 'host = "local:"\nstudy = "scale-up"\nbase = "direct"\n'
QUERIES = tuple(f"Q{number}" for number in range(1, 23))


def full_at(**most: float) -> Callable[[PlannedTrial], float]:
    """Return rates that rise with the users up to so many, by load kind with `_` for `-`; 6 where none is named."""
    rng = random.Random(7)
    limits = {kind.replace("_", "-"): users for kind, users in most.items()}

    def rate(trial: PlannedTrial) -> float:
        split = trial.setting.split
        limit = limits.get(trial.load, 6.0) * (0.6 if split and split.io > split.guest else 1.0)
        return 1000.0 * min(trial.members[0].users, limit) * math.exp(rng.gauss(0, 0.01))

    return rate


def capacity_documents(plan: str = CAPACITY, rate: Callable[[PlannedTrial], float] | None = None) -> list[Document]:
    spec = parse_plan(plan)
    return _run(plan, carried_out(spec, rate or full_at(osdb_ir=6, osdb_oltp=12)))


def overhead_documents(blocks: int = 6, more: str = "") -> list[Document]:
    """Return a study in which every other query is slowed down, confined ones more, and Q5 is faster."""
    plan, rng = OVERHEAD.format(blocks=blocks) + more, random.Random(5)
    trials = carried_out(parse_plan(plan), lambda _: 100.0)
    luck = {trial.block: rng.gauss(0, 0.1) for trial in trials}

    def figures(trial: TrialDone) -> Iterator[NamedFigure]:
        confined = {"direct": 0.0, "via the I/O domain": 0.5}.get(trial.setting.label, 1.0)
        for place, item in enumerate(QUERIES):
            base_ms, slower = 10.0 * (place + 1), (-0.2 if item == "Q5" else 0.04 * place * (place % 2)) * confined
            time_ms = base_ms * (1 + slower) * math.exp(luck[trial.block] + rng.gauss(0, 0.02))
            yield NamedFigure(f"{item} time", time_ms, "ms")

    return _run(plan, [msgspec.structs.replace(trial, figures=tuple(figures(trial))) for trial in trials])


def scale_up_documents() -> list[Document]:
    """Return a study whose guest reaches the reference with one CPU, and 5 % less with each doubling."""
    rng = random.Random(3)

    def rate(trial: PlannedTrial) -> float:
        number = trial.setting.vcpus
        part = 1.0 if trial.setting.base else 1.0 - 0.05 * math.log2(number)
        return 700.0 * number**0.9 * part * math.exp(rng.gauss(0, 0.01))

    return _run(SCALE_UP, carried_out(parse_plan(SCALE_UP), rate))


def isolation_documents() -> list[Document]:
    """Return a study in which caps keep what each guest has, and weights lend it twice as much while one is idle."""
    trials = []
    for trial in carried_out(parse_plan(ISOLATION), lambda _: 1.0):
        setting = trial.setting
        lends = setting.mode == "weights" and setting.loaded is not LoadedGuests.BOTH
        rate = (2000.0 if lends else 1000.0) * (1 + 0.001 * trial.block)
        cpu = {
            "used_frac": {IO: 0.2, **dict.fromkeys(setting.loaded.guests, rate / 3000)},
            "allotted_frac": {domain: setting.split.frac_of(domain) for domain in ROLES},
        }
        trials.append(msgspec.structs.replace(trial, mean_tps=rate, **cpu))
    return _run(ISOLATION, trials)


def _run(plan: str, trials: list[TrialDone]) -> list[Document]:
    spec = parse_plan(plan)
    started = RunStarted(
        t_s=0.0,
        run_id=f"20260101T000000-{spec.kind.name}",
        spec=spec,
        facts=make_facts(),
        wall_unix_s=WALL_UNIX_S,
        trials=len(trials),
    )
    return [started, *trials, RunStopped(t_s=trials[-1].t_s + 1, outcome=RunOutcome.COMPLETED, restored=True)]
