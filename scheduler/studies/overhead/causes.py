"""Which counters go with a slowdown: what part of it each makes up, and how it goes with it from item to item.

Parts add up: the change of user CPU, system CPU and waiting for the CPU, each as a part of the base's time, and what is
left over (disk, network, locks) are the slowdown of the sum. A correlation is Pearson's over the items, its interval by
Fisher's z (Fisher, Metron 1, 1921), wide enough for all counters together (Bonferroni). It is no cause by itself.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.findings import Cause
from scheduler.stats.student import normal_below
from scheduler.studies.overhead.seen import TIME, Block

LEAST_ITEMS = 8
_DOUBT = 0.05


def causes_of(load: str, side: str, base: Mapping[int, Block], there: Mapping[int, Block]) -> list[Cause]:
    """Return one cause per counter that all items have on both sides, in the order of the load's figures."""
    both = sorted(base.keys() & there.keys())
    items = [item for item in _items(base, both) if all(item in there[block] for block in both)]
    if not both or not items:
        return []
    ours, theirs = _means(base, both, items), _means(there, both, items)
    names = [name for name in dict.fromkeys(name for item in items for name in ours[item]) if name != TIME]
    names = [name for name in names if all(name in ours[item] and name in theirs[item] for item in items)]
    units = {name: base[both[0]][items[0]][name][1] for name in names if name in base[both[0]][items[0]]}
    found = [_cause((load, side, name, units.get(name, "")), ours, theirs, items) for name in names]
    doubt = _DOUBT / max(1, len(found))
    return [_with_interval(each, len(items), doubt) for each in found]


def _cause(
    names: tuple[str, str, str, str],
    base: Mapping[str, Mapping[str, float]],
    there: Mapping[str, Mapping[str, float]],
    items: Sequence[str],
) -> Cause:
    load, side, name, unit = names
    total_ms = math.fsum(base[item][TIME] for item in items)
    first, second = (math.fsum(each[item][name] for item in items) for each in (base, there))
    slower = [there[item][TIME] / base[item][TIME] - 1 for item in items]
    grown = [(there[item][name] - base[item][name]) / base[item][TIME] for item in items]
    found = _pearson(grown, slower) if len(items) >= LEAST_ITEMS else None
    return Cause(
        load=load,
        side=side,
        counter=name,
        unit=unit,
        base=first,
        side_sum=second,
        part_frac=(second - first) / total_ms if unit == "ms" else None,
        correlation=found,
        correlation_ci=None,
    )


def _with_interval(cause: Cause, items: int, doubt: float) -> Cause:
    found = cause.correlation
    return cause if found is None else msgspec.structs.replace(cause, correlation_ci=_fisher(found, items, doubt))


def _items(blocks: Mapping[int, Block], both: Sequence[int]) -> list[str]:
    """Return the items that all of these blocks have."""
    return [item for item in blocks[both[0]] if all(item in blocks[block] for block in both)] if both else []


def _means(blocks: Mapping[int, Block], both: Sequence[int], items: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return item to counter to its mean over the blocks, for those that every block has."""
    found: dict[str, dict[str, float]] = {}
    for item in items:
        named = [blocks[block][item] for block in both]
        common = [name for name in named[0] if all(name in each for each in named)]
        found[item] = {name: math.fsum(each[name][0] for each in named) / len(named) for name in common}
    return found


def _pearson(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return the correlation; None where one of the two does not vary."""
    one, two = (math.fsum(values) / len(values) for values in (first, second))
    apart = [(x - one, y - two) for x, y in zip(first, second, strict=True)]
    squares = math.fsum(x * x for x, _ in apart) * math.fsum(y * y for _, y in apart)
    return math.fsum(x * y for x, y in apart) / math.sqrt(squares) if squares > 0 else None


def _fisher(found: float, count: int, doubt: float) -> tuple[float, float]:
    """Return the interval of a correlation: atanh of it is nearly normal with variance 1 / (n - 3)."""
    bent = math.atanh(min(max(found, -0.999999), 0.999999))
    reach = _normal(1 - doubt / 2) / math.sqrt(count - 3)
    return math.tanh(bent - reach), math.tanh(bent + reach)


def _normal(probability: float) -> float:
    """Return z with P(Z <= z) = `probability`, within [0.5, 1)."""
    low, high = 0.0, 10.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if normal_below(middle) < probability else (low, middle)
    return high
