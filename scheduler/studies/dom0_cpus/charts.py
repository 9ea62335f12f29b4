"""Charts and tables of a study of Dom0's CPUs.

Throughput is in percent of the original settings, so that loads of different rates fit one axis.
"""

from collections.abc import Sequence
from typing import NamedTuple

from scheduler.model.chart import (
    Axis,
    Chart,
    Line,
    Mark,
    Series,
    column_axis,
    column_position,
    horizontal_line,
    load_look,
    load_series,
)
from scheduler.model.estimate import Estimate
from scheduler.model.load_kinds import rate_unit
from scheduler.model.load_looks import BLUE, VERMILION
from scheduler.model.number_texts import format_percent, format_table_number
from scheduler.model.results import MeasuredPoint, Recommendation
from scheduler.model.sentence_texts import format_load_rate, load_title
from scheduler.model.setting import split_of
from scheduler.model.split import GUEST, IO
from scheduler.model.table import CellForm, Column, Table
from scheduler.translation import _

_X_TITLE = _("CPUs of the I/O domain")
_SPAN = "95 % interval"
_ORIGINAL = _("original settings")
_COLOURS = {IO: BLUE, GUEST: VERMILION}


class _OwnCpus(NamedTuple):
    """A point of the chart.

    Attributes:
        io_cpus: CPUs of the I/O domain, >= 1.
        guest_cpus: CPUs of the guest, >= 1.
        point: The measured point.
        ratio: Its throughput relative to the original settings, with its own interval.
    """

    io_cpus: int
    guest_cpus: int
    point: MeasuredPoint
    ratio: Estimate


def list_charts(finding: Recommendation, points: Sequence[MeasuredPoint]) -> tuple[Chart, ...]:
    """Return throughput over the I/O domain's CPUs, and the CPU used as another view.

    Args:
        finding: The recommendation.
        points: All measured points, the original settings included.
    """
    found = _list_points(points)
    if not found:
        return ()
    numbers = sorted({each.io_cpus for each in found})
    cpus = found[0].io_cpus + found[0].guest_cpus
    best = {str(round(split.io))} if (split := split_of(finding.decision.setting)) else set[str]()
    axis = column_axis(_X_TITLE, [str(number) for number in numbers], best)
    return _rates_chart(finding, points, found, axis), _usage_chart(found, numbers, axis, cpus)


def list_tables(finding: Recommendation, points: Sequence[MeasuredPoint]) -> tuple[Table, ...]:
    """Return throughput and CPU used at each number of CPUs, and the vendors' numbers.

    Args:
        finding: The recommendation.
        points: All measured points, the original settings included.
    """
    units = rate_unit([point.load for point in points], {point.load: point.unit for point in points})
    columns = (
        Column(_("I/O domain's CPUs"), CellForm.NAME),
        Column(_("Guest's CPUs")),
        Column(_("Load"), CellForm.LOAD),
        Column(_("Mean"), CellForm.NUMBER, units),
        Column(_("Of the original settings"), CellForm.PERCENT, span=_SPAN),
        Column(_("I/O domain used"), CellForm.NUMBER, "CPUs", 2),
        Column(_("Guest used"), CellForm.NUMBER, "CPUs", 2),
        Column(_("Trials"), CellForm.COUNT),
    )
    rows = [_row(str(each.io_cpus), str(each.guest_cpus), each.point, each.ratio) for each in _list_points(points)]
    original = [
        _row(_ORIGINAL, "", point, _ratio(point, point.mean_tps))
        for point in points
        if point.setting is None and point.mean_tps
    ]
    vendors = [(each.vendor, each.cpus, "yes" if each.pinned else "no") for each in finding.vendors]
    return (
        Table(title=_("Throughput and CPU used over the I/O domain's CPUs"), columns=columns, rows=(*original, *rows)),
        Table(
            title=_("Vendors' numbers of vCPUs for Dom0 on such a host, for comparison only"),
            columns=(Column(_("Vendor"), CellForm.NAME), Column("vCPUs", CellForm.COUNT), Column(_("Pinned"))),
            rows=tuple(vendors),
        ),
    )


def _list_points(points: Sequence[MeasuredPoint]) -> list[_OwnCpus]:
    """Return the points of splits that can be compared with the original settings."""
    original_tps = {point.load: point.mean_tps for point in points if point.setting is None and point.mean_tps}
    found = list[_OwnCpus]()
    for point in points:
        split, base_tps = split_of(point.setting), original_tps.get(point.load)
        if split is not None and base_tps and point.mean_tps:
            found.append(_OwnCpus(round(split.io), round(split.guest), point, _ratio(point, base_tps)))
    return sorted(found, key=lambda each: (each.io_cpus, each.point.load))


def _ratio(point: MeasuredPoint, base_tps: float | None) -> Estimate:
    base = base_tps or 1.0
    low, high = point.ci95_tps or (None, None)
    return Estimate((point.mean_tps or 0.0) / base, low / base if low else None, high / base if high else None)


def _rates_chart(
    finding: Recommendation, points: Sequence[MeasuredPoint], found: Sequence[_OwnCpus], axis: Axis
) -> Chart:
    loads = list(dict.fromkeys(each.point.load for each in found))
    marks = (
        Mark(
            column_position(_column_of(axis, each.io_cpus), loads.index(each.point.load), len(loads)),
            each.ratio.scaled(100),
            loads.index(each.point.load),
            _tip_of(each),
        )
        for each in found
    )
    return Chart(
        title=_("Throughput over CPUs of the I/O domain"),
        x=axis,
        y=Axis(title=_("% of the original settings")),
        series=tuple(load_series(load, load_title(load)) for load in loads),
        marks=tuple(marks),
        lines=(horizontal_line(axis, 100.0, _ORIGINAL), *_band_lines(points, axis), *_vendor_lines(finding, axis)),
        whiskers=_SPAN,
        leads=True,
    )


def _band_lines(points: Sequence[MeasuredPoint], axis: Axis) -> list[Line]:
    """Return the widest interval of the original settings as two lines."""
    ratios = [_ratio(point, point.mean_tps) for point in points if point.setting is None and point.mean_tps]
    ends = [ratio.ends for ratio in ratios if ratio.ends]
    if not ends:
        return []
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    return [horizontal_line(axis, 100 * low, _("their {span}").format(span=_SPAN)), horizontal_line(axis, 100 * high)]


def _vendor_lines(finding: Recommendation, axis: Axis) -> list[Line]:
    """Return a vertical line at each vendor's number that is on the axis."""
    columns = {int(tick.tick): tick.position for tick in axis.ticks}
    shown = [each for each in finding.vendors if each.cpus in columns]
    return [
        Line(((columns[each.cpus], 0.0), (columns[each.cpus], 100.0)), f"{each.vendor}: {each.cpus}") for each in shown
    ]


def _usage_chart(found: Sequence[_OwnCpus], numbers: Sequence[int], axis: Axis, cpus: int) -> Chart:
    loads = list(dict.fromkeys(each.point.load for each in found))
    names = [(load, domain) for load in loads for domain in (IO, GUEST)]
    titles = {IO: _("I/O domain"), GUEST: "guest"}
    named = [f"{titles[domain]}, {load_title(load)}" if len(loads) > 1 else titles[domain] for load, domain in names]
    marks = list[Mark]()
    for each in found:
        for domain in (IO, GUEST):
            used = each.point.used_share.get(domain)
            if used is not None:
                place = names.index((each.point.load, domain))
                at = column_position(_column_of(axis, each.io_cpus), place, len(names))
                text = _("{named}: {used} CPUs used").format(named=named[place], used=format_table_number(used, 2))
                marks.append(Mark(at, Estimate(used), place, (f"{each.io_cpus} + {each.guest_cpus}", text)))
    positions = [_column_of(axis, number) for number in numbers]
    own = tuple((float(at), float(number)) for at, number in zip(positions, numbers, strict=True))
    rest = tuple((float(at), float(cpus - number)) for at, number in zip(positions, numbers, strict=True))
    return Chart(
        title=_("CPU used over CPUs of the I/O domain"),
        x=axis,
        y=Axis(title=_("CPUs used")),
        series=tuple(
            Series(name=name, marker=load_look(load)[0], colour=_COLOURS[domain])
            for name, (load, domain) in zip(named, names, strict=True)
        ),
        marks=tuple(marks),
        lines=(
            Line(own, _("CPUs of the I/O domain")),
            Line(rest, _("CPUs of the guest")),
            horizontal_line(axis, float(cpus), _("all {cpus} CPUs").format(cpus=cpus)),
        ),
        whiskers="",
        view=_("CPU used"),
    )


def _column_of(axis: Axis, number: int) -> int:
    return next(round(tick.position) for tick in axis.ticks if tick.tick == str(number))


def _tip_of(each: _OwnCpus) -> tuple[str, ...]:
    point = each.point
    used = (format_table_number(point.used_share.get(domain, 0.0), 2) for domain in (IO, GUEST))
    return (
        f"{each.io_cpus} + {each.guest_cpus}",
        _("{ratio} of the {original}").format(ratio=format_percent(each.ratio.value), original=_ORIGINAL),
        format_load_rate(point.mean_tps or 0.0, point.load, point.unit),
        _("CPUs used: {used}").format(used=" + ".join(used)),
    )


def _row(
    io_cpus: str, guest_cpus: str, point: MeasuredPoint, ratio: Estimate
) -> tuple[str | float | Estimate | None, ...]:
    used = (point.used_share.get(domain) for domain in (IO, GUEST))
    return io_cpus, guest_cpus, point.load, point.mean_tps, ratio, *used, point.trials
