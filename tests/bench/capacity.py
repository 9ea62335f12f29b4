"""`python -m tests.bench.capacity [--runs N] [--seed S]`: how often the knee's interval holds it.

Curves whose knee is known, some with a dip below full throughput. Trials differ by 3 and 5 %, blocks by 3 % on top. The
full grid is each number of users up to 32, three times.
"""

import argparse
import math
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from scheduler.model.documents import TrialDone
from scheduler.model.plan_file import parse_plan
from scheduler.model.spec import RunSpec
from scheduler.studies.capacity.declaration import KneeEstimate
from scheduler.studies.capacity.finding import finding_of
from scheduler.studies.capacity.plan import search_knees
from tests.bench.figure import Figure

TOP = 32
FULL_GRID = 3 * TOP
_BLOCK_SD = 0.03

Law = Callable[[float], float]


def _scalability(contention: float, coherency: float) -> Law:
    return lambda n: n / (1 + contention * (n - 1) + coherency * n * (n - 1))


def _dip(limit: float, first: float, last: float, lost_frac: float) -> Law:
    return lambda n: min(n, limit) * (1 - lost_frac if first <= n <= last else 1)


CURVES: dict[str, Law] = {
    **{f"limit at {c:g}": (lambda n, c=c: min(n, c)) for c in (2.0, 3.0, 6.0, 12.0, 20.0)},
    "soft limit at 7": lambda n: (n**-4.0 + 7**-4.0) ** -0.25,
    "slow saturation": lambda n: 8 * (1 - math.exp(-n / 6)),
    "scalability, falls from 22": _scalability(0.05, 0.002),
    "scalability, falls from 9": _scalability(0.1, 0.01),
    "dip": _dip(14, 15, 18, 0.2),
    "mild dip": _dip(14, 15, 18, 0.1),
    "wide dip": _dip(7, 8, 14, 0.2),
    "dip early": _dip(6, 7, 11, 0.3),
    "flat": lambda n: min(n, 1.0),
    "no knee": lambda n: n**0.8,
}


class Tried(NamedTuple):
    """Outcome of the runs on one curve: parts that hold the truth, trials, width, parts called open."""

    holds: float
    trials: float
    width: float
    open_frac: float


def true_knee(law: Law) -> float:
    """Return N95 up to `TOP`, to a ten thousandth."""
    places = np.linspace(0.001, TOP, 320_000)
    rates = np.array([law(float(place)) for place in places])
    return float(places[int((rates >= 0.95 * rates.max()).argmax())])


def plan_of(seed: int) -> RunSpec:
    """Return the plan of a capacity study on some machine, at most `TOP` users."""
    plan = f'host = "sim:"\nstudy = "capacity"\nlimit_min = 0\nseed = {seed}\n[[load]]\nkind = "osdb-ir"\nusers = {TOP}'
    return parse_plan(plan)


def search(law: Law, noise: float, seed: int) -> tuple[KneeEstimate, int]:
    """Carry the product's own plan out on a curve; return what it finds, and the trials."""
    spec, rng = plan_of(seed), np.random.default_rng(seed)
    plan, luck, trials = search_knees(spec), dict[int, float](), list[TrialDone]()
    trial = next(plan, None)
    while trial is not None:
        users = trial.members[0].users
        block_luck = luck.setdefault(trial.block, _BLOCK_SD * float(rng.standard_normal()))
        rate = law(users) * math.exp(block_luck + noise * float(rng.standard_normal()))
        done = TrialDone(
            t_s=0.0,
            trial=len(trials),
            setting=trial.setting,
            load=trial.load,
            block=trial.block,
            seconds=10.0,
            settled_s=6.0,
            mean_tps=1000 * rate,
        )
        trials.append(done)
        try:
            trial = plan.send((done,))
        except StopIteration:
            trial = None
    return finding_of(trials, (), spec).knees[0], len(trials)


def tried(law: Law, noise: float, runs: int, seed: int) -> Tried:
    """Return what runs on one curve come to; a range that is called open holds every knee above `above`."""
    truth, holds, trials, widths, opens = true_knee(law), 0, 0, [], 0
    for run in range(runs):
        knee, count = search(law, noise, seed + run)
        holds += knee.above < truth and (knee.open or truth <= knee.most)
        trials += count
        widths.append(knee.most / max(1, knee.above))
        opens += knee.open
    return Tried(holds / runs, trials / runs, float(np.median(widths)), opens / runs)


def main() -> int:
    """Print the table; return 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20_261_125)
    arguments = parser.parse_args()
    figures: list[Figure] = []
    print(f"{'curve':28}{'noise':>7}{'N95':>7}{'holds it':>10}{'trials':>8}{'width':>7}{'open':>6}")
    for name, law in CURVES.items():
        for noise in (0.03, 0.05):
            seen = tried(law, noise, arguments.runs, arguments.seed)
            print(
                f"{name:28}{noise:>7.0%}{true_knee(law):>7.2f}{seen.holds:>10.3f}{seen.trials:>8.1f}"
                f"{seen.width:>7.2f}{seen.open_frac:>6.2f}",
                flush=True,
            )
            figures.append(Figure(name=f"{name}, {noise:.0%}: holds N95", value=seen.holds, at_least=0.95))
            part = 100 * seen.trials / FULL_GRID
            figures.append(Figure(name=f"{name}, {noise:.0%}: trials, % of the grid", value=part, at_most=50))
    print(*(figure.line for figure in figures if not figure.fine), sep="\n")
    return 0 if all(figure.fine for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
