"""Comparison of runs with one of them, the base: sentences and tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.display_texts import format_clock, format_interval, format_percent, format_signed_percent
from app.load_texts import load_name, unit_of_all
from app.pages.decision_texts import list_words
from app.pages.sweep_rows import SweepRow
from app.plots.live_texts import setting_name
from app.widgets.table import Cell, TableData
from scheduler.model.decision import SweepDecision
from scheduler.model.results import MeasuredPoint, Results, leading_points
from scheduler.model.spec import Mode
from scheduler.model.studies import Setting, find_study
from scheduler.model.terminal_text import to_single_line
from scheduler.stats.run_comparison import RateRatio, compare_overall, compare_splits
from scheduler.store.result_cache import load_results
from scheduler.store.run_rows import RunRow
from scheduler.store.run_store import RunStore
from scheduler.translation import _


@dataclass(frozen=True)
class ComparedRun:
    """Run with all data that a comparison shows.

    Attributes:
        name: The user's name of the run, or its default name.
        host: The host in one line.
        host_id: Identity of the host; of results without a run, their host's URL and title.
        when: Start of the run, as text.
        verdict: The decision in a few words.
        decision: The decision.
        points: Measured points.
        simulated: True when nothing was measured on a machine.
        loads: Each load with its users, as text; without users for results without a run.
        conditions: Scheduler, mode and protocol, as text.
    """

    name: str
    host: str
    host_id: str
    when: str
    verdict: str
    decision: SweepDecision
    points: tuple[MeasuredPoint, ...]
    simulated: bool
    loads: str
    conditions: str

    @property
    def kinds(self) -> tuple[str, ...]:
        """Its loads, each once."""
        return tuple(dict.fromkeys(point.load for point in self.points))


def read_sweeps(path: Path, rows: Sequence[SweepRow]) -> list[ComparedRun]:
    """Read the newest run of each sweep; call this in the background.

    Args:
        path: The store's file.
        rows: Sweeps to read.

    Raises:
        StoreError: The store cannot be read.
    """
    with RunStore(path, read_only=True) as store:
        return [_compared_sweep(row, run, load_results(store, run)) for row, run in _read_runs(store, rows)]


def _read_runs(store: RunStore, rows: Sequence[SweepRow]) -> list[tuple[SweepRow, RunRow]]:
    return [(row, store.run(row.run_id)) for row in rows]


def _compared_sweep(row: SweepRow, run: RunRow, results: Results) -> ComparedRun:
    spec, protocol = run.spec, run.spec.protocol
    loads = (_("{load} with {n} users").format(load=load_name(load.name), n=load.users) for load in spec.loads)
    mode = _mode_text(spec.mode)
    return ComparedRun(
        name=row.name,
        host=row.host,
        host_id=run.facts.host_id,
        when=row.when,
        verdict=row.verdict,
        decision=results.answer.decision,
        points=results.points,
        simulated=row.simulated,
        loads=", ".join(loads),
        conditions=_("scheduler {name}, {mode}, {protocol}, {m} s per trial").format(
            name=run.facts.scheduler, mode=mode, protocol=protocol.name, m=protocol.measure_s
        ),
    )


def compared_results(results: Results) -> ComparedRun:
    """Return results of a file, which have no plan."""
    loads = dict.fromkeys(load_name(point.load) for point in results.points)
    answer = results.answer
    split = find_study(results.study).recommends_split
    return ComparedRun(
        name=to_single_line(results.name or results.run_id),
        host=to_single_line(results.host_title or results.host),
        host_id=f"{results.host} {results.host_title}",
        when=format_clock(results.started_unix_s),
        verdict=list_words(answer.decision)[0] if split else answer.headline,
        decision=answer.decision,
        points=results.points,
        simulated=results.simulated,
        loads=", ".join(loads),
        conditions=_("{mode}, {protocol}").format(mode=results.mode, protocol=to_single_line(results.protocol)),
    )


def _mode_text(mode: Mode) -> str:
    return {Mode.CAPS: _("caps"), Mode.WEIGHTS: _("weights"), Mode.DEDICATED: _("dedicated CPUs")}[mode]


def different_hosts(base: ComparedRun, run: ComparedRun) -> bool:
    """Return True if the throughputs cannot be compared: the hosts differ.

    Args:
        base: The base.
        run: The other run.
    """
    return base.host_id != run.host_id


def differences(base: ComparedRun, run: ComparedRun) -> str:
    """Return the differences of a run from the base, as text; empty for none.

    Args:
        base: The base.
        run: The other run.
    """
    found = [
        _("another host") if different_hosts(base, run) else "",
        run.loads if run.loads != base.loads else "",
        run.conditions if run.conditions != base.conditions else "",
    ]
    return "; ".join(each for each in found if each)


def comparison_sentences(base: ComparedRun, run: ComparedRun) -> list[str]:
    """Return one sentence per load with a run's gain over the base.

    Args:
        base: The base.
        run: The other run.
    """
    if different_hosts(base, run):
        return [_("These are different hosts. Compare the shapes, not the heights.")]
    single = compare_splits(base.points, run.points)
    found = [_ratio_sentence(ratio, single) for ratio in compare_overall(base.points, run.points)]
    return found or [_("These runs have no split and load in common, so they cannot be compared.")]


def _ratio_sentence(ratio: RateRatio, single: Sequence[RateRatio]) -> str:
    load, size = load_name(ratio.load), format_percent(abs(ratio.gain_frac))
    if ratio.ci95_frac is None:
        words = _("{load}: {size} against the base, which may be chance (too few trials).")
        return words.format(load=load, size=format_signed_percent(ratio.gain_frac))
    span = format_interval(*ratio.ci95_frac)
    apart = [one for one in single if one.load == ratio.load and one.gain.differs_from()]
    most = max(apart, key=lambda one: abs(one.gain_frac), default=None)
    if not ratio.gain.differs_from():
        words = _("{load}: no clear difference over {n} splits (95 % interval {span}).")
    elif ratio.gain_frac > 0:
        words = _("{load}: {size} faster than the base over {n} splits (95 % interval {span}).")
    else:
        words = _("{load}: {size} slower than the base over {n} splits (95 % interval {span}).")
    sentence = words.format(load=load, size=size, n=ratio.splits, span=span)
    return sentence if most is None else f"{sentence} {_largest_gain_text(most)}"


def _largest_gain_text(ratio: RateRatio) -> str:
    return _("Largest at {split}: {gain}.").format(
        split=setting_name(ratio.setting), gain=format_signed_percent(ratio.gain_frac)
    )


def decisions_table(runs: Sequence[ComparedRun], base: int) -> TableData:
    """Return one row per run: decision, gain, and throughput against the base.

    Args:
        runs: The runs.
        base: Index of the base.
    """
    kinds = tuple(dict.fromkeys(kind for run in runs for kind in run.kinds))
    headers = [_("No."), _("Run"), _("Decision"), _("Differs from no. {n} in").format(n=base + 1)]
    headers += [_("Gain over the original settings (%)")]
    headers += [_("at least (%)"), _("at most (%)")]
    for kind in kinds:
        headers.append(_("{load} against no. {n} (%)").format(load=load_name(kind), n=base + 1))
        headers += [_("{load}, at least (%)").format(load=load_name(kind))]
        headers += [_("{load}, at most (%)").format(load=load_name(kind))]
    headers += [_("Host"), _("Started")]
    return TableData(tuple(headers), [_decision_row(runs, at, base, kinds) for at in range(len(runs))])


def _decision_row(runs: Sequence[ComparedRun], at: int, base: int, kinds: Sequence[str]) -> tuple[Cell, ...]:
    run, decision = runs[at], runs[at].decision
    same = at == base
    overall = () if same or different_hosts(runs[base], run) else compare_overall(runs[base].points, run.points)
    ratios = {ratio.load: ratio for ratio in overall}
    against = [cell for kind in kinds for cell in _ratio_cells(ratios.get(kind))]
    gain = _interval_cells(decision.gain_frac, decision.gain_ci95_frac)
    differs = _("the base") if same else differences(runs[base], run)
    return (at + 1, run.name, run.verdict, differs, *gain, *against, run.host, run.when)


def points_table(runs: Sequence[ComparedRun]) -> TableData:
    """Return one row per split and load: mean and 95 % interval of each run.

    Args:
        runs: The runs.
    """
    headers = [_("Split"), _("Load")]
    for number, run in enumerate(runs, 1):
        unit = unit_of_all(run.points)
        headers += [_("No. {n} ({unit})").format(n=number, unit=unit)]
        headers += [_("no. {n}, at least").format(n=number), _("no. {n}, at most").format(n=number)]
    known = [_points_by_key(run) for run in runs]
    keys: dict[tuple[Setting | None, str], None] = {}
    for points in known:
        keys |= dict.fromkeys(points)
    rows: list[tuple[Cell, ...]] = [
        (setting_name(key[0]), load_name(key[1]), *(cell for points in known for cell in _point_cells(points.get(key))))
        for key in keys
    ]
    return TableData(tuple(headers), rows)


def _points_by_key(run: ComparedRun) -> dict[tuple[Setting | None, str], MeasuredPoint]:
    return {(point.setting, point.load): point for point in leading_points(run.points)}


def _point_cells(point: MeasuredPoint | None) -> tuple[Cell, Cell, Cell]:
    if point is None:
        return None, None, None
    low, high = point.ci95_tps or (None, None)
    return point.mean_tps, low, high


def _ratio_cells(ratio: RateRatio | None) -> tuple[Cell, Cell, Cell]:
    return (None, None, None) if ratio is None else _interval_cells(ratio.gain_frac, ratio.ci95_frac)


def _interval_cells(value: float | None, ends: tuple[float, float] | None) -> tuple[Cell, Cell, Cell]:
    if value is None:
        return None, None, None
    low, high = ends or (None, None)
    return 100 * value, None if low is None else 100 * low, None if high is None else 100 * high
