"""`python -m tests.bench.order [--runs N] [--seed S]`: two and three settings, compared while the host drifts.

The plan of a scale-up study, of two and of three numbers of vCPUs that do not differ. Trials differ by 3 %; a trend
raises (or lowers) the throughput from trial to trial. Counted are the intervals that hold "no difference", for a step
of scale-up and a slowdown of overhead, and what scale-up calls a gain or a loss.
"""

import argparse
import math
import sys
from typing import NamedTuple

import numpy as np

from scheduler.model.documents import TrialDone
from scheduler.model.plan_file import parse_plan
from scheduler.plans.study_plan import list_certain_trials
from scheduler.studies.overhead.slowdown import estimate_slowdown
from scheduler.studies.scaling.scaling_curve import blocks_by_vcpus, measure_steps
from tests.bench.figure import Figure

_NOISE_SD = 0.03
_TRENDS_FRAC = (0.0, 0.005, 0.01, 0.02)
_LOAD = "order-entry"


class Held(NamedTuple):
    """Parts of the runs, 0..1, without and with a wrong claim.

    Attributes:
        step: Scale-up's interval of the first step holds 0.
        slowdown: Overhead's interval holds 0.
        gains: Scale-up calls the first step a gain.
        differs: Scale-up calls the first step a gain or a loss.
    """

    step: float
    slowdown: float
    gains: float
    differs: float


def run_trials(numbers: int, blocks: int, trend_frac: float, rng: np.random.Generator) -> list[TrialDone]:
    """Carry the product's plan out on a host that drifts.

    Args:
        numbers: Numbers of vCPUs, 2 or more.
        blocks: Blocks.
        trend_frac: Change of the throughput from one trial to the next.
        rng: Source of noise and of the plan's seed.
    """
    vcpus, seed = list(range(1, numbers + 1)), int(rng.integers(1, 1_000_000))
    head = f'host = "local:"\nstudy = "scale-up"\nvcpus = {vcpus}\nrepeats = {blocks}\nseed = {seed}\n'
    spec = parse_plan(f'{head}[[load]]\nkind = "{_LOAD}"\nusers = 2\n')
    return [
        TrialDone(
            t_s=0.0,
            trial=at,
            setting=trial.setting,
            load=trial.load,
            block=trial.block,
            seconds=10.0,
            settled_s=6.0,
            mean_tps=1000 * math.exp(at * trend_frac + _NOISE_SD * float(rng.standard_normal())),
        )
        for at, trial in enumerate(list_certain_trials(spec))
    ]


def count_held(numbers: int, blocks: int, trend_frac: float, runs: int, seed: int) -> Held:
    """Return what runs with a trend come to; arguments as `run_trials`'s, the trend is up in half of the runs."""
    rng = np.random.default_rng(seed)
    step_held = slowdown_held = gains = differs = 0
    for run in range(runs):
        trials = run_trials(numbers, blocks, trend_frac * (-1) ** run, rng)
        found = blocks_by_vcpus(trials, _LOAD)
        step, (one, two, *_) = measure_steps(found)[0], found.values()
        pairs = [(1 / one[block].mean_tps, 1 / two[block].mean_tps) for block in one]
        slowdown_held += not estimate_slowdown("", pairs).slowdown.differs_from()
        step_held += not step.gain.differs_from()
        gains += step.gains
        differs += step.gain.differs_from()
    return Held(step_held / runs, slowdown_held / runs, gains / runs, differs / runs)


def main() -> int:
    """Print the table; return 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=20_261_127)
    arguments = parser.parse_args()
    figures: list[Figure] = []
    print(f"{'settings':>8}{'blocks':>7}{'trend':>7}{'step':>7}{'slowdown':>9}{'gains':>7}{'differs':>8}")
    for numbers in (2, 3):
        for blocks in (6, 7, 12):
            for trend_frac in _TRENDS_FRAC:
                held = count_held(numbers, blocks, trend_frac, arguments.runs, arguments.seed)
                print(
                    f"{numbers:>8}{blocks:>7}{trend_frac:>7.1%}{held.step:>7.3f}{held.slowdown:>9.3f}"
                    f"{held.gains:>7.3f}{held.differs:>8.3f}",
                    flush=True,
                )
                name = f"{numbers} settings, {blocks} blocks, trend {trend_frac:.1%}"
                figures.append(Figure(name=f"{name}: holds no difference", value=held.step, at_least=0.93))
                figures.append(Figure(name=f"{name}: slowdown holds", value=held.slowdown, at_least=0.93))
                figures.append(Figure(name=f"{name}: false gains", value=held.gains, at_most=0.05))
    print(*(figure.line for figure in figures if not figure.fine), sep="\n")
    return 0 if all(figure.fine for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
