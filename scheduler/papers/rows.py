"""What is laid beside papers of other studies: queries by slowdown, users by what each gets, vCPUs by throughput.

Ranks, and figures relative to the best; never heights. A paper that gives figures leaves each item one rank; where it
gives a range, those that the range leaves. A run leaves the ranks that its 95 % intervals do: one item is ahead of
another where the two intervals do not touch, which asks for more than a test of their difference would.
"""

import enum
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from scheduler.model.load import LoadSpec
from scheduler.model.results import Results
from scheduler.model.setting import has_direct_route, split_of, users_of, vcpus_of
from scheduler.model.study_findings import OverheadFinding
from scheduler.model.tpch_parameters import COLD_PARAMETER, RECONNECT_PARAMETER
from scheduler.papers.paper_model import PublishedPaper
from scheduler.papers.ranks import RankRange

LEAST_ITEMS = 3
_SLOWDOWN = "slowdown"
_PER_USER = "per-user"
_SCALE_UP, _MULTIPLE = "scale-up", "multiple"
_FASTEST = -0.99  # a slowdown below it has no speed that could be told
_DOUBLINGS = 7


class CacheState(enum.StrEnum):
    """How queries come to the database; the name of the paper's table of them."""

    COLD = "cold"
    NEW_CONNECTION = "warm"
    ONE_CONNECTION = "one-connection"


class FigureRange(NamedTuple):
    """A figure, higher is better: its middle and its ends, the same where it is known to the digit."""

    middle: float
    low: float
    high: float


class PaperRow(msgspec.Struct, frozen=True, kw_only=True):
    """One item that the paper and the run have.

    Attributes:
        name: `Q17`, or a number of users.
        stated: Ranks that the paper leaves it among these items, 1 for the best.
        found: Ranks that the run's intervals leave it.
        rank: Its rank by the run's middle.
        stated_frac: Its figure in the paper as part of the best one.
        found_frac: The same here.
        found_ci95_frac: Its own 95 % interval, as part of the best one's middle; None where it has none.
    """

    name: str
    stated: RankRange
    found: RankRange
    rank: int
    stated_frac: float
    found_frac: float
    found_ci95_frac: tuple[float, float] | None


def cache_state(loads: Sequence[LoadSpec]) -> CacheState:
    """Return how the queries of these loads come."""
    values = next(
        (load.values for load in loads if COLD_PARAMETER in load.values),
        {COLD_PARAMETER: False, RECONNECT_PARAMETER: False},
    )
    if values[COLD_PARAMETER]:
        return CacheState.COLD
    return CacheState.NEW_CONNECTION if values[RECONNECT_PARAMETER] else CacheState.ONE_CONNECTION


def query_rows(paper: PublishedPaper, finding: OverheadFinding, caches: CacheState) -> tuple[str, tuple[PaperRow, ...]]:
    """Return the side that is compared, the first, and the queries: best is the one that keeps most of its speed."""
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
    """Return the split that is compared, the first one (empty: the host as found), and the numbers of users."""
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
    """Return the numbers of vCPUs, by throughput; in the paper each is a multiple of the one before."""
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
    """Return the speeds that an interval of slowdowns leaves; any where there is none."""
    if slowdown is None:
        return 0.0, float("inf")
    low, high = (max(end, _FASTEST) for end in slowdown)
    return 1 / (1 + high), 1 / (1 + low)


def _published_per_user(paper: PublishedPaper) -> dict[str, FigureRange]:
    """Return number of users to what each gets in the paper, for the doubling numbers within its ranges."""
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
    """Return a row for each that both have, in the paper's order; none where these are fewer than three."""
    names = [name for name in stated if name in found]
    if len(names) < LEAST_ITEMS:
        return ()
    told, seen = (_possible_ranks({name: figures[name] for name in names}) for figures in (stated, found))
    best_stated, best_found = (max(figures[name].middle for name in names) for figures in (stated, found))
    order = sorted(names, key=lambda name: -found[name].middle)
    return tuple(
        PaperRow(
            name=name,
            stated=told[name],
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
    """Return the ranks that ranges leave: one is ahead of another where its low end is above the other's high end."""
    return {
        name: (
            1 + sum(other.low > own.high for other in figures.values()),
            len(figures) - sum(own.low > other.high for other in figures.values()),
        )
        for name, own in figures.items()
    }
