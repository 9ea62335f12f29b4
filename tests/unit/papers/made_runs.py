"""Runs drawn from a table of throughputs, so that it is known what of the paper holds in them."""

from collections.abc import Mapping, Sequence

import numpy as np

from scheduler.model.documents import RunOutcome
from scheduler.model.results import Results
from scheduler.model.spec import PAPER_SPLITS
from scheduler.stats.points import build_points
from scheduler.stats.recommendation import recommend_split
from tests.data_maker import make_spec
from tests.unit.stats.surface_maker import Surface, trials_at

IR, OLTP = "osdb-ir", "osdb-oltp"

AS_STATED: Surface = {
    IR: dict(zip(PAPER_SPLITS, (10_000, 9300, 3000, 640, 8000, 8600, 2500, 7000, 2000), strict=True)),
    OLTP: dict(zip(PAPER_SPLITS, (5030, 10_000, 8000, 3300, 4000, 9200, 2500, 3500, 1810), strict=True)),
}
"""A machine on which every statement of the paper is true."""


def run_at(
    surface: Surface, *, splits: Sequence[str] = PAPER_SPLITS, sd: float = 0.01, blocks: int = 5, seed: int = 1
) -> Results:
    """Return a run of the splits under the loads of a surface."""
    table = {kind: {split: rates[split] for split in splits} for kind, rates in surface.items()}
    trials = trials_at(table, np.random.default_rng(seed), blocks=blocks, sd=sd)
    spec = make_spec(splits=splits, kinds=tuple(table))
    return Results(
        run_id="made",
        name="made",
        host="local:",
        host_title="testbench",
        mode="caps",
        protocol="grid",
        outcome=RunOutcome.COMPLETED,
        restored=True,
        simulated=False,
        measured_s=1.0,
        started_unix_s=0.0,
        points=build_points(trials),
        answer=recommend_split(trials, spec),
    )


def but(surface: Surface, load: str, rates: Mapping[str, float]) -> Surface:
    """Return the surface with other rates at some splits."""
    return {**surface, load: {**surface[load], **rates}}
