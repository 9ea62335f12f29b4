"""What a study beside the split study found, as a table: knees, slowdowns, or what vCPUs gain."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from app.live.knee_lanes import users_words
from app.load_words import load_name, unit_of_all
from app.panels.neighbours_table import brief
from app.widgets.table import Cell, Table
from app.words import percent_digits, short, typeset
from scheduler.model.findings import (
    CapacityFinding,
    Filled,
    Finding,
    FoundKnee,
    OverheadFinding,
    ScaleUpFinding,
    Size,
    Slowdown,
)
from scheduler.model.natives import Native
from scheduler.model.neighbours import IsolationFinding


def _tr(text: str) -> str:
    return QCoreApplication.translate("finding_table", text)


def shown(finding: Finding) -> tuple[str, str, Table]:
    """Return title, note and table of a finding."""
    match finding:
        case CapacityFinding():
            return _tr("How many users fill it"), *_knees(finding.knees)
        case OverheadFinding():
            note = _tr("In %, within blocks; where the 95 % interval holds 0, it is below the noise.")
            headers = (_tr("Item"), _tr("Side"), _tr("Longer"), _tr("95 %"))
            rows = (*finding.overall, *finding.totals, *finding.items)
            told = [_slow(row, each, len(finding.overall)) for row, each in enumerate(rows)]
            return _tr("In figures"), note, Table(headers, told)
        case ScaleUpFinding():
            return _tr("What more vCPUs gain"), *_sizes(finding)
        case IsolationFinding():
            note = _tr("In %, beyond what its share of the CPU explains; if the interval holds 0, it is noise.")
            return _tr("What a busy neighbour costs"), note, brief(finding)
        case _:  # a study without a table of its own
            return _tr("What was found"), "", Table((_tr("Finding"),), [(line,) for line in finding.reasons])


def slowdowns_table(finding: OverheadFinding) -> Table:
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
    return Table(headers, [_in_full(row, each, len(finding.overall)) for row, each in enumerate(rows)])


def _in_full(row: int, each: Slowdown, whole: int) -> tuple[Cell, ...]:
    ms, frac = each.added_ci95_ms or (None, None), each.ci95_frac or (None, None)
    remark = "" if each.told_apart else _tr("below the noise")
    return (
        load_name(each.load),
        _item(row, each, whole),
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


def _item(row: int, each: Slowdown, whole: int) -> str:
    return each.item or (_tr("all, mean") if row < whole else _tr("all, sum"))


def _knees(knees: Sequence[FoundKnee]) -> tuple[str, Table]:
    """Return note and table; where all are of the original settings, none needs to state that."""
    note = _tr(
        "In users. From so many on, throughput is within 5 % of the highest (in {unit}). N*: if nobody ever waited."
    )
    headers = [_tr("Load"), _tr("At"), _tr("Full at"), _tr("Highest"), _tr("With"), _tr("N*")]
    rows = [_knee(knee) for knee in knees]
    if not any(knee.split for knee in knees):
        headers, rows = [headers[0], *headers[2:]], [(row[0], *row[2:]) for row in rows]
    return note.format(unit=unit_of_all(knees)), Table(tuple(headers), rows)


def _knee(knee: FoundKnee) -> tuple[Cell, ...]:
    where = knee.split or _tr("original")
    crossing = knee.crossing_users[0] if knee.crossing_users else None
    return load_name(knee.load), where, users_words(knee), knee.highest_tps, knee.best_users, crossing


def _sizes(finding: ScaleUpFinding) -> tuple[str, Table]:
    """Return note and table; beside a base, what is reached of it takes the room of what is in the report, too."""
    rows, several = [_size(size) for size in finding.sizes], len({size.load for size in finding.sizes}) > 1
    headers = [_tr("Load"), _tr("vCPUs"), _tr("Times"), _tr("95 %")]
    if finding.natives:
        note = _tr(
            "Times the smallest number, within blocks. Native: in % of the same server, directly, on as many CPUs."
        )
        headers[3:] = [_tr("Native"), _tr("95 %"), _tr("Full")]
        of_native = [_native(size, finding.natives) for size in finding.sizes]
        rows = [(*row[:3], *each, row[-1]) for row, each in zip(rows, of_native, strict=True)]
    else:
        note = _tr("Times the smallest number of vCPUs, within blocks. CPU received, in CPUs.")
        headers += [_tr("Guest"), _tr("I/O"), _tr("Full")]
    one = int(not several)  # named on the plot; the room is for the rest
    return note, Table(tuple(headers[one:]), [row[one:] for row in rows])


def _size(size: Size) -> tuple[Cell, ...]:
    span = None
    if size.ci95 is not None:
        low, high = map(short, size.ci95)
        span = typeset(_tr("{low} to {high}").format(low=low, high=high))
    full = {
        Filled.GUEST: _tr("guest"),
        Filled.IO: _tr("I/O"),
        Filled.BOTH: _tr("the CPUs"),
        Filled.CLIENT: _tr("users"),
        Filled.NOTHING: _tr("nobody"),
        Filled.UNKNOWN: _tr("unknown"),
    }[size.filled]
    return load_name(size.load), size.vcpus, size.ratio, span, size.guest_cpus, size.io_cpus, full


def _native(size: Size, natives: Sequence[Native]) -> tuple[Cell, Cell]:
    """Return what a number of vCPUs reaches of native, in percent, and its interval."""
    found = next((each for each in natives if (each.load, each.vcpus) == (size.load, size.vcpus)), None)
    if found is None or found.ci95 is None:
        return (100 * found.ratio if found else None), None
    low, high = map(percent_digits, found.ci95)
    text = _tr("{low} to {high}") if found.told_apart else _tr("{low} to {high}, noise")
    return 100 * found.ratio, typeset(text.format(low=low, high=high))


def _slow(row: int, each: Slowdown, whole: int) -> tuple[Cell, ...]:
    span = None
    if each.ci95_frac is not None:
        low, high = map(percent_digits, each.ci95_frac)
        span = typeset(_tr("{low} to {high}").format(low=low, high=high))
    return _item(row, each, whole), each.side, 100 * each.slowdown_frac, span
