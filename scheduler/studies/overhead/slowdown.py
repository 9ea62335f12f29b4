"""How much slower one side is than the other, per item and over all, with what the repeats justify.

An item is a query, or a load. A block runs every item once on each side, close together in time: what a block's moment
does to both sides cancels in ln(other) - ln(base). The block is the replicate, never the item: a burst of a neighbour
that falls into one side's part of a block meets all its items. So an item's interval is Student's t over its own
blocks, and that over all items the same of the blocks' means. Nothing is borrowed from other items: they share luck,
which would make a pooled variance look surer than it is (`make bench-overhead`).

The smallest slowdown that such repeats tell apart is the one that they would with a chance of 80 %: (t of 97.5 % + t of
80 %) standard errors (Bloom, Evaluation Review 19(5), 1995).
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

import msgspec

from scheduler.errors import SpecError
from scheduler.model.estimate import Estimate, estimate_of
from scheduler.stats.holm_correction import adjust_chances
from scheduler.stats.replicates import LEAST_BLOCKS, POWER, estimate_mean_interval, standard_error
from scheduler.stats.student import student_cdf, student_quantile, two_sided_factor

TimesBySide = Mapping[str, Mapping[int, Mapping[str, float]]]
"""Side to block to item to seconds."""

_Items = Mapping[str, float]

_ERROR_CHANCE = 0.05


class ItemSlowdown(msgspec.Struct, frozen=True, kw_only=True):
    """What one side takes more than the other, for one item or for all.

    Attributes:
        item: Its name; empty over all.
        base_s: Mean over the blocks that have both sides; likewise `other_s`.
        added_s: Absolute slowdown, other_s - base_s; its interval is that of the differences within blocks.
        slower_frac: Relative slowdown, of geometric means; negative for faster.
        blocks: Blocks that have both sides.
        ci95_frac: 95 % interval of `slower_frac`; None with fewer than `LEAST_BLOCKS`. Likewise `added_ci95_s`.
        chance: Of a difference as large as this where there is none; None likewise.
        smallest_frac: The smallest slowdown that these blocks tell apart with a chance of `POWER`.
    """

    item: str
    base_s: float
    other_s: float
    added_s: float
    slower_frac: float
    blocks: int
    added_ci95_s: tuple[float, float] | None = None
    ci95_frac: tuple[float, float] | None = None
    chance: float | None = None
    smallest_frac: float | None = None

    @property
    def slowdown(self) -> Estimate:
        """Slowdown with its interval, as a fraction."""
        return estimate_of(self.slower_frac, self.ci95_frac)


class SideComparison(msgspec.Struct, frozen=True, kw_only=True):
    """One side against the base.

    Attributes:
        base: Name of the side that is compared with; likewise `other`.
        items: One each, in the order in which the base first ran them.
        geometric: Over all items, each counting alike: the geometric mean of the ratios; None without a block that has
            all of them on both sides. Its seconds are geometric means, too, over the items.
        total: Of the sums over all items, where long ones count more; None likewise.
        unpaired: Items that one side never finished, or no block has on both.
    """

    base: str
    other: str
    items: tuple[ItemSlowdown, ...]
    geometric: ItemSlowdown | None
    total: ItemSlowdown | None
    unpaired: tuple[str, ...]

    @property
    def surely(self) -> tuple[str, ...]:
        """Names of the items that are told apart though all of them were tried (Holm)."""
        tried = [(item.item, item.chance) for item in self.items if item.chance is not None]
        adjusted = adjust_chances([chance for _, chance in tried])
        return tuple(name for (name, _), chance in zip(tried, adjusted, strict=True) if chance < _ERROR_CHANCE)


def compare_sides(times: TimesBySide, base: str, other: str) -> SideComparison:
    """Return how much slower `other` is than `base`.

    Raises:
        SpecError: A side is not there, no item is on both, or a time is none.
    """
    for side in (base, other):
        if not times.get(side):
            raise SpecError("side", f"nothing was measured on {side}", hint=f"Measured: {', '.join(times) or 'none'}.")
        _refuse_bad_times(side, times[side])
    mine, theirs = times[base], times[other]
    sides = [(mine[block], theirs[block]) for block in mine if block in theirs]
    names = list(dict.fromkeys(item for side in (mine, theirs) for block in side.values() for item in block))
    pairs = {name: [(one[name], two[name]) for one, two in sides if name in one and name in two] for name in names}
    paired = [name for name in names if pairs[name]]
    if not paired:
        raise SpecError("side", f"no block has an item on both {base} and {other}", hint="Measure both in one block.")
    whole = [(one, two) for one, two in sides if one.keys() & two.keys() >= set(paired)]
    return SideComparison(
        base=base,
        other=other,
        items=tuple(estimate_slowdown(name, pairs[name]) for name in paired),
        geometric=_slowdown_of_all(whole, paired, _geometric_mean),
        total=_slowdown_of_all(whole, paired, math.fsum),
        unpaired=tuple(name for name in names if not pairs[name]),
    )


def estimate_slowdown(item: str, pairs: Sequence[tuple[float, float]]) -> ItemSlowdown:
    """Return the slowdown of one item from (base, other) in seconds, a pair per block, at least one."""
    base_s, other_s = (fmean(side) for side in zip(*pairs, strict=True))
    logs = [math.log(other / base) for base, other in pairs]
    middle = fmean(logs)
    found = ItemSlowdown(
        item=item,
        base_s=base_s,
        other_s=other_s,
        added_s=other_s - base_s,
        slower_frac=math.expm1(middle),
        blocks=len(pairs),
    )
    if len(pairs) < LEAST_BLOCKS:
        return found
    dof, error = len(pairs) - 1, standard_error(logs)
    half = two_sided_factor(dof) * error
    return msgspec.structs.replace(
        found,
        added_ci95_s=estimate_mean_interval([other - base for base, other in pairs]),
        ci95_frac=(math.expm1(middle - half), math.expm1(middle + half)),
        chance=2 * student_cdf(dof, -abs(middle) / error) if error else float(middle == 0),
        smallest_frac=math.expm1(half + student_quantile(dof, POWER) * error),
    )


def _geometric_mean(values: Iterable[float]) -> float:
    return math.exp(fmean(map(math.log, values)))


def _slowdown_of_all(
    sides: Iterable[tuple[_Items, _Items]], items: Sequence[str], mean: Callable[[Iterable[float]], float]
) -> ItemSlowdown | None:
    pairs = [(mean([mine[name] for name in items]), mean([theirs[name] for name in items])) for mine, theirs in sides]
    return estimate_slowdown("", pairs) if pairs else None


def _refuse_bad_times(side: str, blocks: Mapping[int, Mapping[str, float]]) -> None:
    for block, items in blocks.items():
        for item, seconds in items.items():
            if not (math.isfinite(seconds) and seconds > 0):
                raise SpecError(
                    f"{side}, block {block}, {item}", f"{seconds} s is no time", hint="Leave out what did not end."
                )
