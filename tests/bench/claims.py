"""`make bench-claims`: how often plans of every size claim, and how often such a claim is right.

python -m tests.bench.claims [--runs N] [--seed S] [--splits 2,3] [--trials 2] [--spreads 0.35] [--protocols grid]

Every cell of splits x trials x spread x surface x protocol is simulated `runs` times: trials differ by `spread`
(standard deviation of ln(throughput)) around the surface, blocks share a drift of 5 %, nothing else is known of them.
A claim says that the named split loses 2 % at most; it is right when that is so. Cells are told to break the promise
when their claims are right in less than 95 %, beyond chance (Clopper and Pearson, Biometrika 26, 1934).
"""

import argparse
import itertools
import math
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import msgspec
import numpy as np

from scheduler.model.documents import TrialDone
from scheduler.model.load import LoadSpec
from scheduler.model.objective import TOLERANCE_FRAC
from scheduler.model.protocols import PROTOCOLS
from scheduler.model.results import Recommendation, SplitVerdict
from scheduler.model.setting import label_of, parse_split_setting
from scheduler.model.spec import PAPER_SPLITS, RunSpec
from scheduler.plans.study_plan import choose_plan
from scheduler.stats.recommendation import recommend_split
from tests.data_maker import make_done

SPLITS = {
    2: ("1:2", "2:1"),
    3: ("1:2", "1:1", "2:1"),
    5: ("1:5", "1:2", "1:1", "2:1", "5:1"),
    9: PAPER_SPLITS,
}
TRIALS = (2, 3, 5)
SPREADS = (0.03, 0.10, 0.20, 0.35, 0.50)
SURFACES = ("flat", "near-tie", "steep")
PROTOCOL_NAMES = ("grid", "adaptive", "quick", "strict", "replicate")

_LOAD = "osdb-ir"
_TPS = 10_000.0
_DRIFT_SD = 0.05
_GAP = 0.03  # of a near tie: just over what is taken for equal
_BEHIND = 0.1  # of ln(throughput), from one split to the next beside a near tie
_STEEP = 0.3  # of ln(throughput), from one split to the next
_CONFIDENCE = 0.95


class Cell(NamedTuple):
    """Simulated case: number of splits, trials to each, deviation of a trial, surface and protocol by name."""

    splits: int
    trials: int
    spread: float
    surface: str
    protocol: str


class Outcome(NamedTuple):
    """Outcome of one sweep: whether something was claimed of the named split, whether that is so, and its trials."""

    claimed: bool
    right: bool
    trials: int


class Counted(NamedTuple):
    """What came of a cell."""

    cell: Cell
    runs: int
    claims: int
    right: int

    @property
    def at_most(self) -> float:
        """The largest part of right claims that these counts leave possible, at 95 %; 1 without a wrong one."""
        return upper_bound(self.right, self.claims)

    @property
    def broken(self) -> bool:
        """True when the promise is not kept, beyond chance."""
        return self.at_most < _CONFIDENCE


def upper_bound(hits: int, of: int) -> float:
    """Return the upper end of Clopper and Pearson's one-sided 95 % interval of a part."""
    low, high = 0.0, 1.0
    if hits == of:
        return 1.0
    for _ in range(40):
        middle = (low + high) / 2
        tail = math.fsum(math.comb(of, k) * middle**k * (1 - middle) ** (of - k) for k in range(hits + 1))
        low, high = (middle, high) if tail > 1 - _CONFIDENCE else (low, middle)
    return high


def truth_of(surface: str, labels: Sequence[str], dice: np.random.Generator) -> dict[str, float]:
    """Return the true throughput of each split; which one is best is drawn."""
    best = int(dice.integers(len(labels)))
    steps = [abs(at - best) for at in range(len(labels))]
    if surface == "flat":
        logs = [0.0] * len(labels)
    elif surface == "steep":
        logs = [-_STEEP * step for step in steps]
    else:
        second = best - 1 if best else 1
        logs = [-_BEHIND * step for step in steps]
        logs[second] = math.log1p(-_GAP)
    return {label: _TPS * math.exp(log) for label, log in zip(labels, logs, strict=True)}


def outcome_of(cell: Cell, seed: int) -> Outcome:
    """Carry one sweep out."""
    dice = np.random.default_rng(seed)
    labels = SPLITS[cell.splits]
    truth = truth_of(cell.surface, labels, dice)
    trials = swept(cell, truth, dice, seed)
    answer = recommend_split(trials, _spec(cell, seed))
    regret = 1 - truth.get(answer.label, 0.0) / max(truth.values())
    return Outcome(claims(answer), regret <= TOLERANCE_FRAC, len(trials))


def claims(answer: Recommendation) -> bool:
    """Return True when it is said that the named split loses 2 % at most."""
    bounded = answer.loss_bound_frac is not None and answer.loss_bound_frac <= TOLERANCE_FRAC
    return answer.verdict is SplitVerdict.RECOMMEND or (answer.verdict is not SplitVerdict.NONE and bounded)


def swept(cell: Cell, truth: dict[str, float], dice: np.random.Generator, seed: int) -> list[TrialDone]:
    """Return the trials of one sweep, as its plan asks for them."""
    plan, done, drifts = choose_plan(_spec(cell, seed)), list[TrialDone](), dict[int, float]()
    trial = next(plan)
    while True:
        drift = drifts.setdefault(trial.block, float(dice.normal(0, _DRIFT_SD)))
        log = drift + float(dice.normal(0, cell.spread)) - cell.spread**2 / 2
        tps = truth.get(label_of(trial.setting), _TPS) * math.exp(log)
        done.append(make_done(trial, len(done), tps, t_s=20.0 * len(done)))
        try:
            trial = plan.send((done[-1],))
        except StopIteration:
            return done


def _spec(cell: Cell, seed: int) -> RunSpec:
    return RunSpec(
        host_url="sim:",
        settings=tuple(parse_split_setting(label) for label in SPLITS[cell.splits]),
        loads=(LoadSpec(_LOAD),),
        protocol=msgspec.structs.replace(PROTOCOLS[cell.protocol], repeats=cell.trials),
        seed=1 + seed % 1_000_000,
    )


def counted(cell: Cell, runs: int, seed: int) -> Counted:
    """Carry a cell out `runs` times."""
    found = [outcome_of(cell, seed + number) for number in range(runs)]
    return Counted(cell, runs, sum(one.claimed for one in found), sum(one.claimed and one.right for one in found))


def line_of(one: Counted) -> str:
    """Return a cell as a line of the table."""
    cell = one.cell
    part = f"{one.right / one.claims:6.1%}" if one.claims else "     -"
    start = f"{cell.splits} splits {cell.trials} trials {cell.spread:4.0%} {cell.surface:8} {cell.protocol:9}"
    mark = "  BROKEN" if one.broken else ""
    end = f"right {one.right:4} {part} (at most {one.at_most:6.1%}){mark}"
    return f"{start} claims {one.claims:4} of {one.runs}, {end}"


def table(cells: Sequence[Cell], runs: int, seed: int, workers: int) -> list[Counted]:
    """Carry all cells out, and print them as they come."""
    found: list[Counted] = []
    with ProcessPoolExecutor(workers) as pool:
        starts = [seed + 1000 * number for number in range(len(cells))]
        for one in pool.map(counted, cells, [runs] * len(cells), starts):
            found.append(one)
            print(line_of(one), flush=True)
    return found


def main(words: Sequence[str]) -> int:
    """Print the table and what breaks the promise; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.claims")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=31_000_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    for name, values in _AXES.items():
        parser.add_argument(f"--{name}", default=",".join(map(str, values)))
    given = vars(parser.parse_args(words))
    axes = [[type(values[0])(word) for word in given[name].split(",")] for name, values in _AXES.items()]
    cells = [Cell(*values) for values in itertools.product(*axes)]
    found = table(cells, given["runs"], given["seed"], given["workers"])
    broken = [one for one in found if one.broken]
    claimed, right = sum(one.claims for one in found), sum(one.right for one in found)
    print(f"{len(found)} cells, {claimed} claims, {right} right; {_CONFIDENCE:.0%} is broken in {len(broken)}:")
    print("\n".join(map(line_of, broken)))
    return 1 if broken else 0


_AXES = {
    "splits": tuple(SPLITS),
    "trials": TRIALS,
    "spreads": SPREADS,
    "surfaces": SURFACES,
    "protocols": PROTOCOL_NAMES,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
