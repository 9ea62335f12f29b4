"""`make bench-follow`: what the rule that `domtune watch` goes by is worth, on two simulations that are not its own.

python -m tests.bench.follow [--days N] [--runs N] [--seed S]

First where the rule rests, and where its first step leads, on the event simulation (recorded at fifteen splits, see
tests/follow_surfaces.py). Then days of changing loads, watched at 1:1 with counters that are 3 % off: how much the
static split that is named loses against the best static one, and what is said of following against what it would gain.
Days are closed queueing networks with 8 users, so they flatter what is of the same family; the first part does not. At
last what the accounts of a day say of following, beside what it was worth, and of a controller that does nothing.
"""

import argparse
import math
import os
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import msgspec
import numpy as np

from scheduler.follow.gain_model import GRID, best_static, build_minute
from scheduler.follow.split_rule import PairLimits, PairUsage, io_share_of
from scheduler.stats.queueing.mva import Floats, solve_networks
from tests.bench.figure import Figure
from tests.bench.follow_accounted import account_lines
from tests.bench.follow_days import SCENES, Day, Scene, follow
from tests.bench.follow_kinds import LOCAL, PAPER, WIDE, Kinds, mixed
from tests.follow_surfaces import CASES, Case, rest_from, surface

STARTS = ("1:10", "1:5", "1:1", "5:1")
MOVES = 4
USERS = 8
_NOISE = 0.03
_EVERY_MIN = 5
_DAY_MIN = 1440
_LEAST_BUSY = 0.05


class Machine(NamedTuple):
    """Two kinds of load, and what part of the transactions is of the first at each minute of a day."""

    name: str
    kinds: Kinds
    part: Callable[[float, np.random.Generator], float]
    least_users: int = 4


def _by_day(minute: float, rng: np.random.Generator) -> float:
    return float(np.clip(0.5 + 0.5 * math.sin(2 * math.pi * minute / _DAY_MIN) + 0.1 * rng.standard_normal(), 0, 1))


def _by_hour(minute: float, rng: np.random.Generator) -> float:
    del rng
    return float(int(minute // 60) % 2)


def _never(minute: float, rng: np.random.Generator) -> float:
    del minute, rng
    return 0.5


MACHINES = (
    Machine("paper, by day", PAPER, _by_day),
    Machine("paper, by hour", PAPER, _by_hour),
    Machine("local, by day", LOCAL, _by_day),
    Machine("constant", PAPER, _never),
    Machine("wide, by day", WIDE, _by_day),
    Machine("wide, by hour", WIDE, _by_hour),
    Machine("wide, few users", WIDE, _by_day, least_users=1),
)


class Watched(NamedTuple):
    """What watching a day came to, in parts of throughput: the loss of its static split, following as said, as is."""

    loss: float
    said: float
    gains: float


def rest_lines() -> tuple[list[str], list[Figure]]:
    """Return the table of rest points and first steps, and what is promised of them."""
    lines = [f"{'':22}" + "".join(f"{f'from {start}':>26}" for start in STARTS)]
    lines += [f"{case.name:22}" + "".join(_cell(case, start) for start in STARTS) for case in CASES]
    ends = [rest_from(surface(case), start, MOVES) for case in CASES for start in STARTS]
    stops = [rest_from(surface(case), start, MOVES, least_gain=0.02) for case in CASES for start in STARTS]
    return lines, [
        Figure(name="worst rest point, % of the best", value=100 * min(way.parts[-1] for way in ends), at_least=97.5),
        Figure(name="most moves until then", value=max(len(way.parts) - 1 for way in ends), at_most=MOVES),
        Figure(name="worst end of promised moves, %", value=100 * min(way.parts[-1] for way in stops), at_least=93),
    ]


def _cell(case: Case, start: str) -> str:
    way = rest_from(surface(case), start, MOVES)
    parts = " ".join(f"{100 * part:.0f}" for part in way.parts[:-1])
    return f"{f'{parts} {100 * way.parts[-1]:.1f} ({len(way.parts) - 1})':>26}"


def day(number: int, seed: int) -> Watched:
    """Watch one day of a machine, by its place among them, at 1:1."""
    machine = MACHINES[number]
    rng, allowed = np.random.default_rng(seed), PairLimits(0.5, 0.5)
    minutes, truths = [], []
    for minute in range(0, _DAY_MIN, _EVERY_MIN):
        part = machine.part(float(minute), rng)
        io_ms, guest_ms, wait_ms = mixed(machine.kinds, part)
        busy = 0.5 - 0.5 * math.cos(2 * math.pi * minute / _DAY_MIN)
        users = round(machine.least_users + (USERS - machine.least_users) * busy)
        tps = _tps(io_ms, guest_ms, wait_ms, users, np.append(GRID, 0.0))
        here = 1e-3 * tps[-1]
        noise = np.exp(_NOISE * rng.standard_normal(2))
        used = PairUsage(min(0.5, here * io_ms * noise[0]), min(0.5, here * guest_ms * noise[1]))
        seen = build_minute(used, allowed, 60.0 * minute)
        if used.together_cpus > _LEAST_BUSY and seen is not None and not seen.blind:
            minutes.append(seen)
        truths.append(tps[:-1])
    truth = np.log(np.array(truths))
    static = best_static(minutes)
    place = int(np.argmin(np.abs(GRID - static.log_ratio)))
    by_split, best = truth.mean(axis=0), float(truth.max(axis=1).mean())
    gains = best - float(by_split[place])
    return Watched(float(by_split.max() - by_split[place]), static.following, gains)


def _tps(io_ms: float, guest_ms: float, wait_ms: float, users: int, places: Floats) -> Floats:
    io_frac = np.array([io_share_of(float(place)) for place in places])
    demands = 1e-3 * np.stack([io_ms / io_frac, guest_ms / (1 - io_frac)], axis=1)
    return solve_networks(demands, 1e-3 * wait_ms, users).tps


def day_lines(pool: ProcessPoolExecutor, days: int, seed: int) -> tuple[list[str], list[Figure]]:
    """Return the table of watched days, and what is promised of them."""
    lines = [f"{'watched at 1:1':18}{'loss, %':>18}{'following: said, %':>20}{'is, %':>8}"]
    figures: list[Figure] = []
    for number, machine in enumerate(MACHINES):
        seen = list(pool.map(partial(day, number), (seed + 1000 * number + each for each in range(days))))
        loss, said, gains = (100 * float(np.mean([each[place] for each in seen])) for place in range(3))
        worst = 100 * max(each.loss for each in seen)
        lines.append(f"{machine.name:18}{f'{loss:.2f} (worst {worst:.2f})':>18}{said:>20.1f}{gains:>8.1f}")
        if machine.name.startswith(("paper", "local")):
            figures.append(Figure(name=f"static split, {machine.name}: loss, %", value=loss, at_most=1.0))
    return lines, figures


def _follow(number: int, seed: int) -> Day:
    return follow(SCENES[number], seed)


def following_lines(pool: ProcessPoolExecutor, days: int, seed: int) -> tuple[list[str], list[Figure]]:
    """Return the table of followed days, and what is promised of them."""
    heads = ("of an oracle, %", "over best static, %", "over 1:1, %", "moves/h")
    lines, figures = [f"{'followed':24}" + "".join(f"{head:>21}" for head in heads)], []
    for number, scene in enumerate(SCENES):
        seen = list(pool.map(partial(_follow, number), (seed + 1000 * number + each for each in range(days))))
        mean = Day(*(float(np.mean(each)) for each in zip(*seen, strict=True)))
        lines.append(f"{scene.name:24}" + "".join(f"{value:>21.2f}" for value in mean))
        figures += promised(scene, mean)
    return lines, figures


def promised(scene: Scene, day: Day) -> list[Figure]:
    """Return what is promised of a scene, with what came of it."""
    all_of_it = [
        Figure(name="of an oracle, %", value=day.of_oracle_pct, at_least=scene.least),
        Figure(name="over the best static split, %", value=day.gain_pct, at_least=scene.gain),
        Figure(name="over where it began, %", value=day.over_start_pct, at_least=scene.over_start),
        Figure(name="moves an hour", value=day.moves_per_h, at_most=scene.moves_per_h),
    ]
    named = [msgspec.structs.replace(figure, name=f"followed, {scene.name}: {figure.name}") for figure in all_of_it]
    return [figure for figure in named if figure.at_least is not None or figure.at_most is not None]


def main() -> int:
    """Print all tables; return 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--days", type=int, default=10)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20_261_124)
    arguments = parser.parse_args()
    print("% of the best of fifteen splits after each move, (moves); the first figure is where it began")
    rests, figures = rest_lines()
    print(*rests, "", sep="\n")
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for table, count in (
            (day_lines, arguments.days),
            (following_lines, arguments.days),
            (account_lines, arguments.runs),
        ):
            lines, promises = table(pool, count, arguments.seed)
            print(*lines, "", sep="\n", flush=True)
            figures += promises
    print(*(figure.line for figure in figures), sep="\n")
    return 0 if all(figure.fine for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
