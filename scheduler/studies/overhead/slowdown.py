"""Slowdown of one side against the reference, per item and over all items.

An item is a query or a load. A block runs every item once on each side, close together in time. An effect of the moment
on both sides cancels in ln(other) - ln(base). The block is the replicate, never the item: a disturbance in one side's
part of a block affects all items of that part. So the interval of an item is Student's t over its own blocks. The
interval over all items is Student's t over the means of the blocks. Nothing is borrowed from other items: their errors
are correlated, so a pooled variance would look more certain than it is (`make bench-overhead`).

The smallest detectable slowdown is the one that such repeats show with a chance of 80 %: (t of 97.5 % + t of 80 %)
standard errors (Bloom, Evaluation Review 19(5), 1995).
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
from scheduler.translation import _

TimesBySide = Mapping[str, Mapping[int, Mapping[str, float]]]
"""Side to block to item to seconds."""

_Items = Mapping[str, float]

_ERROR_CHANCE = 0.05


class ItemSlowdown(msgspec.Struct, frozen=True, kw_only=True):
    """Slowdown of one item, or of all items together.

    Attributes:
        item: Its name; empty over all items.
        base_s: Mean seconds on the reference, over the blocks that have both sides.
        other_s: Mean seconds on the other side, over the same blocks.
        added_s: Absolute slowdown, other_s - base_s; its interval is that of the differences within blocks.
        slower_frac: Relative slowdown, of geometric means; negative for a speed-up.
        blocks: Number of blocks that have both sides.
        added_ci95_s: 95 % interval of `added_s`; None with fewer than `LEAST_BLOCKS`.
        ci95_frac: 95 % interval of `slower_frac`; None with fewer than `LEAST_BLOCKS`.
        chance: Probability of a difference as large as this by chance, 0..1; None with fewer than `LEAST_BLOCKS`.
        smallest_frac: The smallest slowdown that these blocks detect with a chance of `POWER`.
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
    """Comparison of one side with the reference.

    Attributes:
        base: Name of the reference.
        other: Name of the other side.
        items: One slowdown per item, in the order in which the reference first ran them.
        geometric: Slowdown over all items with equal weight: the geometric mean of the ratios; None without a block
            that has all items on both sides. Its seconds are geometric means over the items.
        total: Slowdown of the sums over all items, where long items have more weight; None like `geometric`.
        unpaired: Items that one side never finished, or that no block has on both sides.
    """

    base: str
    other: str
    items: tuple[ItemSlowdown, ...]
    geometric: ItemSlowdown | None
    total: ItemSlowdown | None
    unpaired: tuple[str, ...]

    @property
    def surely(self) -> tuple[str, ...]:
        """Names of the items that differ with 95 % confidence, all tests together (Holm)."""
        tried = [(item.item, item.chance) for item in self.items if item.chance is not None]
        adjusted = adjust_chances([chance for _, chance in tried])
        return tuple(name for (name, _), chance in zip(tried, adjusted, strict=True) if chance < _ERROR_CHANCE)


def compare_sides(times: TimesBySide, base: str, other: str) -> SideComparison:
    """Return the slowdown of `other` against `base`.

    Args:
        times: Side to block to item to seconds, > 0.
        base: Name of the reference.
        other: Name of the other side.

    Raises:
        SpecError: A side is missing, no item is on both sides, or a time is not positive.
    """
    for side in (base, other):
        if not times.get(side):
            raise SpecError(
                "side",
                _("there are no measurements on {side}").format(side=side),
                hint=_("Measured: {times}.").format(times=", ".join(times) or "none"),
            )
        _refuse_bad_times(side, times[side])
    mine, theirs = times[base], times[other]
    sides = [(mine[block], theirs[block]) for block in mine if block in theirs]
    names = list(dict.fromkeys(item for side in (mine, theirs) for block in side.values() for item in block))
    pairs = {name: [(one[name], two[name]) for one, two in sides if name in one and name in two] for name in names}
    paired = [name for name in names if pairs[name]]
    if not paired:
        raise SpecError(
            "side",
            _("no block has an item on both {base} and {other}").format(base=base, other=other),
            hint=_("Measure both in one block."),
        )
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
    """Return the slowdown of one item.

    Args:
        item: Its name; empty over all items.
        pairs: (base, other) in seconds, > 0, a pair per block, at least one.
    """
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
                    _("{side}, block {block}, {item}").format(side=side, block=block, item=item),
                    _("{seconds} s is no time").format(seconds=seconds),
                    hint=_("Exclude items that did not end."),
                )
