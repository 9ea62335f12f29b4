"""`make bench-variates`: what adjusting for stolen CPU time brings, simulated; or what it would have brought.

python -m tests.bench.variates [TRIALS]
python -m tests.bench.variates RESULTS_FILE [RUN ...]

The first line of each noise is a host that says nothing of stolen time. The others differ only in what the monitor
sees: trials of one noise share their seeds. The second form reads recorded runs, see `variates_recorded`.
"""

import math
import os
import random
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from scheduler.model.protocols import PROTOCOLS
from scheduler.sim.noise import NOISES, NoiseModel, StolenCpu
from tests.bench.decide import BOTH, narrow
from tests.bench.decide_trial import Answered, Case, Monitor, Seen, Surface, answer_of
from tests.bench.variates_recorded import recorded
from tests.unit.stats.surface_maker import random_surface

_FIRST_SEED = 1_330_000  # not used while anything was tuned
_TRIALS = 200
_GAP = 0.021

_BURSTS = msgspec.structs.replace(NOISES["shared"], neighbour=StolenCpu(60, (5, 40), (0.5, 0.95)))
"""Neighbours that come and go within a block, so that pairing does not cancel them: drawn for this bench."""


def _exact(seen: Seen, dice: random.Random) -> float:
    del dice
    return seen.taken_frac


def _blurred(seen: Seen, dice: random.Random) -> float:
    return _blur(seen.taken_frac, dice)


def _useless(seen: Seen, dice: random.Random) -> float:
    return _blur(seen.earlier_frac, dice)


def _caused(seen: Seen, dice: random.Random) -> float:
    """Too little, and up to ten points too much, the more CPU the split gives the I/O domain."""
    return _blurred(seen, dice) * (1 - 0.4 * seen.io_frac) + 0.1 * seen.io_frac


def _one(seen: Seen, dice: random.Random) -> float:
    """Right, and five points more at one of the two best splits."""
    return _blurred(seen, dice) + 0.05 * (seen.label == "1:2")


def _effect(seen: Seen, dice: random.Random) -> float:
    """What the work itself leaves of the CPU, which is no stolen time at all."""
    return max(0.0, 1 - 0.8 * seen.rate_frac * math.exp(dice.gauss(0, 0.05)))


def _blur(frac: float, dice: random.Random) -> float:
    """A third too much or too little, and a point of what is nobody's."""
    return frac * math.exp(dice.gauss(0, 0.3)) + abs(dice.gauss(0, 0.01))


_MONITORS: Mapping[str, Monitor | None] = {
    "says nothing": None,
    "exact": _exact,
    "blurred": _blurred,
    "useless": _useless,
    "partly caused by the split": _caused,
    "partly caused by one split": _one,
    "an effect of throughput": _effect,
}


class _Group(NamedTuple):
    """Lines that share their noise, surfaces and seeds."""

    title: str
    noise: str | NoiseModel
    surface: Callable[[int], Surface]
    kinds: Sequence[str]
    monitors: Sequence[str]


def _random(seed: int) -> Surface:
    return random_surface(np.random.default_rng(seed))


_CALM = ("says nothing", "blurred", "useless")
_PLAIN = ("says nothing", "exact", "blurred", "useless")
_ALL = tuple(_MONITORS)
_GROUPS = (
    _Group("shared", "shared", _random, BOTH, _CALM),
    _Group("drift", "drift", _random, BOTH, _PLAIN),
    _Group("bursts", _BURSTS, _random, BOTH, _ALL),
    _Group("bursts, IR, gap 2.1 %", _BURSTS, partial(narrow, _GAP), ("osdb-ir",), _ALL),
)


def _trial(group: _Group, monitor: str, seed: int) -> Answered:
    protocol = PROTOCOLS["adaptive"]
    return answer_of(Case(group.surface(seed), group.noise, protocol, group.kinds, seed, monitor=_MONITORS[monitor]))


def simulated(trials: int) -> None:
    """Carry everything out on all CPUs and print it, a line when it is done."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for number, group in enumerate(_GROUPS):
            seeds = range(_FIRST_SEED + 10_000 * number, _FIRST_SEED + 10_000 * number + trials)
            for monitor in group.monitors:
                answers = list(pool.map(partial(_trial, group, monitor), seeds, chunksize=5))
                print(f"{group.title:22} {monitor:27} {_words(answers)}", flush=True)


def _words(answers: Sequence[Answered]) -> str:
    claims = [answer.right for answer in answers if answer.claimed]
    minutes = [answer.minutes for answer in answers]
    error = statistics.stdev(minutes) / math.sqrt(len(minutes))
    regret = 100 * statistics.mean(answer.regret_frac for answer in answers)
    right = statistics.mean(answer.right for answer in answers)
    return (
        f"{statistics.mean(minutes):6.1f} +- {error:3.1f} min, regret {regret:5.3f} %, right {right:6.1%}, "
        f"claims {len(claims) / len(answers):6.1%}, of them right {statistics.mean(claims or [False]):6.1%}"
    )


def main(words: Sequence[str]) -> int:
    """Print the table; return the exit code."""
    if words and not words[0].isdigit():
        return recorded(Path(words[0]), words[1:])
    simulated(max(2, int(words[0])) if words else _TRIALS)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
