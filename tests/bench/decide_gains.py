"""Part of `make bench-decide`: decisions against true gains over the original settings, drawn from -10 to +20 %.

python -m tests.bench.decide_gains [TRIALS [WORD ...]]

Every cell draws a surface, then original settings so that the best split truly gains what was drawn; the gain differs
between the loads by up to 5 %. Words choose cells whose title holds one of them.
"""

import math
import os
import statistics
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import msgspec
import numpy as np

from scheduler.model.decision import DecisionKind
from scheduler.model.protocols import PROTOCOLS, SweepProtocol
from scheduler.model.spec import Mode
from tests.bench.decide_trial import Answered, Case, tps_at
from tests.bench.figure import Figure
from tests.unit.stats.surface_maker import random_surface

_BOTH = ("osdb-ir", "osdb-oltp")
PAPER_MIN = 900.0
_FIRST_SEED = 13_300_000  # not used while anything was tuned
_LOADS_APART = 0.05  # of ln(throughput): half the difference of the gains under the two loads, at most


class GainCell(NamedTuple):
    """One line of the table: a protocol under a noise, with gains drawn from a range."""

    title: str
    protocol: SweepProtocol
    noise: str
    low_frac: float = -0.10
    high_frac: float = 0.20
    mode: Mode = Mode.CAPS
    trend: float = 0.0


def cells() -> list[GainCell]:
    """Return the lines."""
    adaptive, quick, grid = (PROTOCOLS[name] for name in ("adaptive", "quick", "grid"))
    long_grid = msgspec.structs.replace(grid, repeats=10)
    return [
        *(
            GainCell(f"adaptive, {noise}", adaptive, noise)
            for noise in ("shared", "drift", "hetero", "noisytop", "lab")
        ),
        GainCell("adaptive, weights, shared", adaptive, "shared", mode=Mode.WEIGHTS),
        GainCell("quick, shared", quick, "shared"),
        GainCell("grid of 10, shared", long_grid, "shared"),
        GainCell("grid of 10, trend 0.2 %", long_grid, "shared", trend=0.002),
        GainCell("adaptive, gain 5 %", adaptive, "shared", 0.05, 0.05),
        GainCell("adaptive, gain 10 %", adaptive, "shared", 0.10, 0.10),
        GainCell("adaptive, gain 0 %", adaptive, "shared", 0.0, 0.0),
        GainCell("adaptive, loss 1 %", adaptive, "shared", -0.01, -0.01),
    ]


def case_of(cell: GainCell, seed: int) -> Case:
    """Return a trial of a cell."""
    dice = np.random.default_rng(seed)
    surface = random_surface(dice)
    gain, apart = dice.uniform(cell.low_frac, cell.high_frac), dice.uniform(-_LOADS_APART, _LOADS_APART)
    labels = list(surface[_BOTH[0]])
    worth = {label: sum(math.log(tps_at(surface[kind], label)) for kind in _BOTH) for label in labels}
    best = max(worth, key=lambda label: worth[label])
    baseline = {
        kind: surface[kind][best] / (1 + gain) * math.exp(sign * apart)
        for kind, sign in zip(_BOTH, (1, -1), strict=True)
    }
    return Case(surface, cell.noise, cell.protocol, _BOTH, seed, baseline=baseline, mode=cell.mode, trend=cell.trend)


def trial_of(cell: GainCell, answer: Callable[[Case], Answered], seed: int) -> Answered:
    """Carry out one trial."""
    return answer(case_of(cell, seed))


class GainLine(NamedTuple):
    """Outcome of a cell; parts in percent of all trials."""

    minutes: float
    right_pct: float
    claims_right_pct: float
    kinds_pct: dict[DecisionKind, float]
    wrong_orders_pct: float
    held_pct: float
    too_high_pct: float
    too_low_pct: float
    bias_points: float
    half_points: float

    @property
    def text(self) -> str:
        """The line in words."""
        kinds = ", ".join(f"{kind.value} {part:.1f}" for kind, part in self.kinds_pct.items())
        parts = (
            f"{self.minutes:6.1f} min, {PAPER_MIN / self.minutes:4.1f} x fewer",
            f"right {self.right_pct:.1f} %, of claims {self.claims_right_pct:.1f} %",
            kinds,
            f"orders of a loss {self.wrong_orders_pct:.1f} %",
            f"interval holds {self.held_pct:.1f} % (too high {self.too_high_pct:.1f}, too low {self.too_low_pct:.1f})",
            f"bias {self.bias_points:+.2f} points, half width {self.half_points:.1f}",
        )
        return ";  ".join(parts)


def line_of(answers: Sequence[Answered]) -> GainLine:
    """Summarise the trials of a cell."""
    count = len(answers)
    known = [answer for answer in answers if answer.decision.gain_ci95_frac is not None]
    spans = [(answer.decision.gain_ci95_frac or (0.0, 0.0), answer.true_gain_frac) for answer in known]
    high, low = sum(span[0] > true for span, true in spans), sum(span[1] < true for span, true in spans)
    claims = [answer for answer in answers if answer.claimed]
    orders = [answer for answer in answers if answer.decision.kind is DecisionKind.CHANGE]
    bias = [100 * ((answer.decision.gain_frac or 0.0) - answer.true_gain_frac) for answer in known]
    return GainLine(
        minutes=statistics.mean(answer.minutes for answer in answers),
        right_pct=100 * sum(answer.right for answer in answers) / count,
        claims_right_pct=100 * sum(answer.right for answer in claims) / max(1, len(claims)),
        kinds_pct={
            kind: 100 * sum(answer.decision.kind is kind for answer in answers) / count for kind in DecisionKind
        },
        wrong_orders_pct=100 * sum(answer.true_gain_frac < 0 for answer in orders) / count,
        held_pct=100 * (len(known) - high - low) / max(1, len(known)),
        too_high_pct=100 * high / max(1, len(known)),
        too_low_pct=100 * low / max(1, len(known)),
        bias_points=statistics.mean(bias) if bias else math.nan,
        half_points=statistics.mean(50 * (span[1] - span[0]) for span, _ in spans) if spans else math.nan,
    )


def table(trials: int, words: Sequence[str] = ()) -> dict[str, GainLine]:
    """Carry out the trials of every chosen cell on all CPUs, print the lines, return title to line."""
    from tests.bench.decide_trial import answer_of

    lines: dict[str, GainLine] = {}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for number, cell in enumerate(cells()):
            if words and not any(word in cell.title for word in words):
                continue
            first = _FIRST_SEED + 10_000 * number
            answers = list(pool.map(partial(trial_of, cell, answer_of), range(first, first + trials), chunksize=4))
            lines[cell.title] = line = line_of(answers)
            print(f"{cell.title:28} {trials} trials {line.text}", flush=True)
    return lines


def figures(lines: dict[str, GainLine]) -> list[Figure]:
    """Return the promises about decisions."""
    shared, drift = lines["adaptive, shared"], lines["adaptive, drift"]
    titles = [cell.title for cell in cells() if cell.low_frac < cell.high_frac and cell.title.startswith("adaptive, ")]
    drawn = [lines[title] for title in titles]
    return [
        Figure(name="adaptive: times fewer minutes, decision included", value=PAPER_MIN / shared.minutes, at_least=20),
        Figure(name="adaptive, drift: times fewer minutes", value=PAPER_MIN / drift.minutes, at_least=18),
        Figure(
            name="orders to change that truly lose, worst noise, %",
            value=max(line.wrong_orders_pct for line in drawn),
            at_most=2.5,
        ),
        Figure(name="gain's interval holds, worst noise, %", value=min(line.held_pct for line in drawn), at_least=93),
        Figure(
            name="true gain 5 %: change, %",
            value=lines["adaptive, gain 5 %"].kinds_pct[DecisionKind.CHANGE],
            at_least=65,
        ),
        Figure(
            name="true gain 10 %: change, %",
            value=lines["adaptive, gain 10 %"].kinds_pct[DecisionKind.CHANGE],
            at_least=95,
        ),
    ]


def main(words: Sequence[str]) -> int:
    """Print table and promises; return the exit code."""
    lines = table(int(words[0]) if words else 300, words[1:])
    if words[1:]:
        return 0
    found = figures(lines)
    for figure in found:
        print(figure.line)
    return 0 if all(figure.fine for figure in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
