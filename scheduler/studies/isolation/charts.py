"""Chart and tables of an isolation study: total loss and interference per guest."""

from collections.abc import Iterator, Sequence

from scheduler.model.chart import Axis, Chart, Mark, column_axis, column_position, horizontal_line, plain_series
from scheduler.model.estimate import Estimate
from scheduler.model.load_kinds import rate_unit
from scheduler.model.number_texts import (
    format_interval,
    format_percent,
    format_percent_digits,
    format_rate,
    format_short,
)
from scheduler.model.results import MeasuredPoint
from scheduler.model.sentence_texts import domain_title, load_title
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST
from scheduler.model.table import CellForm, Column, Table, TableCell
from scheduler.studies.isolation.declaration import GuestLoss, IsolationFinding, ShareProtection
from scheduler.translation import _

_PROTECTION_TEXTS = {
    ShareProtection.KEPT: "within 5 %",
    ShareProtection.BROKEN: _("more than 5 %"),
    ShareProtection.UNKNOWN: _("unknown"),
}


def list_charts(finding: IsolationFinding, points: Sequence[MeasuredPoint]) -> tuple[Chart, ...]:
    """Return one chart with two marks per guest at each split and mode.

    A value below 0 is a gain.

    Args:
        finding: The finding.
        points: Ignored.
    """
    del points
    costs = finding.costs
    if not costs:
        return ()
    columns = list(dict.fromkeys(map(_tick_text, costs)))
    guests = list(dict.fromkeys(map(_guest_text, costs)))
    names = [
        _("{guest} guest, {what}").format(guest=guest, what=what)
        for guest in guests
        for what in ("total", "interference")
    ]
    x = column_axis(_("I/O domain : first guest : second guest, and mode"), columns)
    marks = (
        _loss_mark(cost, loss, columns.index(_tick_text(cost)), (2 * guests.index(_guest_text(cost)) + at, len(names)))
        for cost in costs
        for at, loss in enumerate((cost.loss, cost.loss_beyond))
    )
    chart = Chart(
        title=_("Loss of each guest to the other"),
        x=x,
        y=Axis(title=_("Loses (% of its throughput alone)")),
        series=plain_series(names),
        marks=tuple(marks),
        lines=(horizontal_line(x, 0.0),),
        whiskers=_("95 % interval over blocks"),
        hollow=_("below the noise"),
        leads=True,
    )
    return (chart,)


def list_tables(finding: IsolationFinding, points: Sequence[MeasuredPoint]) -> tuple[Table, ...]:
    """Return all figures of each guest, alone and next to the loaded other guest.

    Args:
        finding: The finding.
        points: Not used: the finding has all figures.
    """
    del points
    units = rate_unit([cost.load for cost in finding.costs], {cost.load: cost.unit for cost in finding.costs})
    columns = (
        Column(_("Split"), CellForm.NAME),
        Column(_("Mode")),
        Column(_("Guest")),
        Column(_("Load"), CellForm.LOAD),
        Column(_("Alone"), CellForm.NUMBER, units),
        Column(_("Together"), CellForm.NUMBER, units),
        Column(_("Loses"), CellForm.PERCENT),
        Column(_("Its share explains"), CellForm.PERCENT),
        Column(_("Interference"), CellForm.PERCENT),
        Column(_("Protected")),
        Column(_("Share"), CellForm.NUMBER, "CPUs", 3),
        Column(_("CPU used alone"), CellForm.NUMBER, "CPUs", 3),
        Column(_("CPU used together"), CellForm.NUMBER, "CPUs", 3),
        Column(_("Blocks"), CellForm.COUNT),
    )
    title = _("Each guest alone and with load on the other guest, means over the blocks")
    return (Table(title=title, columns=columns, rows=tuple(map(_loss_row, finding.costs))),)


def brief_table(finding: IsolationFinding) -> Table:
    """Return the interference of each guest."""
    return Table(
        title=_("Cost of a busy second guest"),
        note=_("In %, beyond the effect of its share of the CPU. An interval that includes 0 is noise."),
        columns=(Column(_("At")), Column(_("Beyond"), CellForm.NUMBER), Column("95 %")),
        rows=tuple(
            (
                f"{_tick_text(cost)}, {'1st' if cost.guest == GUEST else '2nd'}",
                100 * cost.beyond_frac,
                " to ".join(map(format_percent_digits, cost.beyond_ci95_frac)) if cost.beyond_ci95_frac else None,
            )
            for cost in finding.costs
        ),
    )


def _tick_text(cost: GuestLoss) -> str:
    return f"{cost.split} {_mode_text(cost)}"


def _mode_text(cost: GuestLoss) -> str:
    return "cap" if cost.mode == Mode.CAPS else "weight"


def _guest_text(cost: GuestLoss) -> str:
    return "first" if cost.guest == GUEST else "second"


def _loss_mark(cost: GuestLoss, loss: Estimate, column: int, series: tuple[int, int]) -> Mark:
    """Return the mark of one loss; `series` is (index, number of series)."""
    x = column_position(column, *series)
    return Mark(x, loss.scaled(100), series[0], tuple(_tip_lines(cost)), hollow=not loss.differs_from())


def _tip_lines(cost: GuestLoss) -> Iterator[str]:
    yield f"{cost.split}, {_mode_text(cost)}, {domain_title(cost.guest)}: {load_title(cost.load)}"
    yield _("loses {percent} in all").format(percent=_percent_text(cost.loss))
    gains = cost.beyond_ci95_frac is not None and cost.beyond_ci95_frac[1] < 0
    yield _("{percent} interference").format(percent="no" if gains else _percent_text(cost.loss_beyond))
    alone, both = (format_rate(each, cost.unit) for each in (cost.alone_tps, cost.both_tps))
    yield _("{alone} alone, {both} together; {blocks} blocks").format(alone=alone, both=both, blocks=cost.blocks)
    if cost.alone_cpus is not None and cost.both_cpus is not None:
        cpus = _("{alone_cpus} CPUs alone, {both_cpus} together").format(
            alone_cpus=format_short(cost.alone_cpus), both_cpus=format_short(cost.both_cpus)
        )
        yield _("used {cpus}; its share is {allotted_cpus}").format(
            cpus=cpus, allotted_cpus=format_short(cost.allotted_cpus)
        )


def _percent_text(loss: Estimate) -> str:
    span = f" ({format_interval(*loss.ends)})" if loss.ends else ""
    return f"{format_percent(loss.value)}{span}"


def _loss_row(cost: GuestLoss) -> tuple[TableCell, ...]:
    return (
        cost.split,
        _mode_text(cost),
        domain_title(cost.guest),
        cost.load,
        cost.alone_tps,
        cost.both_tps,
        cost.loss,
        cost.share_frac,
        cost.loss_beyond,
        _("{protection_texts}{value}").format(
            protection_texts=_PROTECTION_TEXTS[cost.protection],
            value=_("; the I/O domain was full") if cost.io_full else "",
        ),
        cost.allotted_cpus,
        cost.alone_cpus,
        cost.both_cpus,
        cost.blocks,
    )
