"""Slowdowns as paired differences: within a block both sides had the same luck, and between blocks lies the evidence.

A slowdown is exp(mean d) - 1 with d = ln(side / base) within a block; its interval is Student's t over the blocks. The
replicate is the block, never the second and never the query: what drifts in a block is in both of its visits.
"""

import math
from collections.abc import Mapping, Sequence

from scheduler.model.findings import Slowdown
from scheduler.stats.student import two_sided
from scheduler.studies.overhead.seen import TIME, Block

_LEAST_BLOCKS = 2


def slowdown_of(names: tuple[str, str, str], base: Mapping[int, float], side: Mapping[int, float]) -> Slowdown | None:
    """Return one slowdown; None where no block has both.

    Args:
        names: Load, side and item.
        base: Block to milliseconds on the base, > 0.
        side: Block to milliseconds on the side, > 0.
    """
    both = sorted(base.keys() & side.keys())
    if not both:
        return None
    middle, reach = _mean([math.log(side[block] / base[block]) for block in both])
    load, label, item = names
    return Slowdown(
        load=load,
        side=label,
        item=item,
        base_ms=math.fsum(base[block] for block in both) / len(both),
        side_ms=math.fsum(side[block] for block in both) / len(both),
        slowdown_frac=math.expm1(middle),
        ci95_frac=None if reach is None else (math.expm1(middle - reach), math.expm1(middle + reach)),
        blocks=len(both),
    )


def by_item(load: str, side: str, base: Mapping[int, Block], there: Mapping[int, Block]) -> list[Slowdown]:
    """Return the slowdown of every item that both sides have, in the base's order."""
    items = dict.fromkeys(item for block in base.values() for item in block)
    found = (slowdown_of((load, side, item), times_of(base, item), times_of(there, item)) for item in items)
    return [each for each in found if each is not None]


def overall(load: str, side: str, base: Mapping[int, Block], there: Mapping[int, Block]) -> Slowdown | None:
    """Return the geometric mean over the items, each counting alike, with its interval over the blocks.

    A block counts where both of its visits have the same items, all that any block has.
    """
    every = {item for block in (*base.values(), *there.values()) for item in block}
    whole = [block for block in base.keys() & there.keys() if every == set(base[block]) == set(there[block])]
    if not every:
        return None
    means = [{block: _geometric(each[block]) for block in whole} for each in (base, there)]
    return slowdown_of((load, side, ""), *means)


def times_of(blocks: Mapping[int, Block], item: str) -> dict[int, float]:
    """Return block to the milliseconds that an item took."""
    return {number: block[item][TIME][0] for number, block in blocks.items() if item in block}


def _geometric(block: Block) -> float:
    return math.exp(math.fsum(math.log(counters[TIME][0]) for counters in block.values()) / len(block))


def _mean(values: Sequence[float]) -> tuple[float, float | None]:
    """Return the mean, and how far its 95 % interval reaches to either side; None with too few values."""
    count = len(values)
    middle = math.fsum(values) / count
    if count < _LEAST_BLOCKS:
        return middle, None
    square = math.fsum((value - middle) ** 2 for value in values) / (count - 1)
    return middle, two_sided(count - 1) * math.sqrt(square / count)
