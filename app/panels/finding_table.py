"""What a study beside the split study found, as a table: knees, slowdowns, or what vCPUs gain."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from app.display_texts import format_percent_digits, format_short, typeset_text
from app.live.knee_bars import users_words
from app.load_texts import load_name, unit_of_all
from app.panels.guest_loss_table import brief_loss_table
from app.widgets.table import Cell, TableData
from scheduler.model.isolation_findings import IsolationFinding
from scheduler.model.reference_comparison import ReferenceRatio
from scheduler.model.study_findings import (
    CapacityFinding,
    KneeEstimate,
    OverheadFinding,
    SaturatedPart,
    ScaleUpFinding,
    SlowdownEstimate,
    StudyFinding,
    VcpuThroughput,
)


def _tr(text: str) -> str:
    return QCoreApplication.translate("finding_table", text)


def tabulate_finding(finding: StudyFinding) -> tuple[str, str, TableData]:
    """Return title, note and table of a finding."""
    match finding:
        case CapacityFinding():
            return _tr("How many users fill it"), *_knees_table(finding.knees)
        case OverheadFinding():
            note = _tr("In %, within blocks; where the 95 % interval holds 0, it is below the noise.")
            headers = (_tr("Item"), _tr("Side"), _tr("Longer"), _tr("95 %"))
            rows = (*finding.overall, *finding.totals, *finding.items)
            told = [_slowdown_row(row, each, len(finding.overall)) for row, each in enumerate(rows)]
            return _tr("In figures"), note, TableData(headers, told)
        case ScaleUpFinding():
            return _tr("What more vCPUs gain"), *_sizes_table(finding)
        case IsolationFinding():
            note = _tr("In %, beyond what its share of the CPU explains; if the interval holds 0, it is noise.")
            return _tr("What a busy neighbour costs"), note, brief_loss_table(finding)
        case _:  # a study without a table of its own
            return _tr("What was found"), "", TableData((_tr("Finding"),), [(line,) for line in finding.reasons])


def slowdowns_table(finding: OverheadFinding) -> TableData:
    """Return all figures of slowdowns: the twin of their plot."""
    headers = (
        _tr("Load"),
        _tr("Item"),
        _tr("Side"),
        _tr("On the base (ms)"),
        _tr("On the side (ms)"),
        _tr("Longer by (ms)"),
        _tr("95 % from (ms)"),
        _tr("95 % to (ms)"),
        _tr("Longer by (%)"),
        _tr("95 % from (%)"),
        _tr("95 % to (%)"),
        _tr("Blocks"),
        _tr("Remark"),
    )
    rows = (*finding.overall, *finding.totals, *finding.items)
    return TableData(headers, [_full_row(row, each, len(finding.overall)) for row, each in enumerate(rows)])


def _full_row(row: int, each: SlowdownEstimate, whole: int) -> tuple[Cell, ...]:
    ms, frac = each.added_ci95_ms or (None, None), each.ci95_frac or (None, None)
    remark = "" if each.told_apart else _tr("below the noise")
    return (
        load_name(each.load),
        _item_text(row, each, whole),
        each.side,
        each.base_ms,
        each.side_ms,
        each.side_ms - each.base_ms,
        *ms,
        100 * each.slowdown_frac,
        *(None if end is None else 100 * end for end in frac),
        each.blocks,
        _tr("too few blocks for an interval") if each.ci95_frac is None else remark,
    )


def _item_text(row: int, each: SlowdownEstimate, whole: int) -> str:
    return each.item or (_tr("all, mean") if row < whole else _tr("all, sum"))


def _knees_table(knees: Sequence[KneeEstimate]) -> tuple[str, TableData]:
    """Return note and table; where all are of the original settings, none needs to state that."""
    note = _tr(
        "In users. From so many on, throughput is within 5 % of the highest (in {unit}). N*: if nobody ever waited."
    )
    headers = [_tr("Load"), _tr("At"), _tr("Full at"), _tr("Highest"), _tr("With"), _tr("N*")]
    rows = [_knee_row(knee) for knee in knees]
    if not any(knee.split for knee in knees):
        headers, rows = [headers[0], *headers[2:]], [(row[0], *row[2:]) for row in rows]
    return note.format(unit=unit_of_all(knees)), TableData(tuple(headers), rows)


def _knee_row(knee: KneeEstimate) -> tuple[Cell, ...]:
    where = knee.split or _tr("original")
    crossing = knee.crossing_users[0] if knee.crossing_users else None
    return load_name(knee.load), where, users_words(knee), knee.highest_tps, knee.best_users, crossing


def _sizes_table(finding: ScaleUpFinding) -> tuple[str, TableData]:
    """Return note and table; beside a base, what is reached of it takes the room of what is in the report, too."""
    rows, several = [_size_row(size) for size in finding.sizes], len({size.load for size in finding.sizes}) > 1
    headers = [_tr("Load"), _tr("vCPUs"), _tr("Times"), _tr("95 %")]
    if finding.natives:
        note = _tr(
            "Times the smallest number, within blocks. Native: in % of the same server, directly, on as many CPUs."
        )
        headers[3:] = [_tr("Native"), _tr("95 %"), _tr("Full")]
        of_native = [_reference_cells(size, finding.natives) for size in finding.sizes]
        rows = [(*row[:3], *each, row[-1]) for row, each in zip(rows, of_native, strict=True)]
    else:
        note = _tr("Times the smallest number of vCPUs, within blocks. CPU received, in CPUs.")
        headers += [_tr("Guest"), _tr("I/O"), _tr("Full")]
    one = int(not several)  # named on the plot; the room is for the rest
    return note, TableData(tuple(headers[one:]), [row[one:] for row in rows])


def _size_row(size: VcpuThroughput) -> tuple[Cell, ...]:
    span = None
    if size.ci95 is not None:
        low, high = map(format_short, size.ci95)
        span = typeset_text(_tr("{low} to {high}").format(low=low, high=high))
    full = {
        SaturatedPart.GUEST: _tr("guest"),
        SaturatedPart.IO: _tr("I/O"),
        SaturatedPart.BOTH: _tr("the CPUs"),
        SaturatedPart.CLIENT: _tr("users"),
        SaturatedPart.NOTHING: _tr("nobody"),
        SaturatedPart.UNKNOWN: _tr("unknown"),
    }[size.filled]
    return load_name(size.load), size.vcpus, size.ratio, span, size.guest_cpus, size.io_cpus, full


def _reference_cells(size: VcpuThroughput, natives: Sequence[ReferenceRatio]) -> tuple[Cell, Cell]:
    """Return what a number of vCPUs reaches of native, in percent, and its interval."""
    found = next((each for each in natives if (each.load, each.vcpus) == (size.load, size.vcpus)), None)
    if found is None or found.ci95 is None:
        return (100 * found.ratio if found else None), None
    low, high = map(format_percent_digits, found.ci95)
    text = _tr("{low} to {high}") if found.told_apart else _tr("{low} to {high}, noise")
    return 100 * found.ratio, typeset_text(text.format(low=low, high=high))


def _slowdown_row(row: int, each: SlowdownEstimate, whole: int) -> tuple[Cell, ...]:
    span = None
    if each.ci95_frac is not None:
        low, high = map(format_percent_digits, each.ci95_frac)
        span = typeset_text(_tr("{low} to {high}").format(low=low, high=high))
    return _item_text(row, each, whole), each.side, 100 * each.slowdown_frac, span
