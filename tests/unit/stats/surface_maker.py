"""Test data: trials drawn from a table of throughputs, so that the true best split is known."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from scheduler.model.documents import TrialDone
from scheduler.model.setting import parse_split_setting

ORACLE = json.loads((Path(__file__).parent / "data" / "simulation_oracle.json").read_text())
KINDS = ("osdb-ir", "osdb-oltp")

Surface = Mapping[str, Mapping[str, float]]
"""Load kind to split label to throughput, tuples per second."""


def surface_of(name: str, scale_tps: float = 10_000.0) -> Surface:
    """Return one of the oracle's surfaces, scaled."""
    table = ORACLE[name]
    return {
        kind: {split: scale_tps * rel for split, rel in zip(table["splits"], table[kind], strict=True)}
        for kind in KINDS
    }


def random_surface(dice: np.random.Generator) -> Surface:
    """Return a surface of the oracle's random family: two splits lead, up to 6 % apart, others lie behind."""
    ir_top, oltp_top = (sorted([1.0, 1 - dice.uniform(0, 0.06)], reverse=bool(dice.integers(2))) for _ in range(2))
    u = dice.uniform
    ir = {"1:1": ir_top[0], "1:2": ir_top[1], "2:5": min(ir_top) * (1 - u(0.005, 0.05)), "2:1": u(0.74, 0.84)}
    ir |= {"5:2": u(0.62, 0.72), "1:5": u(0.38, 0.52), "5:1": u(0.28, 0.36), "10:1": u(0.14, 0.20), "1:10": 0.064}
    oltp = {"1:2": oltp_top[0], "2:5": oltp_top[1], "1:5": u(0.70, 0.88), "1:1": 0.503, "2:1": u(0.36, 0.46)}
    oltp |= {"5:2": u(0.31, 0.36), "1:10": u(0.25, 0.35), "5:1": u(0.21, 0.26), "10:1": 0.181}
    return {"osdb-ir": {k: 1e4 * v for k, v in ir.items()}, "osdb-oltp": {k: 1e4 * v for k, v in oltp.items()}}


def trials_at(
    surface: Surface,
    dice: np.random.Generator,
    *,
    blocks: int = 3,
    sd: float = 0.03,
    drift_sd: float = 0.05,
    baseline_tps: Mapping[str, float] | None = None,
) -> list[TrialDone]:
    """Return one sweep: lognormal trials around the surface, and a drift that a block shares."""
    trials: list[TrialDone] = []

    def add(setting: str | None, load: str, block: int, tps: float) -> None:
        trials.append(
            TrialDone(
                t_s=20.0 * len(trials),
                trial=len(trials),
                setting=None if setting is None else parse_split_setting(setting),
                load=load,
                block=block,
                seconds=10,
                settled_s=4,
                mean_tps=tps,
            )
        )

    for block in range(blocks):
        drift = dice.normal(0, drift_sd)
        for load, table in surface.items():
            rows: list[tuple[str | None, float]] = list(table.items())
            if baseline_tps:
                rows.append((None, baseline_tps[load]))
            for label, tps in rows:
                add(label, load, block, tps * math.exp(drift + dice.normal(0, sd) - sd**2 / 2))
    return trials


def true_regret(surface: Surface, weights: Mapping[str, float]) -> dict[str, float]:
    """Return label to the loss against the truly best split."""
    splits = next(iter(surface.values()))
    utility = {s: sum(w * math.log(surface[k][s]) for k, w in weights.items() if w > 0) for s in splits}
    best = max(utility.values())
    return {split: -math.expm1(value - best) for split, value in utility.items()}
