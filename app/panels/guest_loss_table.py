"""What two guests cost each other, as tables: beside the plot in few columns, and as its twin in full."""

from PySide6.QtCore import QCoreApplication

from app.display_texts import format_percent_digits
from app.live.guest_loss_plot import tick_of
from app.load_texts import load_name
from app.widgets.table import Cell, TableData
from scheduler.model.isolation_findings import GuestLoss, IsolationFinding, ShareProtection
from scheduler.model.sentence_texts import domain_title
from scheduler.model.split import GUEST


def _tr(text: str) -> str:
    return QCoreApplication.translate("neighbours_table", text)


def brief_loss_table(finding: IsolationFinding) -> TableData:
    """Return what fits beside the plot: what each guest loses beyond its share, with the interval."""
    headers = (_tr("At"), _tr("Beyond"), _tr("95 %"))
    return TableData(headers, [_brief_row(cost) for cost in finding.costs])


def guest_loss_table(finding: IsolationFinding) -> TableData:
    """Return all figures."""
    headers = (
        _tr("Split"),
        _tr("Mode"),
        _tr("Guest"),
        _tr("Load"),
        _tr("Unit"),
        _tr("Alone"),
        _tr("Together"),
        _tr("Loses in all (%)"),
        _tr("95 % from (%)"),
        _tr("95 % to (%)"),
        _tr("By its share (%)"),
        _tr("Beyond its share (%)"),
        _tr("Beyond, 95 % from (%)"),
        _tr("Beyond, 95 % to (%)"),
        _tr("CPUs alone"),
        _tr("CPUs together"),
        _tr("Its share (CPUs)"),
        _tr("Blocks"),
        _tr("Protected"),
    )
    return TableData(headers, [_full_row(cost) for cost in finding.costs])


def _brief_row(cost: GuestLoss) -> tuple[Cell, ...]:
    span = None
    if cost.beyond_ci95_frac is not None:
        low, high = map(format_percent_digits, cost.beyond_ci95_frac)
        span = _tr("{low} to {high}").format(low=low, high=high)
    place = _tr("1st") if cost.guest == GUEST else _tr("2nd")
    return f"{tick_of(cost)}, {place}", 100 * cost.beyond_frac, span


def _full_row(cost: GuestLoss) -> tuple[Cell, ...]:
    return (
        cost.split,
        cost.mode,
        domain_title(cost.guest),
        load_name(cost.load),
        cost.unit,
        cost.alone_tps,
        cost.both_tps,
        100 * cost.cost_frac,
        *_interval_percents(cost.ci95_frac),
        100 * cost.share_frac,
        100 * cost.beyond_frac,
        *_interval_percents(cost.beyond_ci95_frac),
        cost.alone_cpus,
        cost.both_cpus,
        cost.configured_cpus,
        cost.blocks,
        protection_words(cost),
    )


def protection_words(cost: GuestLoss) -> str:
    """Return whether what its neighbour costs it beyond its share is within 5 %."""
    return {
        ShareProtection.KEPT: _tr("within 5 %"),
        ShareProtection.BROKEN: _tr("more than 5 %"),
        ShareProtection.UNKNOWN: _tr("not told"),
    }[cost.protection]


def _interval_percents(ends: tuple[float, float] | None) -> tuple[float | None, float | None]:
    return (100 * ends[0], 100 * ends[1]) if ends is not None else (None, None)
