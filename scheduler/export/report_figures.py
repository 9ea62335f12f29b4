"""Figures of the report: throughput per split, and CPU used against CPU allotted."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from scheduler.export.rank_texts import rank_style, rank_words
from scheduler.export.svg_chart import LinearScale, SvgDrawing, axis_ticks
from scheduler.model.chart import load_look
from scheduler.model.host_properties import HostProperties
from scheduler.model.load_kinds import LOAD_KINDS, rate_unit
from scheduler.model.load_looks import UNKNOWN_MARKER, LoadMarker
from scheduler.model.number_texts import format_cpu_time, format_short
from scheduler.model.results import MeasuredPoint, Results, SplitProposal
from scheduler.model.sentence_texts import format_load_rate, load_title
from scheduler.model.setting import split_of
from scheduler.model.split import GUEST, IO, Split
from scheduler.model.studies import Setting
from scheduler.translation import _

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH = 880.0
_LEFT, _RIGHT, _TOP = 58.0, 14.0, 44.0
_CHAR_PX = 6.8  # width of a character of the 12 px font, for placing the legend
_NEAR_PX = 34.0  # closer labels alternate between two rows


def load_marker(kind: str) -> tuple[LoadMarker, str]:
    """Return marker and CSS classes of a load; a load of a mix is hollow."""
    marker, colour, mixed = load_look(kind)
    return marker, f"{colour.name} mixed" if mixed else colour.name


def style_values() -> dict[str, object]:
    """Return the markers and colours of all load kinds for the style sheet."""
    kinds = LOAD_KINDS.values()
    return {
        "colours": [kind.colour for kind in kinds],
        "markers": [*(kind.marker for kind in kinds), UNKNOWN_MARKER],
        "outline": _marker_outline,
    }


def _marker_outline(marker: LoadMarker) -> str:
    """Return the corners of a marker as a CSS clip path."""
    reach = max(abs(value) for corner in marker.corners for value in corner)
    percents = ((50 + 50 * part / reach for part in corner) for corner in marker.corners)
    return ", ".join(" ".join(f"{value:.1f}%" for value in corner) for corner in percents)


def throughput_figure(results: Results) -> "Markup":
    """Draw each split's mean and 95 % interval over the log ratio.

    Dashed lines are the baseline.
    """
    height, bottom = 400.0, 62.0
    points = [point for point in results.points if point.mean_tps is not None]
    split = results.answer.recommendation
    proposal = split.proposal if split else None
    found = {point.setting for point in points if point.setting is not None}
    settings = sorted(found | {proposal.setting} if proposal else found, key=_position_of)
    places = [setting.position for setting in settings] or [0.0]
    x = LinearScale((min(places) - 0.25, max(places) + 0.25), (_LEFT, _WIDTH - _RIGHT))
    kinds = sorted({point.load for point in points})
    unit, one_tps = _rate_axis(points, kinds, results.units)
    rungs = axis_ticks(_axis_top(points, one_tps, proposal))
    y = LinearScale((0, rungs[-1]), (height - bottom, _TOP))
    drawing = SvgDrawing(_WIDTH, height, _("Throughput per split, {unit}, with 95 % intervals").format(unit=unit))
    _draw_ranks(drawing, results, x, (_TOP, height - bottom))
    for rung in rungs:
        drawing.line((_LEFT, y(rung)), (_WIDTH - _RIGHT, y(rung)), "grid")
        drawing.text((_LEFT - 8, y(rung) + 4), format_short(rung), "tick", "end")
    _draw_split_labels(drawing, settings, x, height - bottom)
    dotted = _("; dotted: model") if any(model.points for model in results.model) else _(" over trials")
    axis = _("split, I/O domain : guest (logarithmic); whiskers: 95 % interval{dotted}").format(dotted=dotted)
    drawing.text((_WIDTH / 2, height - 4), axis, "axis", "middle")
    for row, kind in enumerate(kinds):
        of_load = [point for point in points if point.load == kind]
        y = LinearScale((0, rungs[-1] * one_tps[kind]), (height - bottom, _TOP))
        shift = (row - (len(kinds) - 1) / 2) * 5
        reported = sorted(
            (_position_of(p.setting), p.predicted_tps) for m in results.model if m.load == kind for p in m.points
        )
        drawing.curve([(x(place) + shift, y(tps)) for place, tps in reported], f"model {load_marker(kind)[1]}")
        _draw_load_series(drawing, of_load, x, y, shift)
        if proposal:
            place = x(proposal.setting.position) + shift, y
            _draw_proposal(drawing, proposal, (kind, of_load[0].unit), place)
    _draw_legend(drawing, points, unit)
    return drawing.markup()


def shares_figure(results: Results, kind: str, facts: HostProperties) -> "Markup":
    """Draw the CPU used by both domains under one load against the CPU allotted.

    Bars are the CPU used, ticks the CPU allotted: percent of the shared CPU, or CPUs of several. Dotted lines are the
    vCPUs of domains with fewer vCPUs than CPUs.

    Args:
        results: Results of the sweep.
        kind: Load kind.
        facts: The host of the sweep.
    """
    cpus = max(1, results.cpus)
    width, height, bottom, top, left = 430.0, 236.0, 26.0, 30.0, 40.0
    points = sorted((p for p in results.points if p.load == kind and p.used_share), key=_column_order)
    drawing = SvgDrawing(
        width, height, _("CPU used by both domains under {load}, per split").format(load=load_title(kind))
    )
    highest = max((used for p in points for used in p.used_share.values()), default=cpus)
    y = LinearScale((0, max(float(cpus), highest)), (height - bottom, top))
    rungs = [0.0, 0.25, 0.5, 0.75, 1.0] if cpus == 1 else [rung for rung in axis_ticks(cpus) if rung <= cpus]
    for rung in rungs:
        drawing.line((left, y(rung)), (width - 6, y(rung)), "grid")
        drawing.text((left - 6, y(rung) + 4), f"{100 * rung:.0f}" if cpus == 1 else f"{rung:g}", "tick", "end")
    unit = "% of a CPU" if cpus == 1 else _("CPUs, of {cpus}").format(cpus=cpus)
    drawing.text((left - 34, top - 14), f"{load_title(kind)}: {unit}", "axis")
    for domain in facts.domains:
        if domain.vcpus < cpus and domain.id in (IO, GUEST):
            drawing.line((left, y(domain.vcpus)), (width - 6, y(domain.vcpus)), f"limit {domain.id}")
    column = (width - 6 - left) / max(len(points), 1)
    for i, point in enumerate(points):
        _draw_share_bars(drawing, point, (left + i * column, column), y, cpus)
        name = "found" if point.setting is None else point.label
        drawing.text((left + (i + 0.5) * column, height - bottom + 16), name, "tick", "middle")
    return drawing.markup()


def _draw_share_bars(
    drawing: SvgDrawing, point: MeasuredPoint, place: tuple[float, float], y: LinearScale, cpus: int
) -> None:
    (start, column) = place
    bar = column * 0.36
    for domain, style, offset in ((IO, "io", 0.12), (GUEST, "guest", 0.52)):
        share = point.used_share.get(domain)
        if share is None:
            continue
        left = start + column * offset
        part = point.allotted_share.get(domain)
        allotted_cpus = None if part is None else part * cpus
        known = _(", no limit is set")
        if allotted_cpus is not None:
            known = _(", allotted {allotted_cpus}").format(allotted_cpus=format_cpu_time(allotted_cpus, cpus))
        tip = f"{point.label} {domain}: {format_cpu_time(share, cpus)}{known}"
        drawing.bar((left, y(share)), (bar, y(0) - y(share)), style, tip)
        if allotted_cpus is not None:
            drawing.line((left - 2, y(allotted_cpus)), (left + bar + 2, y(allotted_cpus)), "allotted")


def _draw_load_series(
    drawing: SvgDrawing, points: Sequence[MeasuredPoint], x: LinearScale, y: LinearScale, shift: float
) -> None:
    shape, style = load_marker(points[0].load)
    found = [point for point in points if point.setting is None]
    for point in found:
        level = y(point.mean_tps or 0.0)
        drawing.line((_LEFT, level), (_WIDTH - _RIGHT, level), f"baseline {style}")
    split = sorted((p for p in points if p.setting is not None), key=_column_order)
    drawing.curve([(x(_position_of(p.setting)) + shift, y(p.mean_tps or 0.0)) for p in split], f"through {style}")
    for point in split:
        centre = x(_position_of(point.setting)) + shift
        if point.ci95_tps:
            drawing.whisker(centre, point.ci95_tps, y, style)
        drawing.marker((centre, y(point.mean_tps or 0.0)), shape, f"dot {style}", point_tooltip(point))


def _draw_proposal(
    drawing: SvgDrawing, proposal: SplitProposal, load: tuple[str, str], place: tuple[float, LinearScale]
) -> None:
    """Draw an unmeasured proposal as a hollow mark with a label."""
    kind, unit = load
    tps = proposal.expected_tps.get(kind)
    if tps is None:
        return
    (centre, y), (shape, style) = place, load_marker(kind)
    tip = _("{label}, {load}: {tps}, interpolated, not measured").format(
        label=proposal.label, load=load_title(kind), tps=format_load_rate(tps, kind, unit)
    )
    drawing.marker((centre, y(tps)), shape, f"predicted {style}", tip)
    drawing.text((centre, y(tps) - 10), "interpolated", "tick", "middle")


def point_tooltip(point: MeasuredPoint) -> str:
    """Return the tooltip of a point's mark."""
    ends = [format_load_rate(tps, point.load, point.unit) for tps in point.ci95_tps or ()]
    mark = ", pooled" if point.pooled else ""
    span = f" (95 % {' to '.join(ends)}{mark})" if ends else ""
    mean = format_load_rate(point.mean_tps or 0.0, point.load, point.unit)
    return _("{label}, {load}: {mean}{span}, {trials} trials").format(
        label=point.label, load=load_title(point.load), mean=mean, span=span, trials=point.trials
    )


def _draw_ranks(drawing: SvgDrawing, results: Results, x: LinearScale, span: tuple[float, float]) -> None:
    """Shade the best splits, and label the decision's split with its rank."""
    advice = results.answer.recommendation
    if advice is None:
        return
    for setting in dict.fromkeys(filter(None, (advice.decision.setting, *advice.equivalent))):
        centre = x(setting.position)
        if style := rank_style(advice, setting):
            drawing.bar((centre - 15, span[0]), (30, span[1] - span[0]), style)
        if setting == advice.decision.setting:
            drawing.text((centre, span[0] - 6), rank_words(advice, setting), "mark", "middle")


def _draw_split_labels(drawing: SvgDrawing, settings: Sequence[Setting], x: LinearScale, floor: float) -> None:
    row, last = 0, -_NEAR_PX
    for setting in settings:
        centre = x(setting.position)
        row = 1 - row if centre - last < _NEAR_PX else 0
        last = centre
        top = floor + 18 + row * 16
        drawing.line((centre, floor), (centre, floor + 5), "grid")
        drawing.text((centre, top), setting.label, "tick", "middle")
        draw_split_bar(drawing, (centre - 12, top + 4), split_of(setting))


def _draw_legend(drawing: SvgDrawing, points: Sequence[MeasuredPoint], unit: str) -> None:
    units = {point.load: point.unit for point in points}
    drawing.text((4, 14), unit, "axis")
    left = max(84.0, 4 + _CHAR_PX * (len(unit) + 2))
    found = {point.load: point.mean_tps or 0.0 for point in points if point.setting is None}
    for kind in sorted(units):
        shape, style = load_marker(kind)
        drawing.marker((left, 10), shape, f"dot {style}")
        drawing.text((left + 10, 14), load_title(kind), "note")
        left += 24 + _CHAR_PX * len(load_title(kind))
        if kind in found:
            words = _("original settings {found}").format(found=format_load_rate(found[kind], kind, units[kind]))
            drawing.line((left, 10), (left + 22, 10), f"baseline {style}")
            drawing.text((left + 28, 14), words, "tick")
            left += 52 + _CHAR_PX * len(words)


def _rate_axis(
    points: Sequence[MeasuredPoint], kinds: Sequence[str], given: Mapping[str, str]
) -> tuple[str, dict[str, float]]:
    """Return the unit of the axis, and the rate of one unit by load.

    Loads with different units have no common axis of rates: each is drawn in percent of its best split.
    """
    if len({rate_unit([kind], given) for kind in kinds}) <= 1:
        return rate_unit(kinds, given), dict.fromkeys(kinds, 1.0)
    best: dict[str, float] = {point.load: point.mean_tps or 0.0 for point in points if point.setting is None}
    for kind in kinds:
        split = [point.mean_tps or 0.0 for point in points if point.load == kind and point.setting is not None]
        best[kind] = max(split, default=best.get(kind, 0.0)) or 1.0
    return _("% of each load's best"), {kind: tps / 100 for kind, tps in best.items()}


def _axis_top(points: Sequence[MeasuredPoint], one_tps: Mapping[str, float], proposal: SplitProposal | None) -> float:
    """Return the top of the axis above every mean and most whiskers.

    Long whiskers are cut where they would squeeze the rest.
    """
    means = [(point.mean_tps or 0.0) / one_tps[point.load] for point in points]
    whiskers = [(p.load, p.ci95_tps[1]) for p in points if p.ci95_tps and p.setting is not None]
    tops = [tps / one_tps[kind] for kind, tps in whiskers]
    highest = max(means, default=1.0)
    top = max(highest * 1.04, min(max(tops, default=0.0), 1.3 * highest))
    if proposal is None:
        return top
    return max(top, *(tps / one_tps[kind] for kind, tps in proposal.expected_tps.items() if kind in one_tps), 0.0)


def draw_split_bar(drawing: SvgDrawing, corner: tuple[float, float], split: Split | None) -> None:
    """Draw the bar of two colours below a split's name; nothing without a split.

    Args:
        drawing: The drawing.
        corner: Upper left corner of the bar, px.
        split: The split; None for none.
    """
    if split is not None:
        (left, top), io = corner, split.io_frac
        drawing.bar((left, top), (24 * io, 4), "io")
        drawing.bar((left + 24 * io, top), (24 * (1 - io), 4), "guest")


def _position_of(setting: Setting | None) -> float:
    return 0.0 if setting is None else setting.position


def _column_order(point: MeasuredPoint) -> tuple[int, float]:
    return int(point.setting is not None), _position_of(point.setting)
