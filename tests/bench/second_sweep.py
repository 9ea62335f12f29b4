"""Part of `make bench-decide`: second sweeps of a host that begin with the first.

python -m tests.bench.second_sweep [TRIALS [WORD ...]]

Each trial is two sweeps: the first on a host that differs from the second's, every setting by a normal deviate of
ln(throughput) that both loads share. Foreign histories come from another surface. `without` is the second sweep alone,
on the same seeds. Only the second sweep is judged.
"""

import datetime
import math
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from scheduler.model.earlier_run import EarlierRun
from scheduler.model.protocols import PROTOCOLS
from scheduler.stats.history_means import build_history
from tests.bench.decide_gains import PAPER_MIN, GainCell, GainLine, case_of, line_of
from tests.bench.decide_trial import Answered, Case
from tests.bench.figure import Figure

_FIRST_SEED = 13_700_000  # not used while anything was tuned
_FIRST_SWEEP = 5_000_000  # added to the seed of the second sweep
_TUESDAY = datetime.date(2026, 11, 24)


class SecondCell(NamedTuple):
    """One line of the table.

    Attributes:
        title: Name of the line.
        moved_sd: Deviation of a setting's ln(throughput) between the sweeps; None for the history of another surface.
        noise: Name of the noise.
        history: False for the second sweep alone.
    """

    title: str
    moved_sd: float | None = 0.01
    noise: str = "shared"
    history: bool = True


def cells() -> list[SecondCell]:
    """Return the lines."""
    return [
        SecondCell("second sweep, within 1 %"),
        SecondCell("second sweep, moved by 3 %", 0.03),
        SecondCell("second sweep, foreign history", None),
        SecondCell("second sweep, without", history=False),
        *(SecondCell(f"second sweep, {noise}", noise=noise) for noise in ("drift", "hetero", "noisytop", "lab")),
    ]


def history_for(case: Case, moved_sd: float | None) -> EarlierRun | None:
    """Return the history of a first sweep on a host that differs from the case's; arguments as `SecondCell`'s."""
    from tests.bench.decide_trial import spec_of, trials_of

    seed = case.seed + _FIRST_SWEEP
    if moved_sd is None:
        first = case_of(GainCell("", case.protocol, str(case.noise)), seed)
    else:
        first = moved(case, moved_sd, seed)
    spec = spec_of(first)
    return build_history(trials_of(spec, first)[0], spec, "run-1", _TUESDAY)


def moved(case: Case, moved_sd: float, seed: int) -> Case:
    """Return the case on a host whose settings differ by so much."""
    dice = np.random.default_rng(seed)
    labels = next(iter(case.surface.values()))
    factors = {label: math.exp(dice.normal(0, moved_sd)) for label in labels}
    baseline = math.exp(dice.normal(0, moved_sd))
    return case._replace(
        surface={
            kind: {label: tps * factors[label] for label, tps in table.items()} for kind, table in case.surface.items()
        },
        baseline={kind: case.baseline_tps(kind) * baseline for kind in case.kinds},
        seed=seed,
    )


def trial_of(cell: SecondCell, answer: Callable[[Case], Answered], seed: int) -> Answered:
    """Carry out the two sweeps of one trial; return the second's answer."""
    case = case_of(GainCell(cell.title, PROTOCOLS["adaptive"], cell.noise), seed)
    return answer(case._replace(history=history_for(case, cell.moved_sd)) if cell.history else case)


def table(trials: int, words: Sequence[str] = ()) -> dict[str, GainLine]:
    """Carry out the trials of every chosen line on all CPUs, print the lines, return title to line."""
    from tests.bench.decide_trial import answer_of

    lines: dict[str, GainLine] = {}
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for cell in cells():
            if words and not any(word in cell.title for word in words):
                continue
            seeds = range(_FIRST_SEED, _FIRST_SEED + trials)
            answers = list(pool.map(partial(trial_of, cell, answer_of), seeds, chunksize=4))
            lines[cell.title] = line = line_of(answers)
            print(f"{cell.title:30} {trials} trials {line.text}", flush=True)
    return lines


def figures(lines: dict[str, GainLine]) -> list[Figure]:
    """Return the promises about second sweeps."""
    near, far, foreign, alone = (
        lines[f"second sweep, {word}"] for word in ("within 1 %", "moved by 3 %", "foreign history", "without")
    )
    counted = [near, far, foreign]
    return [
        Figure(name="second sweep, within 1 %: times fewer minutes", value=PAPER_MIN / near.minutes, at_least=30),
        Figure(name="second sweep, moved by 3 %: times fewer minutes", value=PAPER_MIN / far.minutes, at_least=22),
        Figure(
            name="second sweep, foreign history: minutes against without",
            value=foreign.minutes / alone.minutes,
            at_most=1.05,
        ),
        Figure(name="second sweep: right, worst, %", value=min(line.right_pct for line in counted), at_least=97),
        Figure(
            name="second sweep: gain's interval holds, worst, %",
            value=min(line.held_pct for line in counted),
            at_least=93,
        ),
        Figure(
            name="second sweep: orders that truly lose, worst, %",
            value=max(line.wrong_orders_pct for line in counted),
            at_most=2.5,
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
