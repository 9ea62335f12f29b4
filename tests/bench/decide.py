"""`make bench-decide`: every protocol over random surfaces and noises, in minutes, regret and coverage.

python -m tests.bench.decide [TRIALS]

Minutes are settled and measured ones, baselines included, against the 900 that the 2007 paper measured. Nothing of a
machine is in them: surfaces and noises are drawn (`scheduler/sim/noise.py`).
"""

import math
import os
import statistics
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import msgspec
import numpy as np

from scheduler.model.objective import Objective
from scheduler.model.protocols import PROTOCOLS, SweepProtocol
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import PAPER_SPLITS
from tests.bench import decide_gains, second_sweep
from tests.bench.decide_trial import Answered, Case, Surface, answer_of
from tests.bench.figure import Figure
from tests.bench.intervals import coverage
from tests.unit.stats.surface_maker import random_surface, surface_of

PAPER_MIN = 900.0
BOUND_MIN = 33.9
"""Lower bound for a method that is right in 95 % everywhere: 16 s per trial, this family, a 1:1 mix (Garivier and
Kaufmann, COLT 2016, computed for known variances and a zone of 2 %)."""

BOTH = ("osdb-ir", "osdb-oltp")
COLD_S = 45
"""What a freshly started database needs until it is steady; the shared simulations' cut."""
_FIRST_SEED = 14_200_000  # not used while anything was tuned
_TRIALS = 500


class Cell(NamedTuple):
    """One line of the table.

    Attributes:
        title: What it is called.
        protocol: Windows and repeats.
        noise: Name of a noise.
        surface: Draws the truth from a number.
        kinds: Loads.
        part: How many of the trials it gets: a whole paper's protocol takes as long as fifty others.
        splits: Those of the plan.
        objective: What "best" means.
    """

    title: str
    protocol: SweepProtocol
    noise: str
    surface: Callable[[int], Surface]
    kinds: Sequence[str] = BOTH
    part: float = 1.0
    splits: Sequence[str] = PAPER_SPLITS
    objective: Objective = Objective()


class Line(NamedTuple):
    """What came of a cell; parts in percent. Odds are of the trials that told some: (said, was)."""

    minutes: float
    median_min: float
    regret_pct: float
    worst_regret_pct: float
    right_pct: float
    claimed_pct: float
    right_of_claims_pct: float
    both_named_pct: float
    missed_pct: float
    best_pct: tuple[float, float]
    loss_pct: tuple[float, float]


def _random(seed: int) -> Surface:
    return random_surface(np.random.default_rng(seed))


def _fixed(name: str, seed: int) -> Surface:
    del seed
    return surface_of(name)


def narrow(gap: float, seed: int) -> Surface:
    """IR of the paper's surface with the two best so far apart, either of them ahead, the third 5 % below both."""
    table = dict(surface_of("paper_base")["osdb-ir"])
    best = max(table.values())
    ahead, behind = ("1:1", "1:2") if seed % 2 else ("1:2", "1:1")
    table |= {ahead: best, behind: best * (1 - gap), "2:5": best * (1 - gap) * 0.95}
    return {"osdb-ir": table}


def smooth(seed: int) -> Surface:
    """Curves that are round at the top and straight beside it, and no parabolas, at every split of small terms."""
    dice = np.random.default_rng(seed)
    middle, numbers = dice.uniform(-1.2, 1.2), range(1, 21)
    labels = [f"{io}:{guest}" for io in numbers for guest in numbers if math.gcd(io, guest) == 1]
    places = {label: parse_split_setting(label).position for label in labels}
    surface: dict[str, dict[str, float]] = {}
    for kind in BOTH:
        top, steep = middle + dice.uniform(-0.4, 0.4), dice.uniform(0.8, 1.6)
        surface[kind] = {label: 1e4 / math.cosh(steep * (place - top)) for label, place in places.items()}
    return surface


def _cells() -> list[Cell]:
    adaptive, quick, strict, grid, replicate = (
        PROTOCOLS[name] for name in ("adaptive", "quick", "strict", "grid", "replicate")
    )
    made_again = msgspec.structs.replace(adaptive, restart_settle_s=COLD_S, limit_min=240)
    refined, quick_refined = (msgspec.structs.replace(protocol, refine=True) for protocol in (adaptive, quick))
    cells = [Cell("adaptive, shared", adaptive, "shared", _random)]
    cells += [Cell(f"adaptive, {noise}", adaptive, noise, _random) for noise in _OTHERS]
    cells += [
        Cell("quick, shared", quick, "shared", _random),
        Cell("strict, shared", strict, "shared", _random),
        Cell("grid, shared", grid, "shared", _random),
        Cell("replicate, shared", replicate, "shared", _random, part=0.1),
        Cell("adaptive, IR, gap 2.1 %", adaptive, "shared", partial(narrow, 0.021), ("osdb-ir",)),
        Cell("quick, IR, gap 2.1 %", quick, "shared", partial(narrow, 0.021), ("osdb-ir",)),
        Cell("adaptive, restarted, shared", made_again, "shared", _random),
        Cell("adaptive, restarted, epoch", made_again, "epoch", _random),
        Cell("adaptive, refined, IR, gap 2.1 %", refined, "shared", partial(narrow, 0.021), ("osdb-ir",), part=0.4),
        Cell("quick, refined, nine smooth", quick_refined, "shared", smooth, part=0.4),
        Cell("adaptive, refined, nine smooth", refined, "shared", smooth, part=0.4),
        Cell("adaptive, smooth", adaptive, "shared", smooth, splits=COARSE, part=0.4),
        Cell("adaptive, refined, smooth", refined, "shared", smooth, splits=COARSE, part=0.4),
        Cell("adaptive, refined, smooth, drift", refined, "drift", smooth, splits=COARSE, part=0.4),
        Cell("adaptive, paper_tie", adaptive, "shared", partial(_fixed, "paper_tie")),
    ]
    cells += [
        Cell(f"adaptive, {title}", adaptive, "shared", _random, part=0.6, objective=objective)
        for title, objective in _OBJECTIVES.items()
    ]
    return cells


COARSE = ("1:9", "1:4", "1:1", "4:1", "9:1")
_OBJECTIVES = {
    "worst case": Objective("worst-case"),
    "IR, OLTP limited": Objective("limited", "osdb-ir", 0.05),
    "OLTP, IR limited": Objective("limited", "osdb-oltp", 0.05),
}
_OTHERS = ("lab", "drift", "hetero", "noisytop", "epoch", "all25")


def _trial(cell: Cell, seed: int) -> Answered:
    case = Case(cell.surface(seed), cell.noise, cell.protocol, cell.kinds, seed, cell.objective, cell.splits)
    return answer_of(case)


def table(trials: int = _TRIALS) -> Mapping[str, Line]:
    """Carry everything out on all CPUs; title to line."""
    lines: dict[str, Line] = {}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for number, cell in enumerate(_cells()):
            first = _FIRST_SEED + 10_000 * number
            seeds = range(first, first + max(1, round(trials * cell.part)))
            lines[cell.title] = line = _line(list(pool.map(partial(_trial, cell), seeds, chunksize=5)))
            print(_words(cell.title, line, len(seeds)), flush=True)
    return lines


def _line(answers: Sequence[Answered]) -> Line:
    claims = [answer for answer in answers if answer.claimed]
    regrets = [100 * answer.regret_frac for answer in answers]
    reported = [answer for answer in answers if answer.best_prob is not None]
    best, loss = (
        (answer.best_prob or 0.0 for answer in reported),
        (answer.expected_loss_frac or 0.0 for answer in reported),
    )
    said = _mean_pct(best), _mean_pct(loss)
    was = _pct([not answer.regret_frac for answer in reported]), _mean_pct(answer.regret_frac for answer in reported)
    return Line(
        minutes=statistics.mean(answer.minutes for answer in answers),
        median_min=statistics.median(answer.minutes for answer in answers),
        regret_pct=statistics.mean(regrets),
        worst_regret_pct=float(np.percentile(regrets, 95)),
        right_pct=_pct([answer.right for answer in answers]),
        claimed_pct=_pct([answer.claimed for answer in answers]),
        right_of_claims_pct=_pct([answer.right for answer in claims]),
        both_named_pct=_pct([answer.named >= {"1:2", "2:5"} for answer in answers]),
        missed_pct=100 * statistics.mean(answer.missed_frac for answer in answers),
        best_pct=(said[0], was[0]),
        loss_pct=(said[1], was[1]),
    )


def _pct(hits: Sequence[bool]) -> float:
    return 100 * statistics.mean(hits) if hits else float("nan")


def _mean_pct(fracs: Iterable[float]) -> float:
    values = [100 * frac for frac in fracs]
    return statistics.mean(values) if values else float("nan")


def _words(title: str, line: Line, trials: int) -> str:
    return (
        f"{title:32} {trials:5} trials  {line.minutes:6.1f} min (median {line.median_min:5.1f}), "
        f"{PAPER_MIN / line.minutes:5.1f} x fewer, {line.minutes / BOUND_MIN:4.2f} of the bound;  regret "
        f"{line.regret_pct:5.3f} % (95 %: {line.worst_regret_pct:4.2f}), of all splits {line.missed_pct:5.2f} %;  "
        f"right {line.right_pct:5.1f} %, claims "
        f"{line.claimed_pct:5.1f} %, of them right {line.right_of_claims_pct:5.1f} %;  very best: said "
        f"{line.best_pct[0]:5.1f}, was {line.best_pct[1]:5.1f} %, loss: said "
        f"{line.loss_pct[0]:5.3f}, was {line.loss_pct[1]:5.3f} %"
    )


def figures(lines: Mapping[str, Line]) -> list[Figure]:
    """Return what is promised of them."""
    shared, tie = lines["adaptive, shared"], lines["adaptive, paper_tie"]
    gap, wild = lines["adaptive, IR, gap 2.1 %"], lines["adaptive, all25"]
    tight, round_tops = lines["adaptive, refined, IR, gap 2.1 %"], lines["adaptive, refined, smooth"]
    quick, strict = lines["quick, shared"], lines["strict, shared"]
    return [
        Figure(name="adaptive: times fewer minutes", value=PAPER_MIN / shared.minutes, at_least=18),
        Figure(name="adaptive: mean regret, %", value=shared.regret_pct, at_most=0.15),
        Figure(name="adaptive: right, %", value=shared.right_pct, at_least=97),
        Figure(name="quick: times fewer minutes", value=PAPER_MIN / quick.minutes, at_least=26),
        Figure(name="quick: mean regret, %", value=quick.regret_pct, at_most=0.20),
        Figure(
            name="adaptive, restarted: times fewer minutes",
            value=PAPER_MIN / lines["adaptive, restarted, shared"].minutes,
            at_least=12,
        ),
        Figure(name="strict: times fewer minutes", value=PAPER_MIN / strict.minutes, at_least=9),
        Figure(name="strict: claims that are right, %", value=strict.right_of_claims_pct, at_least=100),
        Figure(name="adaptive, gap of 2.1 %: right, %", value=gap.right_pct, at_least=95),
        Figure(name="adaptive, refined, gap of 2.1 %: right, %", value=tight.right_pct, at_least=95),
        Figure(name="adaptive, refined, coarse plan: right, %", value=round_tops.right_pct, at_least=99),
        Figure(name="adaptive, refined, coarse plan: loss to the best, %", value=round_tops.missed_pct, at_most=2),
        Figure(name="adaptive, all25: claims that are right, %", value=wild.right_of_claims_pct, at_least=97),
        Figure(name="adaptive, paper_tie: both named, %", value=tie.both_named_pct, at_least=90),
        *(
            Figure(name=f"adaptive, {title}: claims that are right, %", value=line.right_of_claims_pct, at_least=95)
            for title, line in ((title, lines[f"adaptive, {title}"]) for title in _OBJECTIVES)
        ),
    ]


def main(words: Sequence[str]) -> int:
    """Print table and promises; return the exit code."""
    trials = int(words[0]) if words else _TRIALS
    found = [
        *coverage(2 * trials),
        *decide_gains.figures(decide_gains.table(trials)),
        *second_sweep.figures(second_sweep.table(trials)),
        *figures(table(trials)),
    ]
    for figure in found:
        print(figure.line)
    return 0 if all(figure.fine for figure in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
