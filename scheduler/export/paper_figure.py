"""Figure that compares a run with a paper, by ranks per split."""

from typing import TYPE_CHECKING

from scheduler.export.report_figures import draw_split_bar, load_marker
from scheduler.export.svg_chart import SvgDrawing
from scheduler.model.sentence_texts import load_title
from scheduler.model.setting import split_of
from scheduler.papers.comparison import ComparisonRow, PaperComparison, ranks_text
from scheduler.translation import _

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH, _LEFT, _RIGHT, _TOP = 880.0, 58.0, 14.0, 44.0
_RANK_PX, _FOOT_PX = 27.0, 96.0
_BOX_PX, _SHIFT_PX, _CHAR_PX = 15.0, 22.0, 6.8


def ranks_figure(comparison: PaperComparison) -> "Markup":
    """Draw a column per split: boxes for the paper's ranks, marks for the run's.

    Boxes span the possible ranks by the paper's text. Whiskers span the possible ranks by the run's intervals.
    """
    columns, loads = comparison.columns, comparison.loads
    items = [row.item for row in columns]
    floor = _TOP + _RANK_PX * len(columns)
    title = _("{what}, in {citation} and here, 1 is the best").format(
        what=comparison.what, citation=comparison.paper.citation
    )
    drawing = SvgDrawing(_WIDTH, floor + _FOOT_PX, title)
    for rank in range(1, len(columns) + 1):
        drawing.line((_LEFT, _rank_y(rank)), (_WIDTH - _RIGHT, _rank_y(rank)), "grid")
        drawing.text((_LEFT - 8, _rank_y(rank) + 4), str(rank), "tick", "end")
    column = (_WIDTH - _RIGHT - _LEFT) / len(columns)
    for at, row in enumerate(columns):
        place = _LEFT + (at + 0.5) * column
        drawing.text((place, floor + 18), row.item, "tick", "middle")
        draw_split_bar(drawing, (place - 12, floor + 22), split_of(row.setting))
    for row in comparison.standings:
        shift = (loads.index(row.load) - (len(loads) - 1) / 2) * _SHIFT_PX
        _draw_row(drawing, row, _LEFT + (items.index(row.item) + 0.5) * column + shift)
    _draw_legend(drawing, comparison)
    drawing.text((_WIDTH / 2, floor + 44), comparison.axis, "axis", "middle")
    drawing.text((4, floor + 70), _("Paper: {short}").format(short=comparison.paper.method.short), "tick")
    drawing.text((4, floor + 88), _("Here: {here}").format(here=comparison.here), "tick")
    return drawing.markup()


def _rank_y(rank: float) -> float:
    return _TOP + _RANK_PX * (rank - 0.5)


def _draw_row(drawing: SvgDrawing, row: ComparisonRow, x: float) -> None:
    shape, style = load_marker(row.load)
    best, worst = row.stated
    corner = (x - _BOX_PX / 2, _rank_y(best) - _RANK_PX / 2 + 2)
    tip = _("{item}, {load}: rank {ranks} in the paper").format(
        item=row.item, load=load_title(row.load), ranks=ranks_text(row.stated)
    )
    drawing.bar(corner, (_BOX_PX, _RANK_PX * (worst - best + 1) - 4), f"stated {style}", tip)
    low, high = _rank_y(row.found[0]), _rank_y(row.found[1])
    if high > low:
        drawing.line((x, low), (x, high), f"whisker {style}")
        for end in (low, high):
            drawing.line((x - 4, end), (x + 4, end), f"whisker {style}")
    tip = _("{item}, {load}: rank {rank} here, {ranks} by intervals").format(
        item=row.item, load=load_title(row.load), rank=row.rank, ranks=ranks_text(row.found)
    )
    drawing.marker((x, _rank_y(row.rank)), shape, f"dot {style}", tip)


def _draw_legend(drawing: SvgDrawing, comparison: PaperComparison) -> None:
    drawing.text((4, 14), _("rank, 1 is the best"), "axis")
    left = 150.0
    for load in comparison.loads:
        shape, style = load_marker(load)
        words = f"{load_title(load)} here"
        drawing.marker((left, 10), shape, f"dot {style}")
        drawing.text((left + 10, 14), words, "note")
        left += 28 + _CHAR_PX * len(words)
    reported = _("words leave") if comparison.has_splits else _("figures give")
    drawing.bar((left, 3), (12, 14), f"stated {load_marker(comparison.loads[0])[1]}")
    drawing.text(
        (left + 18, 14),
        _("values from the paper's {reported}; whiskers: 95 % intervals here").format(reported=reported),
        "tick",
    )
