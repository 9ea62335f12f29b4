"""Causes of a slowdown: components of the added time, and correlated counters.

The components are an account: the added time of all items is CPU in user mode, CPU in system mode, waiting for the CPU,
waiting for a disk, and the rest. The correlations are those of the papers: Pearson's correlation over items between the
relative slowdown and a counter.

Items that are slowed down equally, within noise, can show no correlation. So a test comes first: it checks if ln(other)
- ln(base) minus its block's median keeps its sign from block to block, compared with random signs.
"""

import math
from collections.abc import Callable, Mapping
from statistics import fmean

import msgspec
import numpy as np

from scheduler.errors import SpecError
from scheduler.model.estimate import Estimate, estimate_of
from scheduler.studies.overhead.correlation import CounterCorrelation, correlate_counters
from scheduler.studies.overhead.query_costs import CostsBySide, QueryCost
from scheduler.studies.overhead.slowdown import LEAST_BLOCKS, SideComparison, estimate_mean_interval
from scheduler.translation import _

_ALIKE_CHANCE = 0.05
_FLIPS = 2_000
_SEED = 1
_TINY = 1e-9


class TimeComponent(msgspec.Struct, frozen=True, kw_only=True):
    """Component of the added time, over all items.

    Attributes:
        name: Name of the component.
        added_frac: Added time as a fraction of the reference's time; all components add up to the slowdown of the sums,
            `SideComparison.total`.
        added_ci95_frac: Its 95 % interval, paired by block; None with too few blocks.
    """

    name: str
    added_frac: float
    added_ci95_frac: tuple[float, float] | None

    @property
    def added(self) -> Estimate:
        """Added time with its interval, as a fraction of the reference's time."""
        return estimate_of(self.added_frac, self.added_ci95_frac)


class SlowdownCauses(msgspec.Struct, frozen=True, kw_only=True):
    """Explanation of a slowdown.

    Attributes:
        parts: Components of the added time. Empty where the counters are not known, or no block has all items.
        alike_chance: Probability that equally slowed items differ as much by chance, 0..1; None with too few blocks, or
            one item.
        correlations: Counter to its correlation with the relative slowdown; None where that cannot be computed.
    """

    parts: tuple[TimeComponent, ...]
    alike_chance: float | None
    correlations: Mapping[str, CounterCorrelation | None]

    @property
    def items_differ(self) -> bool:
        """True where some items are slowed down more than others, beyond noise.

        Without such a difference no correlation is claimed.
        """
        return self.alike_chance is not None and self.alike_chance < _ALIKE_CHANCE

    @property
    def claimed(self) -> tuple[str, ...]:
        """Counters with a positive correlation with the slowdown, the strongest first.

        A counter with a negative correlation explains no slowdown.
        """
        known = {name: found.r for name, found in self.correlations.items() if found is not None and found.claimed}
        rising = [name for name in known if known[name] > 0]
        return tuple(sorted(rising, key=lambda name: -known[name])) if self.items_differ else ()


_Value = Callable[[QueryCost], float | None]

TIME_COMPONENTS: Mapping[str, _Value] = {
    "user CPU": lambda cost: cost.user_s,
    "system CPU": lambda cost: cost.system_s,
    "waiting for the CPU": lambda cost: cost.cpu_wait_s,
    "waiting for the disk": lambda cost: cost.io_wait_s,
    "rest": lambda cost: cost.rest_s,
}
"""Components of an item's time."""

COUNTER_CHANGES: Mapping[str, tuple[str, _Value]] = {
    "user CPU": (_("seconds more per second on the reference"), TIME_COMPONENTS["user CPU"]),
    "system CPU": (_("seconds more per second on the reference"), TIME_COMPONENTS["system CPU"]),
    "waiting for the CPU": (_("seconds more per second on the reference"), TIME_COMPONENTS["waiting for the CPU"]),
    "waiting for the disk": (_("seconds more per second on the reference"), TIME_COMPONENTS["waiting for the disk"]),
    "CPU of I/O workers": (_("seconds more per second on the reference"), lambda cost: cost.workers_s),
    "bytes read": (_("bytes more per second on the reference"), lambda cost: cost.read_bytes),
}
"""Counter to its unit and value; its change is divided by the time on the reference."""

FAULT_RATE = _("page faults per second")
"""Rate on the other side, as in the papers: the change of a rate would fall where only the time grows."""


def find_causes(costs: CostsBySide, comparison: SideComparison) -> SlowdownCauses:
    """Return the causes of a slowdown.

    Args:
        costs: Costs of all items.
        comparison: The comparison of the times of these costs.

    Raises:
        SpecError: A side of the comparison has no costs.
    """
    for side in (comparison.base, comparison.other):
        if side not in costs:
            raise SpecError(
                "side",
                _("there are no measurements on {side}").format(side=side),
                hint=_("Measured: {costs}.").format(costs=", ".join(costs)),
            )
    items = [item.item for item in comparison.items]
    pairs = _pair_blocks(costs[comparison.base], costs[comparison.other])
    slower = {item.item: item.slower_frac for item in comparison.items}
    changes = {name: _mean_changes(pairs, items, value) for name, (_, value) in COUNTER_CHANGES.items()}
    return SlowdownCauses(
        parts=_divide_added_time([pair for pair in pairs if pair[0].keys() & pair[1].keys() >= set(items)], items),
        alike_chance=_alike_chance(pairs, items),
        correlations=correlate_counters(slower, {**changes, FAULT_RATE: _fault_rates(pairs, items)}),
    )


_Block = tuple[Mapping[str, QueryCost], Mapping[str, QueryCost]]


def _pair_blocks(
    base: Mapping[int, Mapping[str, QueryCost]], other: Mapping[int, Mapping[str, QueryCost]]
) -> list[_Block]:
    return [(base[block], other[block]) for block in base if block in other]


def _divide_added_time(blocks: list[_Block], items: list[str]) -> tuple[TimeComponent, ...]:
    """Divide each block's ln(other / base) into components (LMDI).

    Source: Ang, Energy Policy 32(9), 2004. Differences over the logarithmic mean of both sides add up to that
    logarithm. Over the reference alone the components would be biased: a reference that was fast by luck makes all
    components large, a slow reference does not make them equally small.
    """
    sums = [
        (_sum_items(mine, items, _query_time_s), _sum_items(theirs, items, _query_time_s)) for mine, theirs in blocks
    ]
    wholes = [(base, other) for base, other in sums if base is not None and other is not None]
    logs = [math.log(other / base) for base, other in wholes]
    if not logs:
        return ()
    stretch = math.expm1(fmean(logs)) / fmean(logs) if abs(fmean(logs)) > _TINY else 1.0
    found: list[TimeComponent] = []
    for name, value in TIME_COMPONENTS.items():
        pairs = [(_sum_items(mine, items, value), _sum_items(theirs, items, value)) for mine, theirs in blocks]
        added = [two - one for one, two in pairs if one is not None and two is not None]
        if len(added) == len(blocks):
            shares = [stretch * more / _logarithmic_mean(*whole) for more, whole in zip(added, wholes, strict=True)]
            found.append(
                TimeComponent(name=name, added_frac=fmean(shares), added_ci95_frac=estimate_mean_interval(shares))
            )
    return tuple(found) if any(part.name == "rest" for part in found) else ()


def _logarithmic_mean(one: float, two: float) -> float:
    """Return the logarithmic mean."""
    log = math.log(two / one)
    return (two - one) / log if abs(log) > _TINY else (one + two) / 2


def _query_time_s(cost: QueryCost) -> float:
    return cost.time_s


def _sum_items(block: Mapping[str, QueryCost], items: list[str], value: _Value) -> float | None:
    values = [value(block[item]) for item in items]
    known = [each for each in values if each is not None]
    return math.fsum(known) if len(known) == len(values) else None


def _mean_changes(blocks: list[_Block], items: list[str], value: _Value) -> dict[str, float]:
    """Return item to the mean change of a counter per second of the reference.

    Items without the counter are left out.
    """
    found: dict[str, float] = {}
    for item in items:
        both = [(mine[item], theirs[item]) for mine, theirs in blocks if item in mine and item in theirs]
        sides = [(value(mine), value(theirs)) for mine, theirs in both]
        known = [theirs - mine for mine, theirs in sides if mine is not None and theirs is not None]
        if known and len(known) == len(both):
            found[item] = fmean(known) / fmean(mine.time_s for mine, _ in both)
    return found


def _fault_rates(blocks: list[_Block], items: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for item in items:
        costs = [theirs[item] for mine, theirs in blocks if item in mine and item in theirs]
        faults = [cost.faults for cost in costs if cost.faults is not None]
        if faults and len(faults) == len(costs):
            found[item] = math.fsum(faults) / math.fsum(cost.time_s for cost in costs)
    return found


def _alike_chance(blocks: list[_Block], items: list[str]) -> float | None:
    """Return the probability that random signs let items differ as much as these.

    The difference is from the median of the block. Each item keeps the size of its own noise, so short noisy queries do
    not seem different from long ones.
    """
    whole = [pair for pair in blocks if pair[0].keys() & pair[1].keys() >= set(items)]
    if len(whole) < LEAST_BLOCKS or len(items) < 2:
        return None
    logs = np.array([[math.log(theirs[i].time_s / mine[i].time_s) for i in items] for mine, theirs in whole])
    rests = logs - np.median(logs, axis=1, keepdims=True)
    squares = (rests**2).sum(axis=0)
    rests = rests[:, squares > 0] / np.sqrt(squares[squares > 0])
    signs = np.random.default_rng(_SEED).choice((-1.0, 1.0), (_FLIPS, *rests.shape))
    flipped = ((signs * rests).sum(axis=1) ** 2).sum(axis=1)
    seen = float((rests.sum(axis=0) ** 2).sum())
    return (1 + int((flipped >= seen * (1 - 1e-12)).sum())) / (1 + _FLIPS)
