"""How often the intervals of points and gains hold the truth: part of `make bench-decide`.

python -m tests.bench.intervals [TRIALS] [SEED]

Trials are drawn around known means: equally noisy splits, or splits that differ by 9 to 26 % as starved ones do
(`scheduler/sim/noise.py`), with blocks that share a drift. `1 trial` are sweeps of three blocks in which a drawn third
of the splits was measured once, as a race does with those that it drops.
"""

import itertools
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from scheduler.model.documents import TrialDone
from scheduler.model.setting import BASELINE, parse_split_setting
from scheduler.stats.gain import paired_gains
from scheduler.stats.paired_comparison import build_cells
from scheduler.stats.points import build_points
from tests.bench.claims import SPLITS
from tests.bench.figure import Figure

TRIALS = (1, 2, 3, 5)
NOISES = ("even", "uneven")

_EVEN_SD, _UNEVEN_SD = 0.088, (0.088, 0.088, 0.14, 0.26, 0.168, 0.088, 0.214, 0.088, 0.088)
_DRIFT_SD = 0.05
_LOAD = "osdb-ir"
_TPS = 10_000.0
_SINGLES_BLOCKS = 3
_PROMISED_PCT = (93.0, 97.0)
_FEW, _OF_FEW_PCT = 3, (91.0, 99.5)  # two other splits do not tell whether all are equally noisy: no rule does for both


class Held(NamedTuple):
    """How many intervals of points and gains there were, and how many held the truth."""

    points: int
    points_held: int
    gains: int
    gains_held: int


def held(splits: int, trials: int, noise: str, runs: int, seed: int) -> Held:
    """Return what came of so many sweeps."""
    found = np.zeros(4, dtype=int)
    for run in range(runs):
        dice = np.random.default_rng((seed, splits, trials, NOISES.index(noise), run))
        for counts in _judged(_sweep(splits, trials, noise, dice), trials):
            found += counts
    return Held(*map(int, found))


def _judged(sweep: Sequence[TrialDone], trials: int) -> Iterator[tuple[int, int, int, int]]:
    gains = paired_gains(build_cells(sweep, [_LOAD], baseline=True), {_LOAD: 1.0})
    for point in build_points(sweep):
        if point.label == BASELINE or point.trials != trials:
            continue
        low, high = point.ci95_tps or (0.0, 0.0)
        gain = gains[point.label].gain()
        worse, better = gain.ci95_frac or (1.0, 1.0)
        yield 1, int(low <= _TPS <= high), 1, int(worse <= 0.0 <= better)


def _sweep(splits: int, trials: int, noise: str, dice: np.random.Generator) -> list[TrialDone]:
    labels = SPLITS[splits]
    blocks = trials if trials > 1 else _SINGLES_BLOCKS
    once = set(dice.permutation(labels)[: max(1, splits // 3)].tolist()) if trials == 1 else set[str]()
    order = list(_UNEVEN_SD)
    dice.shuffle(order)
    sds = {label: _EVEN_SD if noise == "even" else order[at] for at, label in enumerate(labels)}
    done: list[TrialDone] = []
    for block in range(blocks):
        drift = float(dice.normal(0, _DRIFT_SD))
        for label in (BASELINE, *(one for one in labels if block == 0 or one not in once)):
            sd = sds.get(label, _EVEN_SD)
            done.append(_trial(len(done), label, block, _TPS * np.exp(drift + dice.normal(0, sd))))
    return done


def _trial(number: int, label: str, block: int, tps: float) -> TrialDone:
    setting = None if label == BASELINE else parse_split_setting(label)
    return TrialDone(
        t_s=20.0 * number,
        trial=number,
        setting=setting,
        load=_LOAD,
        block=block,
        seconds=10,
        settled_s=4,
        mean_tps=float(tps),
    )


def coverage(runs: int, seed: int = 52_000_000) -> list[Figure]:
    """Return how many percent of the intervals hold the truth, per number of trials and kind of noise."""
    figures: list[Figure] = []
    for splits, trials, noise in itertools.product((3, 9), TRIALS, NOISES):
        one = held(splits, trials, noise, runs, seed)
        name = f"{trials} trials, {splits} splits, {noise} noise: intervals that hold the truth, %"
        note = f"of {one.points}; gains {100 * one.gains_held / one.gains:.1f}"
        value = 100 * one.points_held / one.points
        low_pct, high_pct = _PROMISED_PCT if splits > _FEW or trials > 1 else _OF_FEW_PCT
        figures.append(Figure(name=name, value=value, at_least=low_pct, at_most=high_pct, note=note))
    return figures


def main(words: Sequence[str]) -> int:
    """Print the table; return the exit code."""
    found = coverage(*(int(word) for word in words)) if words else coverage(1000)
    for figure in found:
        print(figure.line)
    return 0 if all(figure.fine for figure in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
