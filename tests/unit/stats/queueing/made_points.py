"""Points of sweeps whose throughputs are known: those of a made-up network, and those of the simulated machine."""

from collections.abc import Sequence

import numpy as np

from scheduler.model.results import MeasuredPoint
from scheduler.model.spec import PAPER_SPLITS, Mode
from scheduler.model.split import GUEST, IO, parse_split
from scheduler.stats.queueing.network import CappedNetwork, TupleCosts
from tests.settings import setting_at
from tests.unit.sim.surveyed import survey

IR, OLTP = "osdb-ir", "osdb-oltp"


def point(label: str, tps: float | None, *, load: str = IR, spread: float | None = 0.03, used=None) -> MeasuredPoint:
    split = parse_split(label)
    return MeasuredPoint(
        setting=setting_at(label),
        load=load,
        mean_tps=tps,
        ci95_tps=None if tps is None or spread is None else (tps * (1 - spread), tps * (1 + spread)),
        cv=None,
        trials=1 if spread is None else 3,
        used_share=dict(zip((IO, GUEST), used, strict=True)) if used else {},
        allotted_share={IO: split.io_frac, GUEST: split.frac_of(GUEST)},
    )


def of_network(costs: TupleCosts, users: int = 5, labels: Sequence[str] = PAPER_SPLITS) -> list[MeasuredPoint]:
    """Return the points that caps with these costs would have."""
    splits = [parse_split(label) for label in labels]
    cpus = np.array([(split.io_frac, split.frac_of(GUEST)) for split in splits])
    answer = CappedNetwork(cpus, users, fixed_part=True).answer(costs)
    return [point(label, tps) for label, (tps, _) in zip(labels, answer, strict=True)]


def of_machine(
    load: str, scheduler: str = "sedf-xm", mode: Mode = Mode.CAPS, labels: tuple[str, ...] = PAPER_SPLITS
) -> list[MeasuredPoint]:
    """Return what the built-in simulated machine does at the paper's splits, without noise."""
    steadies = survey(load, scheduler, mode, labels)
    return [
        point(PAPER_SPLITS[number - 1], steady.tps, load=load, used=steady.cpu_frac)
        for number, steady in steadies.items()
    ]
