"""The figure of an overhead report: how much longer each item takes on each side, with its interval."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scheduler.export.svg_chart import LinearScale, SvgDrawing, axis_ticks
from scheduler.model.number_texts import format_interval, format_percent, format_signed_percent
from scheduler.model.sentence_texts import load_title
from scheduler.model.study_findings import OverheadFinding, SlowdownEstimate

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH, _HEIGHT = 880.0, 380.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 58.0, 14.0, 36.0, 30.0
_FLOOR = _HEIGHT - _BOTTOM
_CHAR_PX = 6.8
_SHAPES = (("circle", "ir"), ("square", "third"), ("star", "fifth"), ("cross", "seventh"))  # one per side, then again
_WIDEST = 1.5  # times the largest slowdown; a whisker beyond is cut


def overhead_figures(finding: OverheadFinding) -> "list[Markup]":
    """Draw each load by itself."""
    loads = dict.fromkeys(item.load for item in finding.items)
    return [_draw_load([item for item in finding.items if item.load == load]) for load in loads]


def _draw_load(rows: Sequence[SlowdownEstimate]) -> "Markup":
    items, sides = (list(dict.fromkeys(names)) for names in ((row.item for row in rows), (row.side for row in rows)))
    top = _WIDEST * max(*(row.slowdown_frac for row in rows), 0.01)
    rungs = axis_ticks(min(top, max(*(row.ci95_frac[1] for row in rows if row.ci95_frac), 0.01, 0.0)))
    low = min(0.0, *(max(row.ci95_frac[0], -rungs[-1]) for row in rows if row.ci95_frac), 0.0)
    y = LinearScale((low, rungs[-1]), (_FLOOR, _TOP))
    drawing = SvgDrawing(
        _WIDTH, _HEIGHT, f"How much longer {load_title(rows[0].load)} takes than on the base, per item"
    )
    for rung in rungs:
        drawing.line((_LEFT, y(rung)), (_WIDTH - _RIGHT, y(rung)), "configured" if not rung else "grid")
        drawing.text((_LEFT - 8, y(rung) + 4), format_percent(rung), "tick", "end")
    column = (_WIDTH - _RIGHT - _LEFT) / len(items)
    for place, item in enumerate(items):
        centre = _LEFT + (place + 0.5) * column
        drawing.text((centre, _HEIGHT - 8), item, "tick", "middle")
        for row in (row for row in rows if row.item == item):
            shift = (sides.index(row.side) - (len(sides) - 1) / 2) * min(14.0, column / (len(sides) + 1))
            _draw_mark(drawing, row, centre + shift, y, _SHAPES[sides.index(row.side) % len(_SHAPES)])
    _draw_legend(drawing, sides)
    return drawing.markup()


def _draw_mark(
    drawing: SvgDrawing, row: SlowdownEstimate, centre: float, y: LinearScale, look: tuple[str, str]
) -> None:
    """Draw one slowdown; one that is below the noise is hollow."""
    shape, style = look
    span = ""
    if row.ci95_frac:
        drawing.whisker(centre, row.ci95_frac, y, style)
        span = f" ({format_interval(*row.ci95_frac)})"
    noise = "" if row.told_apart else ", below the noise"
    tip = f"{row.item} {row.side}: {format_signed_percent(row.slowdown_frac)}{span}{noise}"
    drawing.marker((centre, y(row.slowdown_frac)), shape, f"{'dot' if row.told_apart else 'promise'} {style}", tip)


def _draw_legend(drawing: SvgDrawing, sides: Sequence[str]) -> None:
    drawing.text((4, 14), "longer than the base", "axis")
    left = 4 + _CHAR_PX * 22
    for place, side in enumerate(sides):
        shape, style = _SHAPES[place % len(_SHAPES)]
        drawing.marker((left, 10), shape, f"dot {style}")
        drawing.text((left + 10, 14), side, "note")
        left += 26 + _CHAR_PX * len(side)
    drawing.text((left, 14), "whiskers: 95 % interval; hollow: below the noise", "tick")
