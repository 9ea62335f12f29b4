"""`python -m tests.bench.capacity [--trials N] [--seed S] [--most VISITS]`: how often the knee's interval holds it.

Curves whose knee is known, visits that differ by 3 and 5 %, blocks by 3 % on top. The full grid is each number of
users up to 32, three times.
"""

import argparse
import math
import random
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from scheduler.studies.capacity.knee import Knee, Seen, curve_of, knee_of
from scheduler.studies.capacity.search import doubling, is_found, next_block
from tests.bench.figure import Figure

TOP = 32
FULL_GRID = 3 * TOP
_BLOCK_SD = 0.03
_PLANNING_DRAWS = 800

Law = Callable[[float], float]


def _scalability(contention: float, coherency: float) -> Law:
    return lambda n: n / (1 + contention * (n - 1) + coherency * n * (n - 1))


CURVES: dict[str, Law] = {
    **{f"limit at {c:g}": (lambda n, c=c: min(n, c)) for c in (2.0, 3.0, 6.0, 12.0, 20.0)},
    "soft limit at 7": lambda n: (n**-4.0 + 7**-4.0) ** -0.25,
    "slow saturation": lambda n: 8 * (1 - math.exp(-n / 6)),
    "scalability, falls from 22": _scalability(0.05, 0.002),
    "scalability, falls from 9": _scalability(0.1, 0.01),
    "flat": lambda n: min(n, 1.0),
    "no knee": lambda n: n**0.8,
}


class Tried(NamedTuple):
    """What trials on one curve came to: parts that hold the truth, visits, width, parts called open."""

    holds: float
    visits: float
    width: float
    open_frac: float


def true_knee(law: Law) -> float:
    """Return N95 up to `TOP`, to a ten thousandth."""
    places = np.linspace(0.001, TOP, 320_000)
    rates = np.array([law(float(place)) for place in places])
    return float(places[int((rates >= 0.95 * rates.max()).argmax())])


def search(law: Law, noise: float, most: int, seed: int) -> tuple[Knee, int]:
    """Look for a knee with so many visits at most; return it, and the visits."""
    rng, shuffler, seen = np.random.default_rng(seed), random.Random(seed), list[Seen]()
    block = doubling(1, TOP)
    for number in range(most):
        luck = _BLOCK_SD * float(rng.standard_normal())
        seen += [Seen(number, n, math.log(law(n)) + luck + noise * float(rng.standard_normal())) for n in block]
        curve = curve_of(seen, _PLANNING_DRAWS)
        knee = knee_of(curve)
        block = next_block(curve, knee, shuffler)
        if is_found(knee) or len(seen) + len(block) > most:
            break
    return knee_of(curve_of(seen)), len(seen)


def tried(law: Law, noise: float, trials: int, most: int, seed: int) -> Tried:
    """Return what trials on one curve come to; a range that is called open holds every knee above `above`."""
    truth, holds, visits, widths, opens = true_knee(law), 0, 0, [], 0
    for trial in range(trials):
        knee, count = search(law, noise, most, seed + trial)
        holds += knee.above < truth and (knee.is_open or truth <= knee.most)
        visits += count
        widths.append(knee.most / max(1, knee.above))
        opens += knee.is_open
    return Tried(holds / trials, visits / trials, float(np.median(widths)), opens / trials)


def main() -> int:
    """Print the table; return 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20_261_125)
    parser.add_argument("--most", type=int, default=FULL_GRID // 2)
    arguments = parser.parse_args()
    figures: list[Figure] = []
    print(f"{'curve':28}{'noise':>7}{'N95':>7}{'holds it':>10}{'visits':>8}{'width':>7}{'open':>6}")
    for name, law in CURVES.items():
        for noise in (0.03, 0.05):
            seen = tried(law, noise, arguments.trials, arguments.most, arguments.seed)
            print(
                f"{name:28}{noise:>7.0%}{true_knee(law):>7.2f}{seen.holds:>10.3f}{seen.visits:>8.1f}"
                f"{seen.width:>7.2f}{seen.open_frac:>6.2f}",
                flush=True,
            )
            figures.append(Figure(name=f"{name}, {noise:.0%}: holds N95", value=seen.holds, at_least=0.95))
            part = 100 * seen.visits / FULL_GRID
            figures.append(Figure(name=f"{name}, {noise:.0%}: visits, % of the grid", value=part, at_most=50))
    print(*(figure.line for figure in figures if not figure.fine), sep="\n")
    return 0 if all(figure.fine for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
