"""Export of points and trials as CSV.

The header has units. Each point or trial is a row, and every row has `simulated`.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from scheduler.export.files import write_text
from scheduler.export.material import ExportMaterial
from scheduler.export.weights_remark import weights_remark
from scheduler.model.load_kinds import rate_unit
from scheduler.model.results import MeasuredPoint, Results
from scheduler.model.split import GUEST, GUEST_2, IO
from scheduler.model.studies import no_split_reason

CsvCell = str | float | int | None

SPLIT_HEADER = "split (I/O domain:guest)"
POINT_HEADER = (
    "run",
    "simulated",
    SPLIT_HEADER,
    "load",
    "mean (tuples/s)",
    "95 % low (tuples/s)",
    "95 % high (tuples/s)",
    "coefficient of variation (fraction)",
    "trials",
    "stalled, not counted (s)",
    "I/O domain used (CPUs)",
    "guest used (CPUs)",
    "I/O domain allotted (CPUs)",
    "guest allotted (CPUs)",
    "p50 (ms)",
    "p95 (ms)",
    "p99 (ms)",
    "reported service time (ms)",
    "busiest client (fraction of a CPU)",
    "probe (tuples/s)",
    "bottleneck",
    "valid",
    "reason",
    "model (tuples/s)",
    "model's bottleneck",
    "pooled interval",
    "decision",
    "split of the decision",
    "rank of the split",
)
SECOND_HEADER = ("second guest used (CPUs)", "second guest allotted (CPUs)")
"""Further columns for a study of two guests."""
GUEST_HEADER = "guest"
"""Last column of points and trials in a study of two guests: the guest of the users."""
TRIAL_HEADER = ("run", "simulated", SPLIT_HEADER, "load", "trial of the point", "throughput (tuples/s)")


def write_csv(material: ExportMaterial, target: Path) -> tuple[Path, ...]:
    """Write the points to `target`, and the trials to `NAME-trials.csv` next to it.

    Args:
        material: The sweep.
        target: File of the points.
    """
    results = material.results
    trials = target.with_name(f"{target.stem}-trials{target.suffix}")
    heads: tuple[str, ...] = POINT_HEADER
    trial_heads: tuple[str, ...] = TRIAL_HEADER
    point_rows = [_point_row(results, point) for point in results.points]
    if any(point.guest for point in results.points):
        trial_heads = (*trial_heads, GUEST_HEADER)
    if any(GUEST_2 in point.domains for point in results.points):
        heads = (*heads, *SECOND_HEADER, GUEST_HEADER)
        point_rows = [
            [*row, *_second_guest_cells(results, point)] for row, point in zip(point_rows, results.points, strict=True)
        ]
    trial_rows = (row for point in results.points for row in _trial_rows(results, point))
    points_text = csv_text(_header_in_unit(heads, results), point_rows)
    trials_text = csv_text(_header_in_unit(trial_heads, results), trial_rows)
    remark = weights_remark(results, material.spec)
    head = f"# {remark}\n" if remark else ""
    return write_text(target, head + points_text), write_text(trials, head + trials_text)


def _header_in_unit(header: Sequence[str], results: Results) -> list[str]:
    unit = rate_unit((point.load for point in results.points), results.units)
    setting = "setting" if no_split_reason(results.study) else SPLIT_HEADER
    return [word.replace("tuples/s", unit).replace(SPLIT_HEADER, setting) for word in header]


def _point_row(results: Results, point: MeasuredPoint) -> list[CsvCell]:
    low, high = point.ci95_tps or (None, None)
    return [
        *_leading_cells(results, point),
        point.mean_tps,
        low,
        high,
        point.cv,
        point.trials,
        point.stalled_s,
        *_share_cells(point.used_share),
        *_share_cells(_allotted_cpus(results, point)),
        point.p50_ms,
        point.p95_ms,
        point.p99_ms,
        point.latency_ms,
        point.client_cpu_frac,
        point.probe_tps,
        point.bottleneck.value,
        _boolean_text(fact=point.valid),
        point.reason,
        *_model_cells(results, point),
        _boolean_text(fact=point.pooled),
        *_decision_cells(results, point),
    ]


def _decision_cells(results: Results, point: MeasuredPoint) -> list[CsvCell]:
    """Return decision, its split, and the rank of a point's split; else None.

    Studies without a split have no decision.
    """
    answer = results.answer.recommendation
    if answer is None:
        return [None, None, None]
    return [answer.decision.kind.value, answer.decision.label, answer.rank_of(point.setting).value]


def _model_cells(results: Results, point: MeasuredPoint) -> list[CsvCell]:
    """Return the queueing model's throughput and bottleneck of a point."""
    points = (reported for model in results.model if model.load == point.load for reported in model.points)
    reported = next((reported for reported in points if reported.label == point.label), None)
    return [reported.predicted_tps, reported.bottleneck.value] if reported else [None, None]


def _trial_rows(results: Results, point: MeasuredPoint) -> Iterable[list[CsvCell]]:
    for number, tps in enumerate(point.trial_tps, start=1):
        yield [*_leading_cells(results, point), number, tps, *([point.guest] if point.guest else [])]


def _leading_cells(results: Results, point: MeasuredPoint) -> list[CsvCell]:
    return [results.run_id, _boolean_text(fact=results.simulated), point.label, point.load]


def _second_guest_cells(results: Results, point: MeasuredPoint) -> list[CsvCell]:
    return [point.used_share.get(GUEST_2), _allotted_cpus(results, point).get(GUEST_2), point.guest]


def _allotted_cpus(results: Results, point: MeasuredPoint) -> dict[str, float]:
    """Return the CPU allotted to each domain, CPUs."""
    return {domain: share * max(1, results.cpus) for domain, share in point.allotted_share.items()}


def _share_cells(shares: Mapping[str, float]) -> list[CsvCell]:
    return [shares.get(IO), shares.get(GUEST)]


def _boolean_text(*, fact: bool) -> str:
    return "true" if fact else "false"


def csv_text(header: Sequence[str], rows: Iterable[Sequence[CsvCell]]) -> str:
    """Return CSV that spreadsheets read without running formulas.

    Args:
        header: Names of the columns, with units.
        rows: The rows.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_escape_formula(cell) for cell in row] for row in rows)
    return out.getvalue()


def _escape_formula(cell: CsvCell) -> CsvCell:
    """Return a cell that spreadsheets do not read as a formula."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in {"=", "+", "-", "@", "\t", "\r"} else cell
