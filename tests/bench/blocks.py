"""`python -m tests.bench.blocks [--runs N] [--seed S]`: how often scale-up and isolation decide, by number of blocks.

No difference is there to be found, and trials differ by 3, 4 and 5 %. Scale-up decides where it says which number of
vCPUs is enough; isolation where it says for all guests and splits of a mode that a neighbour costs at most the limit.
The part that claims a gain, or a broken protection, is wrong.
"""

import argparse
import math
import sys

import numpy as np

from scheduler.model.plan_file import parse_plan
from scheduler.model.studies import ISOLATION, SCALE_UP
from scheduler.plans.study_plan import duration_s
from scheduler.stats.replicates import estimate_mean_interval
from scheduler.studies.isolation.isolation_costs import LIMIT_FRAC
from scheduler.studies.scaling.scaling_texts import WORTHWHILE_FRAC
from tests.bench.figure import Figure

_NOISES = (0.03, 0.04, 0.05)
_BLOCKS = (6, 8, 10, 12, 16, 20)
_ISOLATION_COSTS = 4  # two guests at two splits


def step_decided(blocks: int, noise: float, rng: np.random.Generator) -> tuple[bool, bool]:
    """Return whether a step that gains nothing is known to, and whether it is called a gain."""
    low, high = estimate_mean_interval(list(noise * math.sqrt(2) * rng.standard_normal(blocks))) or (
        -math.inf,
        math.inf,
    )
    return low > 0 or high < math.log1p(WORTHWHILE_FRAC), low > 0


def isolation_decided(blocks: int, noise: float, rng: np.random.Generator) -> tuple[bool, bool]:
    """Return whether all costs of a mode are known to be small, and whether one is called large."""
    limit = -math.log1p(-LIMIT_FRAC)
    ends = [
        estimate_mean_interval(list(noise * math.sqrt(2) * rng.standard_normal(blocks))) or (-math.inf, math.inf)
        for _ in range(_ISOLATION_COSTS)
    ]
    broken = any(low > limit for low, _ in ends)
    return broken or all(high <= limit for _, high in ends), broken


def main() -> int:
    """Print the table; return 1 when a default decides too rarely."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=20_261_127)
    arguments = parser.parse_args()
    rng, figures = np.random.default_rng(arguments.seed), list[Figure]()
    for study, trial in ((SCALE_UP, step_decided), (ISOLATION, isolation_decided)):
        spec = parse_plan(f'host = "local:"\nstudy = "{study}"\n')
        default, best_s = spec.protocol.repeats, duration_s(spec)[0]
        print(f"{study}: {default} blocks, {best_s / 60:.0f} minutes")
        for blocks in sorted({*_BLOCKS, default}):
            reported = [[trial(blocks, noise, rng) for _ in range(arguments.runs)] for noise in _NOISES]
            decided = [sum(done for done, _ in each) / arguments.runs for each in reported]
            wrong = [sum(bad for _, bad in each) / arguments.runs for each in reported]
            print(
                f"  {blocks:>3} blocks: decides",
                *(f"{part:.2f}" for part in decided),
                "wrong",
                *(f"{part:.3f}" for part in wrong),
            )
            if blocks == default:
                figures.append(Figure(name=f"{study}: decides at 4 %", value=decided[1], at_least=0.8))
                figures.append(Figure(name=f"{study}: wrong at 5 %", value=wrong[2], at_most=0.05))
    print(*(figure.line for figure in figures), sep="\n")
    return 0 if all(figure.fine for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
