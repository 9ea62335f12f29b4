"""What the papers' Tables 1 to 3 have, as text: run times, CPU time by mode, page faults; each with its interval."""

from collections.abc import Iterator, Sequence

from scheduler.studies.overhead.overhead_texts import slowdown_verdict
from scheduler.studies.overhead.query_costs import CostsBySide
from scheduler.studies.overhead.slowdown import ItemSlowdown, SideComparison
from tests.bench.side_table import MeanInterval, SideRow, build_side_rows, divide_by_time

_MS = 1_000


def tables(costs: CostsBySide, comparison: SideComparison) -> Iterator[str]:
    """Yield the lines of three tables."""
    base, other = comparison.base, comparison.other
    yield f"Run times, ms: {base} and {other}"
    yield from run_times(comparison)
    for name, value in (("User CPU", lambda cost: cost.user_s), ("System CPU", lambda cost: cost.system_s)):
        yield f"{name}, ms: {base} and {other}"
        yield from _rows(build_side_rows(costs, base, other, value), _MS)
    yield f"Waiting for the CPU, ms: {base} and {other}"
    yield from _rows(build_side_rows(costs, base, other, lambda cost: cost.cpu_wait_s), _MS)
    rates = build_side_rows(costs, base, other, divide_by_time(lambda cost: cost.faults))
    by_rate = [row.item for row in sorted(rates, key=lambda row: -row.other.value)]
    yield f"Page faults: {base} and {other}, by their rate"
    yield from _rows(build_side_rows(costs, base, other, lambda cost: cost.faults, by_rate), 1)
    yield f"Page faults per second, and the relative slowdown: {base} and {other}"
    slower = {item.item: item for item in comparison.items}
    for row in sorted(rates, key=lambda row: -row.other.value):
        yield f"{next(iter(_rows([row], 1)))}   {_pct(slower[row.item])}"


def run_times(comparison: SideComparison) -> Iterator[str]:
    """Yield Table 1: an item a line, then all of them."""
    shown = [(item.item, item) for item in comparison.items]
    shown += [(name, each) for name, each in (("mean", comparison.geometric), ("sum", comparison.total)) if each]
    for name, found in shown:
        added = _with(MeanInterval(found.added_s, found.added_ci95_s), _MS)
        yield (
            f"{name:5}{_MS * found.base_s:>10.2f}{_MS * found.other_s:>10.2f}{added:>30}   {_pct(found):34}"
            f"{slowdown_verdict(found)}"
        )


def _pct(found: ItemSlowdown) -> str:
    shown = f"{100 * found.slower_frac:.1f} %"
    return f"{shown} ({100 * found.ci95_frac[0]:.1f} to {100 * found.ci95_frac[1]:.1f})" if found.ci95_frac else shown


def _rows(rows: Sequence[SideRow], times: float) -> Iterator[str]:
    for row in rows:
        yield f"{row.item:5}" + "".join(f"{_with(each, times):>30}" for each in (row.base, row.other, row.added))


def _with(mean: MeanInterval, times: float) -> str:
    shown = f"{times * mean.value:.5g}"
    return f"{shown} ({times * mean.ci95[0]:.4g} to {times * mean.ci95[1]:.4g})" if mean.ci95 else shown
