"""Charts and tables of an overhead study: slowdown per item, and added time."""

from collections.abc import Iterator, Sequence

from scheduler.model.chart import Axis, Chart, Mark, column_axis, column_position, horizontal_line, plain_series
from scheduler.model.estimate import Estimate, estimate_of
from scheduler.model.number_texts import (
    format_interval,
    format_percent,
    format_percent_digits,
    format_signed_percent,
    format_table_number,
)
from scheduler.model.results import MeasuredPoint
from scheduler.model.sentence_texts import load_title
from scheduler.model.table import CellForm, Column, Table, TableCell
from scheduler.studies.overhead.declaration import OverheadFinding, SlowdownEstimate
from scheduler.translation import _

_BELOW_NOISE = _("below the noise")
_SLOWDOWN_COLUMNS = (
    Column(_("Load"), CellForm.LOAD),
    Column(_("Item"), CellForm.NAME),
    Column(_("Side")),
    Column(_("On the reference"), CellForm.NUMBER, "ms", 2),
    Column(_("On the side"), CellForm.NUMBER, "ms", 2),
    Column(_("Longer by"), CellForm.NUMBER, "ms", 2),
    Column(_("Longer by"), CellForm.CHANGE, span="95 % interval"),
    Column(_("Blocks"), CellForm.COUNT),
    Column(_("Significant")),
)
_PART_COLUMNS = (
    Column(_("Load"), CellForm.LOAD),
    Column(_("Part"), CellForm.NAME),
    Column(_("Side")),
    Column(_("Added"), CellForm.CHANGE, span="95 % interval"),
)
_COUNTER_COLUMNS = (
    Column(_("Load"), CellForm.LOAD),
    Column(_("Counter"), CellForm.NAME),
    Column(_("Side")),
    Column(_("Correlation"), CellForm.NUMBER, decimals=2, span=_("Interval, all together 95 %")),
    Column(_("Claimed")),
)


def list_charts(finding: OverheadFinding, points: Sequence[MeasuredPoint]) -> tuple[Chart, ...]:
    """Return the slowdowns in percent, all items together first, and in milliseconds.

    Args:
        finding: The finding.
        points: Ignored.
    """
    del points
    if not finding.items:
        return ()
    return (
        _slowdown_chart((*finding.overall, *finding.items), in_ms=False),
        _slowdown_chart(finding.items, in_ms=True),
    )


def list_tables(finding: OverheadFinding, points: Sequence[MeasuredPoint]) -> tuple[Table, ...]:
    """Return all slowdowns, the components of the added time, and the counters.

    Args:
        finding: The finding.
        points: Not used: the finding has all figures.
    """
    del points
    rows = (*finding.overall, *finding.totals, *finding.items)
    whole = len(finding.overall)
    parts = tuple(
        (each.load, each.counter, each.side, estimate_of(each.added_frac, each.added_ci95_frac))
        for each in finding.causes
        if each.added_frac is not None
    )
    counters = tuple(
        (
            each.load,
            f"{each.counter}, {each.unit}",
            each.side,
            estimate_of(each.correlation, each.correlation_ci),
            "yes" if each.claimed else _("not significant"),
        )
        for each in finding.causes
        if each.correlation is not None
    )
    slowdowns = Table(
        title=_("Time on both sides, means over the blocks"),
        columns=_SLOWDOWN_COLUMNS,
        rows=tuple(_slowdown_row(each, _item_text(each, is_mean=at < whole)) for at, each in enumerate(rows)),
    )
    added = Table(
        title=_("Where the added time went, over all items, as shares of the reference time"),
        columns=_PART_COLUMNS,
        rows=parts,
    )
    correlated = Table(
        title=_("Correlation of counters with the slowdown of each item; this does not show a cause"),
        columns=_COUNTER_COLUMNS,
        rows=counters,
    )
    return slowdowns, added, correlated


def brief_table(finding: OverheadFinding) -> Table:
    """Return item, side and slowdown."""
    rows = (*finding.overall, *finding.totals, *finding.items)
    whole = len(finding.overall)
    return Table(
        title=_("In figures"),
        note=_("In %, within blocks. A 95 % interval that includes 0 is below the noise."),
        columns=(Column(_("Item")), Column(_("Side")), Column(_("Longer"), CellForm.NUMBER), Column("95 %")),
        rows=tuple(
            (
                _item_text(each, is_mean=at < whole),
                each.side,
                100 * each.slowdown_frac,
                " to ".join(map(format_percent_digits, each.ci95_frac)) if each.ci95_frac else None,
            )
            for at, each in enumerate(rows)
        ),
    )


def _slowdown_chart(rows: Sequence[SlowdownEstimate], *, in_ms: bool) -> Chart:
    several = len({row.load for row in rows}) > 1
    keys = list(dict.fromkeys((row.load, row.item) for row in rows))
    labels = [_tick_text(load, item, several=several) for load, item in keys]
    sides = list(dict.fromkeys(row.side for row in rows))
    x = column_axis("Item", labels, [label for (_, item), label in zip(keys, labels, strict=True) if not item])
    return Chart(
        title=_("How much longer it takes"),
        x=x,
        y=Axis(title=_("Longer than on the reference (ms)") if in_ms else _("Longer than on the reference (%)")),
        series=plain_series(sides),
        marks=tuple(
            Mark(
                column_position(keys.index((row.load, row.item)), sides.index(row.side), len(sides)),
                _slowdown_estimate(row, in_ms=in_ms),
                sides.index(row.side),
                tuple(_tip_lines(row)),
                hollow=not row.slowdown.differs_from(),
            )
            for row in rows
        ),
        lines=(horizontal_line(x, 0.0),),
        whiskers=_("95 % interval over blocks"),
        hollow=_BELOW_NOISE,
        leads=True,
        view="In ms" if in_ms else "",
    )


def _slowdown_estimate(row: SlowdownEstimate, *, in_ms: bool) -> Estimate:
    if in_ms:
        return estimate_of(row.side_ms - row.base_ms, row.added_ci95_ms)
    return row.slowdown.scaled(100)


def _tick_text(load: str, item: str, *, several: bool) -> str:
    name = item or "all"
    return f"{load_title(load)} {name}" if several and item != load_title(load) else name


def _item_text(row: SlowdownEstimate, *, is_mean: bool) -> str:
    return row.item or (_("all, mean") if is_mean else _("all, sum"))


def _tip_lines(row: SlowdownEstimate) -> Iterator[str]:
    yield _("{item}, {load}, {side}").format(
        item=row.item or _("all items, mean"), load=load_title(row.load), side=row.side
    )
    span = f" ({format_interval(*row.ci95_frac)})" if row.ci95_frac else ""
    yield f"{format_signed_percent(row.slowdown_frac)}{span}"
    side_ms, base_ms = format_table_number(row.side_ms), format_table_number(row.base_ms)
    yield _("{side_ms} ms instead of {base_ms} ms; {blocks} blocks").format(
        side_ms=side_ms, base_ms=base_ms, blocks=row.blocks
    )
    if not row.slowdown.differs_from():
        yield _BELOW_NOISE


def _slowdown_row(row: SlowdownEstimate, item: str) -> tuple[TableCell, ...]:
    return (
        row.load,
        item,
        row.side,
        row.base_ms,
        row.side_ms,
        _slowdown_estimate(row, in_ms=True),
        row.slowdown,
        row.blocks,
        _apart_text(row),
    )


def _apart_text(row: SlowdownEstimate) -> str:
    if row.slowdown.differs_from():
        return "yes"
    if row.ci95_frac is None:
        return _("too few blocks for an interval")
    smallest = (
        _(" (detects {smallest_frac})").format(smallest_frac=format_percent(row.smallest_frac))
        if row.smallest_frac
        else ""
    )
    return f"{_BELOW_NOISE}{smallest}"
