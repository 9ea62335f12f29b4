"""Table of both sides: a row per item with any counter and its interval."""

from collections.abc import Callable, Sequence
from statistics import fmean

import msgspec

from scheduler.studies.overhead.query_costs import CostsBySide, QueryCost
from scheduler.studies.overhead.slowdown import estimate_mean_interval


class MeanInterval(msgspec.Struct, frozen=True):
    """Mean over blocks and its 95 % interval; None with too few blocks."""

    value: float
    ci95: tuple[float, float] | None


class SideRow(msgspec.Struct, frozen=True):
    """Figures of one item on both sides.

    Attributes:
        item: Its name.
        base: Mean on the reference.
        other: Mean on the other side.
        added: Other side minus reference, paired by block.
    """

    item: str
    base: MeanInterval
    other: MeanInterval
    added: MeanInterval


def build_side_rows(
    costs: CostsBySide, base: str, other: str, value: Callable[[QueryCost], float | None], items: Sequence[str] = ()
) -> tuple[SideRow, ...]:
    """Return a row for each item whose value is known in some block on both sides.

    Args:
        costs: Costs of all items.
        base: Name of the reference.
        other: Name of the other side.
        value: Returns the value of a cost.
        items: Names and order of the items; empty for all.
    """
    blocks = [(costs[base][block], costs[other][block]) for block in costs[base] if block in costs[other]]
    named = items or list(dict.fromkeys(item for mine, _ in blocks for item in mine))
    found: list[SideRow] = []
    for item in named:
        both = [(value(mine[item]), value(theirs[item])) for mine, theirs in blocks if item in mine and item in theirs]
        known = [(mine, theirs) for mine, theirs in both if mine is not None and theirs is not None]
        if known:
            mine, theirs = ([pair[side] for pair in known] for side in (0, 1))
            found.append(
                SideRow(
                    item,
                    _mean_interval(mine),
                    _mean_interval(theirs),
                    _mean_interval([two - one for one, two in known]),
                )
            )
    return tuple(found)


def divide_by_time(value: Callable[[QueryCost], float | None]) -> Callable[[QueryCost], float | None]:
    """Return a function that divides a counter by the item's time.

    The papers state page faults per second in this way.
    """

    def rate(cost: QueryCost) -> float | None:
        count = value(cost)
        return None if count is None else count / cost.time_s

    return rate


def _mean_interval(values: Sequence[float]) -> MeanInterval:
    return MeanInterval(fmean(values), estimate_mean_interval(values))
