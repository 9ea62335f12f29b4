"""Rows for the comparison with papers of other studies than `split`.

The rows are queries by slowdown, numbers of users by throughput per user, or numbers of vCPUs by throughput. Rows have
ranks and shares of the best, never absolute values. A paper with exact figures determines one rank per item, and a
paper with ranges several possible ranks. A run determines the ranks by its 95 % intervals. An item is ahead of another
when their intervals do not touch, which is stricter than a test of the difference.
"""

import enum
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from scheduler.model.load import LoadSpec
from scheduler.model.results import Results
from scheduler.model.setting import has_direct_route, split_of, users_of, vcpus_of
from scheduler.model.tpch_parameters import COLD_PARAMETER, RECONNECT_PARAMETER
from scheduler.papers.paper_model import PublishedPaper
from scheduler.papers.ranks import RankRange
from scheduler.studies.overhead.declaration import OverheadFinding

LEAST_ITEMS = 3
_SLOWDOWN = "slowdown"
_PER_USER = "per-user"
_SCALE_UP, _MULTIPLE = "scale-up", "multiple"
_FASTEST = -0.99  # below this slowdown, the speed is not known
_DOUBLINGS = 7


class CacheState(enum.StrEnum):
    """State of caches and connections of queries; also the name of the paper's table."""

    COLD = "cold"
    NEW_CONNECTION = "warm"
    ONE_CONNECTION = "one-connection"


class FigureRange(NamedTuple):
    """Figure with its range, where higher is better; an exact figure has a range of 0."""

    middle: float
    low: float
    high: float


class PaperRow(msgspec.Struct, frozen=True, kw_only=True):
    """One item that both the paper and the run measured.

    Attributes:
        name: Name of the item: `Q17`, or a number of users or vCPUs.
        stated: Possible ranks in the paper among these items, 1 for the best.
        found: Possible ranks by the run's intervals.
        rank: Rank by the run's estimates.
        stated_frac: Figure in the paper as a share of the best.
        found_frac: Figure in the run as a share of the best.
        found_ci95_frac: 95 % interval as a share of the best estimate; None without an interval.
    """

    name: str
    stated: RankRange
    found: RankRange
    rank: int
    stated_frac: float
    found_frac: float
    found_ci95_frac: tuple[float, float] | None


def cache_state(loads: Sequence[LoadSpec]) -> CacheState:
    """Return the state of caches and connections of these loads' queries."""
    values = next(
        (load.values for load in loads if COLD_PARAMETER in load.values),
        {COLD_PARAMETER: False, RECONNECT_PARAMETER: False},
    )
    if values[COLD_PARAMETER]:
        return CacheState.COLD
    return CacheState.NEW_CONNECTION if values[RECONNECT_PARAMETER] else CacheState.ONE_CONNECTION


def query_rows(paper: PublishedPaper, finding: OverheadFinding, caches: CacheState) -> tuple[str, tuple[PaperRow, ...]]:
    """Return the name of the first side, and its queries by the speed that they keep.

    Args:
        paper: The paper.
        finding: Overhead found by the run; its first side is compared.
        caches: State of caches and connections, which selects the paper's table.
    """
    side = next((row.side for row in finding.items if row.load in paper.loads), "")
    rows = [row for row in finding.items if row.side == side and row.load in paper.loads]
    slowdowns = paper.table(caches).values(_SLOWDOWN)
    stated = {query: _exact_range(1 / (1 + slower_pct / 100)) for query, slower_pct in slowdowns.items()}
    found = {
        row.item: FigureRange(1 / (1 + row.slowdown_frac), *_speed_interval(row.ci95_frac))
        for row in rows
        if row.slowdown_frac > _FASTEST
    }
    return side, _common_rows(stated, found)


def user_rows(paper: PublishedPaper, results: Results, load: str) -> tuple[str, tuple[PaperRow, ...]]:
    """Return the label of the first split, and its numbers of users.

    The label is empty for original settings. Numbers of users rank by throughput per user.

    Args:
        paper: The paper.
        results: Results of the run.
        load: Load kind.
    """
    points = [(point.setting, point) for point in results.points if point.load == load and point.mean_tps]
    splits = list(dict.fromkeys(split_of(setting) for setting, _ in points))
    split = splits[0] if splits else None
    found: dict[str, FigureRange] = {}
    for setting, point in points:
        users = users_of(setting)
        if users and split_of(setting) == split and point.mean_tps:
            low, high = point.ci95_tps or (0.0, float("inf"))
            found[str(users)] = FigureRange(point.mean_tps / users, low / users, high / users)
    return split.label if split else "", _common_rows(_published_per_user(paper), found)


def vcpu_rows(paper: PublishedPaper, results: Results, load: str) -> tuple[PaperRow, ...]:
    """Return the numbers of vCPUs by throughput.

    The paper gives each throughput as a multiple of the throughput with fewer vCPUs.

    Args:
        paper: The paper.
        results: Results of the run.
        load: Load kind.
    """
    stated: dict[str, FigureRange] = {}
    for name, multiple in paper.table(_SCALE_UP).values(_MULTIPLE).items():
        more, _, fewer = name.partition(" against ")
        before = stated.setdefault(fewer, _exact_range(1.0))
        stated[more] = _exact_range(before.middle * multiple)
    found: dict[str, FigureRange] = {}
    for point in results.points:
        number = 0 if has_direct_route(point.setting) else vcpus_of(point.setting)
        if number and point.load == load and point.mean_tps:
            found[str(number)] = FigureRange(point.mean_tps, *(point.ci95_tps or (0.0, float("inf"))))
    return _common_rows(stated, found)


def _exact_range(figure: float) -> FigureRange:
    return FigureRange(figure, figure, figure)


def _speed_interval(slowdown: tuple[float, float] | None) -> tuple[float, float]:
    """Return the interval of speeds for an interval of slowdowns; else 0 to inf."""
    if slowdown is None:
        return 0.0, float("inf")
    low, high = (max(end, _FASTEST) for end in slowdown)
    return 1 / (1 + high), 1 / (1 + low)


def _published_per_user(paper: PublishedPaper) -> dict[str, FigureRange]:
    """Return the paper's throughput per user, by the powers of two within its ranges."""
    table = paper.table(_PER_USER)
    worst, best = table.values("worst"), table.values("best")
    found: dict[str, FigureRange] = {}
    for name, low in worst.items():
        first, _, last = name.partition(" to ")
        numbers = (2**power for power in range(_DOUBLINGS))
        inside = [users for users in numbers if int(first) <= users <= int(last or first)]
        found |= {str(users): FigureRange((low + best[name]) / 2, low, best[name]) for users in inside}
    return found


def _common_rows(stated: Mapping[str, FigureRange], found: Mapping[str, FigureRange]) -> tuple[PaperRow, ...]:
    """Return a row per item that both have, in the paper's order; none below three."""
    names = [name for name in stated if name in found]
    if len(names) < LEAST_ITEMS:
        return ()
    reported, seen = (_possible_ranks({name: figures[name] for name in names}) for figures in (stated, found))
    best_stated, best_found = (max(figures[name].middle for name in names) for figures in (stated, found))
    order = sorted(names, key=lambda name: -found[name].middle)
    return tuple(
        PaperRow(
            name=name,
            stated=reported[name],
            found=seen[name],
            rank=1 + order.index(name),
            stated_frac=stated[name].middle / best_stated,
            found_frac=found[name].middle / best_found,
            found_ci95_frac=_relative_interval(found[name], best_found),
        )
        for name in names
    )


def _relative_interval(figure: FigureRange, best: float) -> tuple[float, float] | None:
    return (figure.low / best, figure.high / best) if figure.low > 0 and figure.high < float("inf") else None


def _possible_ranks(figures: Mapping[str, FigureRange]) -> dict[str, RankRange]:
    """Return the possible ranks of each item by its range.

    An item is ahead of another when its lower end is above the other's upper end.
    """
    return {
        name: (
            1 + sum(other.low > own.high for other in figures.values()),
            len(figures) - sum(own.low > other.high for other in figures.values()),
        )
        for name, own in figures.items()
    }
