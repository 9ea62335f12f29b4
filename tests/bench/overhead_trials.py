"""Trials with known slowdowns and known correlations, for `overhead` and the laws.

Twenty-two queries of 10 ms to 10 s on two sides in blocks. Both sides share a block's luck (10 %); each side's part of
a block has luck of its own that all queries share (2 %); on top each query has its noise. Beside normal noise:
Student's t of three degrees of freedom, queries of unequal noise, and a confined side that stalls now and then. Where
the noises of the sides differ, the true slowdown is that of their geometric means, noise included.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler.stats.replicates import POWER
from scheduler.stats.student import student_quantile, two_sided_factor
from scheduler.studies.overhead.correlation import correlate_counters, fisher_interval
from scheduler.studies.overhead.query_costs import QueryCost
from scheduler.studies.overhead.slowdown import ItemSlowdown, compare_sides, estimate_slowdown
from scheduler.studies.overhead.slowdown_causes import find_causes

QUERIES, COUNTERS = 22, 7
BLOCKS = (3, 5, 10)
_BLOCK_SD, _SIDE_SD = 0.10, 0.02
_RANGE_S = (0.01, 10.0)
_LIKELY = 20_000  # draws from which the mean of a skewed noise is taken

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, tuple[int, ...]], Floats]
"""A generator and (..., queries) to ln(factor) of a side."""


def _normal(sd: float) -> Noise:
    return lambda rng, shape: sd * rng.standard_normal(shape)


def _heavy(sd: float) -> Noise:
    return lambda rng, shape: sd * rng.standard_t(3, shape) / 3**0.5


def _uneven(sd: float) -> Noise:
    """Each query has noise of its own size, the largest thirty times the smallest."""
    return lambda rng, shape: sd * rng.standard_normal(shape) * np.geomspace(0.1, 3, shape[-1])


def _stalling(sd: float, chance: float = 0.1, stall: float = 0.3) -> Noise:
    return lambda rng, shape: sd * rng.standard_normal(shape) + stall * (rng.random(shape) < chance)


def _median_of_3(noise: Noise) -> Noise:
    return lambda rng, shape: np.median([noise(rng, shape) for _ in range(3)], axis=0)


def _twice(noise: Noise) -> tuple[Noise, Noise]:
    return noise, noise


def _cauchy(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    return rng.standard_cauchy(shape)


NOT_PROMISED = "other side stalls, 1 of 10"
"""What few blocks cannot hold: of five, most have no stall, and say nothing of what stalls cost on average."""

NOISES: dict[str, tuple[Noise, Noise]] = {
    "calm, 1 %": _twice(_normal(0.01)),
    "normal, 5 %": _twice(_normal(0.05)),
    "loud, 20 %": _twice(_normal(0.20)),
    "heavy tails, 10 %": _twice(_heavy(0.10)),
    "uneven queries, 0.5 to 15 %": _twice(_uneven(0.05)),
    "other side noisier, 2 and 10 %": (_normal(0.02), _normal(0.10)),
    NOT_PROMISED: (_normal(0.03), _stalling(0.03)),
    "the same, medians of three": (_normal(0.03), _median_of_3(_stalling(0.03))),
}


CLOUDS: dict[str, Noise] = {
    "normal cloud": _normal(1.0),
    "heavy tails": _heavy(1.0),
    "lognormal": lambda rng, shape: np.exp(rng.standard_normal(shape)),
    "Cauchy": _cauchy,
}


class Held(NamedTuple):
    """Parts of the trials in which the interval holds the true slowdown: each query's, all queries', the sums'.

    The last is of trials without any slowdown: those in which some query is called surely slower; NaN where the sides'
    noises differ.
    """

    query: float
    geometric: float
    total: float
    alarms: float


def measured(
    noises: tuple[Noise, Noise], slower: Floats, blocks: int, rng: np.random.Generator
) -> dict[str, dict[int, dict[str, float]]]:
    """Return side to block to query to seconds; `slower` is ln(slowdown) per query."""
    base_s = np.geomspace(*_RANGE_S, len(slower))
    luck = _BLOCK_SD * rng.standard_normal((blocks, 1))
    sides: dict[str, dict[int, dict[str, float]]] = {}
    for side, noise, more in (("base", noises[0], 0.0), ("other", noises[1], slower)):
        own = _SIDE_SD * rng.standard_normal((blocks, 1))
        seconds = base_s * np.exp(luck + own + noise(rng, (blocks, len(slower))) + more)
        sides[side] = {
            block: {f"Q{number}": float(value) for number, value in enumerate(row, 1)}
            for block, row in enumerate(seconds)
        }
    return sides


def expected(noise: Noise, rng: np.random.Generator) -> Floats:
    """Return the mean of ln(factor) of each query."""
    return noise(rng, (_LIKELY, QUERIES)).mean(axis=0)


def held(noises: tuple[Noise, Noise], blocks: int, trials: int, seed: int) -> Held:
    """Return how often intervals hold the truth: slowdowns of -5 to 60 %, and none at all every second trial."""
    rng = np.random.default_rng(seed)
    alike = noises[0] is noises[1]
    extra = np.zeros(QUERIES) if alike else expected(noises[1], rng) - expected(noises[0], rng)
    query, geometric, total, alarms = list[bool](), list[bool](), list[bool](), list[bool]()
    for trial in range(trials):
        slower = extra + (rng.uniform(-0.05, 0.47, QUERIES) if trial % 2 else 0.0)
        found = compare_sides(measured(noises, slower - extra, blocks, rng), "base", "other")
        query += [_holds(item, float(true)) for item, true in zip(found.items, slower, strict=True)]
        geometric.append(_holds(found.geometric, float(slower.mean())))
        if alike:
            base_s = np.geomspace(*_RANGE_S, QUERIES)
            total.append(_holds(found.total, float(np.log((base_s * np.exp(slower)).sum() / base_s.sum()))))
        if alike and not trial % 2:
            alarms.append(bool(found.surely))
    return Held(*(float(np.mean(part)) if part else float("nan") for part in (query, geometric, total, alarms)))


def _holds(found: ItemSlowdown | None, true: float) -> bool:
    assert found is not None
    assert found.ci95_frac is not None
    return found.ci95_frac[0] <= np.expm1(true) <= found.ci95_frac[1]


def told_apart(blocks: int, trials: int, seed: int, sd: float = 0.05) -> float:
    """Return how often a slowdown as large as the smallest that so many blocks tell apart is told apart."""
    rng = np.random.default_rng(seed)
    slower = (two_sided_factor(blocks - 1) + student_quantile(blocks - 1, POWER)) * sd * (2 / blocks) ** 0.5
    logs = sd * rng.standard_normal((trials, blocks, 2)) + [0.0, slower]
    return float(np.mean([estimate_slowdown("", np.exp(pairs).tolist()).slowdown.differs_from() for pairs in logs]))


def called_unlike(noises: tuple[Noise, Noise], blocks: int, trials: int, seed: int) -> float:
    """Return how often queries that are slowed down alike are said to differ in it."""
    rng, alike, called = np.random.default_rng(seed), np.full(QUERIES, 0.2), 0
    for _ in range(trials):
        seen = measured(noises, alike, blocks, rng)
        costs = {
            side: {block: {item: QueryCost(time_s=each) for item, each in row.items()} for block, row in rows.items()}
            for side, rows in seen.items()
        }
        called += find_causes(costs, compare_sides(seen, "base", "other")).items_differ
    return called / trials


def claims(draw: Noise, part: float, trials: int, seed: int, queries: int = QUERIES) -> float:
    """Return how often one of seven counters is said to go with the slowdown, the first of which has this part of it.

    Args:
        draw: Of each query's slowdown and counters.
        part: Correlation of the first counter with the slowdown; 0 for none of the seven.
        trials: How many.
        seed: Of the first.
        queries: How many queries.
    """
    rng, names = np.random.default_rng(seed), [f"Q{number}" for number in range(queries)]
    claimed = 0
    for _ in range(trials):
        slower, *counters, shared = draw(rng, (COUNTERS + 2, queries))
        counters = [counter + shared for counter in counters]  # counters go with each other
        counters[0] = part * slower + (1 - part**2) ** 0.5 * counters[0] / (2**0.5 if part else 1)
        found = correlate_counters(
            dict(zip(names, slower, strict=True)),
            {str(place): dict(zip(names, counter, strict=True)) for place, counter in enumerate(counters)},
        )
        wanted = ["0"] if part else list(found)
        claimed += any(found[name] is not None and found[name].claimed for name in wanted)
    return claimed / trials


def fisher_holds(r: float, queries: int, trials: int, seed: int) -> float:
    """Return how often the interval of a single correlation of normal clouds holds the true one."""
    rng = np.random.default_rng(seed)
    x, noise = rng.standard_normal((2, trials, queries))
    y = r * x + (1 - r**2) ** 0.5 * noise
    seen = [float(np.corrcoef(one, two)[0, 1]) for one, two in zip(x, y, strict=True)]
    return float(np.mean([low <= r <= high for low, high in (fisher_interval(each, queries) for each in seen)]))
