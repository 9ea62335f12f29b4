"""Comparison of two sweeps: sentences, differences of their plans, and a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from app.display_texts import format_interval, format_percent, format_signed_percent
from app.load_texts import load_name, unit_of
from app.pages.sweep_rows import SweepRow
from app.plots.live_texts import setting_name
from app.widgets.table import Cell, TableData
from scheduler.model.host_properties import HostProperties
from scheduler.model.results import MeasuredPoint, leading_points
from scheduler.model.spec import Mode, RunSpec
from scheduler.stats.run_comparison import RateRatio, compare_overall, compare_splits
from scheduler.store.result_cache import load_results
from scheduler.store.run_store import RunStore

_MOST_LINES = 6


def _tr(text: str) -> str:
    return QCoreApplication.translate("comparison", text)


@dataclass(frozen=True)
class ComparedSweep:
    """Sweep with all data that a comparison shows.

    Attributes:
        row: Row of the list of sweeps.
        spec: Plan.
        facts: Host.
        points: Measured points.
    """

    row: SweepRow
    spec: RunSpec
    facts: HostProperties
    points: tuple[MeasuredPoint, ...]


def read_sweeps(path: Path, rows: Sequence[SweepRow]) -> list[ComparedSweep]:
    """Read the newest run of each sweep; call this in the background.

    Args:
        path: The store's file.
        rows: Sweeps to read.

    Raises:
        StoreError: The store cannot be read.
    """
    with RunStore(path, read_only=True) as store:
        return [_read_sweep(store, row) for row in rows]


def _read_sweep(store: RunStore, row: SweepRow) -> ComparedSweep:
    run = store.run(row.run_id)
    return ComparedSweep(row, run.spec, run.facts, load_results(store, run).points)


def comparison_sentences(one: ComparedSweep, other: ComparedSweep) -> list[str]:
    """Return one sentence per load with the second sweep's gain over the first.

    Args:
        one: First sweep.
        other: Second sweep.
    """
    if are_different_hosts(one, other):
        return [_tr("These are different hosts. Compare the shapes, not the heights.")]
    first, second = one.points, other.points
    single = compare_splits(first, second)
    found = [_ratio_sentence(ratio, single) for ratio in compare_overall(first, second)]
    return found or [_tr("These sweeps have no split and load in common, so they cannot be compared.")]


def are_different_hosts(one: ComparedSweep, other: ComparedSweep) -> bool:
    """Return True if the sweeps' throughputs cannot be compared: the hosts differ.

    Args:
        one: First sweep.
        other: Second sweep.
    """
    return one.facts.host_id != other.facts.host_id


def _ratio_sentence(ratio: RateRatio, single: Sequence[RateRatio]) -> str:
    load, size = load_name(ratio.load), format_percent(abs(ratio.gain_frac))
    if ratio.ci95_frac is None:
        words = _tr("{load}: the second gives {size}, which may be chance (too few trials).")
        return words.format(load=load, size=format_signed_percent(ratio.gain_frac))
    span = format_interval(*ratio.ci95_frac)
    apart = [one for one in single if one.load == ratio.load and one.gain.differs_from()]
    most = max(apart, key=lambda one: abs(one.gain_frac), default=None)
    at = "" if most is None else _largest_gain_text(most)
    if not ratio.gain.differs_from():
        words = _tr("{load}: no clear difference over {n} splits (95 % interval {span}).{at}")
    elif ratio.gain_frac > 0:
        words = _tr("{load}: the second is {size} faster over {n} splits (95 % interval {span}).{at}")
    else:
        words = _tr("{load}: the second is {size} slower over {n} splits (95 % interval {span}).{at}")
    return words.format(load=load, size=size, n=ratio.splits, span=span, at=at)


def _largest_gain_text(ratio: RateRatio) -> str:
    return " " + _tr("Largest at {split}: {gain}.").format(
        split=setting_name(ratio.setting), gain=format_signed_percent(ratio.gain_frac)
    )


def list_differences(one: ComparedSweep, other: ComparedSweep) -> tuple[list[str], list[str]]:
    """Return the differing properties of two sweeps, as two lists in the same order.

    Args:
        one: First sweep.
        other: Second sweep.
    """
    pairs = [pair for pair in zip(_sweep_properties(one), _sweep_properties(other), strict=True) if pair[0] != pair[1]]
    shown = pairs[:_MOST_LINES]
    return [mine for mine, _ in shown], [theirs for _, theirs in shown]


def _sweep_properties(row: ComparedSweep) -> list[str]:
    """Return the properties that may differ between two sweeps of the same name."""
    spec = row.spec
    loads = ", ".join(_tr("{load} with {n} users").format(load=load_name(x.name), n=x.users) for x in spec.loads)
    modes = {Mode.CAPS: _tr("caps"), Mode.WEIGHTS: _tr("weights"), Mode.DEDICATED: _tr("dedicated CPUs")}
    versions = ", ".join(f"{name} {version}" for name, version in row.facts.versions.items())
    return [
        row.row.host,
        _tr("scheduler {name}").format(name=row.facts.scheduler),
        modes[spec.mode],
        _tr("{n} splits").format(n=len(spec.settings)),
        loads,
        _tr("{name}, {m} s per trial").format(name=spec.protocol.name, m=spec.protocol.measure_s),
        versions,
    ]


def comparison_table(one: ComparedSweep, other: ComparedSweep) -> TableData:
    """Return the figures of both sweeps.

    If both have the same host, the table also has the second sweep's gain in percent with its interval.

    Args:
        one: First sweep.
        other: Second sweep.
    """
    mine, theirs = (unit_of(row.spec.units, row.spec.units) for row in (one, other))
    headers = (
        _tr("Split"),
        _tr("Load"),
        _tr("First ({unit})").format(unit=mine),
        _tr("Second ({unit})").format(unit=theirs),
    )
    compared = (
        ()
        if are_different_hosts(one, other)
        else (_tr("Second is faster by (%)"), _tr("at least (%)"), _tr("at most (%)"))
    )
    first, second = (
        {(point.setting, point.load): point.mean_tps for point in leading_points(row.points)} for row in (one, other)
    )
    known = {(ratio.setting, ratio.load): ratio for ratio in compare_splits(one.points, other.points)}
    keys = dict.fromkeys((*first, *second))
    rows = [
        (
            setting_name(setting),
            load_name(kind),
            first.get((setting, kind)),
            second.get((setting, kind)),
            *(_ratio_cells(ratio) if compared else ()),
        )
        for setting, kind in keys
        for ratio in (known.get((setting, kind)),)
    ]
    return TableData((*headers, *compared), rows)


def _ratio_cells(ratio: RateRatio | None) -> tuple[Cell, Cell, Cell]:
    if ratio is None:
        return None, None, None
    low, high = ratio.ci95_frac or (None, None)
    return 100 * ratio.gain_frac, None if low is None else 100 * low, None if high is None else 100 * high
