"""Possible ranks of splits, from a paper's statements or a run's intervals.

Known pairs of a higher and a lower split limit the ranks of each.
"""

from collections.abc import Iterable, Sequence

import msgspec

from scheduler.papers.log_ratios import LogRatios
from scheduler.papers.paper_model import GapClaim, OrderClaim, PaperTable, PublishedPaper
from scheduler.translation import _

RankRange = tuple[int, int]
"""Best and worst possible rank, 1 for the highest."""


class RelativeFigure(msgspec.Struct, frozen=True, kw_only=True):
    """Row of a paper's table as rank and share of the best.

    Attributes:
        name: Name of the row.
        rank: 1 for the best; equal values share the better rank.
        best_frac: Value / best value, 0..1; best value / value where lower is better.
    """

    name: str
    rank: int
    best_frac: float


def relative_figures(table: PaperTable, column: str) -> tuple[RelativeFigure, ...]:
    """Return rank and share of the best of each row with a figure in a column.

    The rows are in the table's order.

    Args:
        table: The table.
        column: Name of the column.

    Raises:
        KeyError: The table has no such column.
        ValueError: The column does not state whether higher or lower is better, or a figure is not above 0.
    """
    values = table.values(column)
    better = next(found.better for found in table.columns if found.name == column)
    if better not in {"higher", "lower"}:
        raise ValueError(
            _("{id}: the direction of {column!r} is missing: higher or lower").format(id=table.id, column=column)
        )
    if any(value <= 0 for value in values.values()):
        raise ValueError(
            _("{id}: {column!r} has a value that is not above 0, so there is no share of the best").format(
                id=table.id, column=column
            )
        )
    best = max(values.values()) if better == "higher" else min(values.values())
    shares = {name: value / best if better == "higher" else best / value for name, value in values.items()}
    return tuple(
        RelativeFigure(name=name, rank=1 + sum(other > share for other in shares.values()), best_frac=share)
        for name, share in shares.items()
    )


def published_ranks(paper: PublishedPaper, load: str, splits: Sequence[str]) -> dict[str, RankRange]:
    """Return the possible ranks of each split by the paper's statements.

    Args:
        paper: The paper.
        load: Load kind.
        splits: The splits to rank among each other.
    """
    claims = [said.claim for said in paper.statements if isinstance(said.claim, OrderClaim) and said.claim.load == load]
    above = {(one, other) for claim in claims for one in claim.splits for other in claim.others}
    return _rank_ranges(splits, _transitive_closure(above))


def measured_ranks(leads: LogRatios, splits: Sequence[str]) -> dict[str, RankRange]:
    """Return the possible ranks of each split by the run's 95 % intervals.

    Args:
        leads: Ratios of the splits under one load.
        splits: The splits to rank among each other, all measured.
    """
    above = {(one, other) for one in splits for other in splits if one != other and leads.lead(one, other).ahead}
    return _rank_ranges(splits, above)


def published_shares(paper: PublishedPaper, load: str) -> dict[str, float]:
    """Return the throughput of splits as a share of the best, if the paper gives it.

    Args:
        paper: The paper.
        load: Load kind.
    """
    shares = {name: 1.0 for name, ranks in published_ranks(paper, load, paper.splits).items() if ranks == (1, 1)}
    gaps = [said.claim for said in paper.statements if isinstance(said.claim, GapClaim) and said.claim.load == load]
    return {**shares, **{gap.split or gap.at: round(1 - gap.gap_frac, 9) for gap in gaps if gap.split or gap.at}}


def _rank_ranges(splits: Sequence[str], above: Iterable[tuple[str, str]]) -> dict[str, RankRange]:
    pairs = [(one, other) for one, other in above if one in splits and other in splits]
    return {
        name: (1 + sum(other == name for _, other in pairs), len(splits) - sum(one == name for one, _ in pairs))
        for name in splits
    }


def _transitive_closure(above: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the pairs of higher and lower splits with all pairs that follow.

    If a is above b, and b is above c, then a is above c.
    """
    more = {(one, far) for one, near in above for other, far in above if near == other}
    return above if more <= above else _transitive_closure(above | more)
