"""The figure of an isolation report: what each guest loses to its neighbour, in all and beyond its share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from scheduler.export.svg_chart import LinearScale, SvgDrawing, axis_ticks
from scheduler.model.isolation_findings import GuestLoss, IsolationFinding, ShareProtection
from scheduler.model.number_texts import format_interval, format_percent
from scheduler.model.sentence_texts import domain_title, load_title
from scheduler.model.split import GUEST

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH, _HEIGHT = 880.0, 380.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 14.0, 36.0, 46.0
_FLOOR = _HEIGHT - _BOTTOM
_CHAR_PX = 6.8
_LOWEST = -0.5  # a whisker beyond is cut
_SHIFT_PX = 9.0
_WHOLE, _BEYOND = ("circle", "ir"), ("square", "third")

IntervalEnds = tuple[float, float] | None


class _CostMark(NamedTuple):
    """One figure with its interval, and how it looks."""

    name: str
    value: float
    ends: IntervalEnds
    look: tuple[str, str]


def isolation_figures(finding: IsolationFinding) -> "list[Markup]":
    """Draw all splits, modes and guests side by side; none where nothing was found."""
    return [_draw_costs(finding.costs)] if finding.costs else []


def protection_text(cost: GuestLoss) -> str:
    """Return whether the cost beyond the share stays within the limit, in a few words."""
    words = {
        ShareProtection.KEPT: "within 5 %",
        ShareProtection.BROKEN: "more than 5 %",
        ShareProtection.UNKNOWN: "not told",
    }
    return words[cost.protection]


def _draw_costs(costs: Sequence[GuestLoss]) -> "Markup":
    spans = [ends for cost in costs for ends in (cost.ci95_frac, cost.beyond_ci95_frac) if ends]
    values = [value for cost in costs for value in (cost.cost_frac, cost.beyond_frac)]
    high = min(1.0, max(0.06, *values, *(ends[1] for ends in spans)))
    low = max(_LOWEST, min(0.0, *values, *(ends[0] for ends in spans)))
    rungs = axis_ticks(high)
    y = LinearScale((low, rungs[-1]), (_FLOOR, _TOP))
    drawing = SvgDrawing(_WIDTH, _HEIGHT, "What each of two guests loses while the other one is loaded, too")
    for rung in rungs:
        drawing.line((_LEFT, y(rung)), (_WIDTH - _RIGHT, y(rung)), "configured" if not rung else "grid")
        drawing.text((_LEFT - 8, y(rung) + 4), format_percent(rung), "tick", "end")
    column = (_WIDTH - _RIGHT - _LEFT) / len(costs)
    for place, cost in enumerate(costs):
        centre, is_first = _LEFT + (place + 0.5) * column, cost.guest == GUEST
        name = f"{domain_title(cost.guest)}: {load_title(cost.load)} at {cost.split}, {cost.mode}"
        whole = _CostMark(f"{name}, in all", cost.cost_frac, cost.ci95_frac, _WHOLE)
        beyond = _CostMark(f"{name}, beyond its share", cost.beyond_frac, cost.beyond_ci95_frac, _BEYOND)
        _draw_mark(drawing, whole, centre - _SHIFT_PX, y)
        _draw_mark(drawing, beyond, centre + _SHIFT_PX, y)
        drawing.text((centre, _HEIGHT - 26), "first" if is_first else "second", "tick", "middle")
        drawing.text((centre, _HEIGHT - 8), f"{cost.split} {cost.mode}" if is_first else "", "tick", "middle")
    _draw_legend(drawing)
    return drawing.markup()


def _draw_mark(drawing: SvgDrawing, mark: _CostMark, centre: float, y: LinearScale) -> None:
    """Draw one figure; one that is below the noise is hollow."""
    ends, (shape, style) = mark.ends, mark.look
    noise = ends is None or ends[0] <= 0.0 <= ends[1]
    if ends:
        drawing.whisker(centre, ends, y, style)
    span = f" ({format_interval(*ends)})" if ends else ""
    tip = f"{mark.name}: {format_percent(mark.value)}{span}{', below the noise' if noise else ''}"
    drawing.marker((centre, y(mark.value)), shape, f"{'promise' if noise else 'dot'} {style}", tip)


def _draw_legend(drawing: SvgDrawing) -> None:
    left = 4.0
    for (shape, style), text in ((_WHOLE, "loses in all"), (_BEYOND, "beyond its share")):
        drawing.marker((left + 5, 10), shape, f"dot {style}")
        drawing.text((left + 15, 14), text, "note")
        left += 30 + _CHAR_PX * len(text)
    drawing.text((left, 14), "of its throughput alone; whiskers: 95 % interval; hollow: below the noise", "tick")
