"""The figure of a capacity report: throughput over users, with the knee between two numbers of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scheduler.export.report_figures import load_marker, point_tooltip
from scheduler.export.svg_chart import LinearScale, SvgDrawing, axis_ticks
from scheduler.model.number_texts import format_short
from scheduler.model.results import MeasuredPoint, Results
from scheduler.model.sentence_texts import load_title
from scheduler.model.setting import UsersSetting, parse_named_setting, split_of, users_of
from scheduler.model.study_findings import CapacityFinding, KneeEstimate

if TYPE_CHECKING:
    from markupsafe import Markup

_WIDTH, _HEIGHT = 880.0, 380.0
_LEFT, _RIGHT, _BOTTOM = 58.0, 14.0, 46.0
_HEAD, _ROW = 30.0, 20.0  # the knees' bars are between legend and plot, a row each
_FLOOR = _HEIGHT - _BOTTOM
_CHAR_PX = 6.8
_DASHES = ("", "dash-2", "dash-3", "dash-4")  # one for each split, then again


def capacity_figures(results: Results, finding: CapacityFinding) -> "list[Markup]":
    """Draw each load by itself: their rates may have different units, and their knees would cover each other."""
    kinds = dict.fromkeys(point.load for point in results.points if point.mean_tps is not None)
    return [_draw_load(results, finding, kind) for kind in kinds]


def _draw_load(results: Results, finding: CapacityFinding, kind: str) -> "Markup":
    points = [point for point in results.points if point.load == kind and point.mean_tps is not None]
    users = sorted({_point_users(point) for point in points})
    splits = list(dict.fromkeys(_point_split(point) for point in points))
    knees = [knee for knee in finding.knees if knee.load == kind]
    top = max(point.mean_tps or 0.0 for point in points)
    high = max((min(point.ci95_tps[1], 1.3 * top) for point in points if point.ci95_tps), default=top)
    rungs = axis_ticks(max(top, high) * 1.02)
    x = LinearScale((_users_position(users[0]) - 0.25, _users_position(users[-1]) + 0.35), (_LEFT, _WIDTH - _RIGHT))
    y = LinearScale((0, rungs[-1]), (_FLOOR, _HEAD + _ROW * len(knees) + 8))
    drawing = SvgDrawing(_WIDTH, _HEIGHT, f"Throughput of {load_title(kind)} over users, with 95 % intervals")
    for row, knee in enumerate(knees):
        _draw_knee(drawing, knee, x, row)
    for rung in rungs:
        drawing.line((_LEFT, y(rung)), (_WIDTH - _RIGHT, y(rung)), "grid")
        drawing.text((_LEFT - 8, y(rung) + 4), format_short(rung), "tick", "end")
    _draw_user_axis(drawing, users, x)
    for row, split in enumerate(splits):
        _draw_series(
            drawing, [point for point in points if _point_split(point) == split], x, y, _DASHES[row % len(_DASHES)]
        )
    _draw_legend(drawing, points[0], splits)
    return drawing.markup()


def _draw_knee(drawing: SvgDrawing, knee: KneeEstimate, x: LinearScale, row: int) -> None:
    """Draw the numbers of users from which it is full, a bar in a row of its own; an open one has no right end."""
    left = x(_users_position(knee.above + 1))
    right = _WIDTH - _RIGHT if knee.open else x(_users_position(knee.most))
    beyond = f"more than {knee.above} users" if knee.above else "not known"
    between = f"not decided: full somewhere between {max(1, knee.above)} and {knee.most} users"
    known = f"full at {knee.above + 1} to {knee.most} users" if knee.is_decided else between
    words = beyond if knee.open else known
    if not knee.open and knee.above + 1 >= knee.most:
        words = f"full at {knee.most} user{'' if knee.most == 1 else 's'}"
    words += f" at {knee.split}" if knee.split else ""
    top, wide = _HEAD + row * _ROW, _CHAR_PX * (len(words) + 1)
    drawing.bar((left - 2, top), (max(right - left, 0.0) + 4, _ROW - 5), "named", words)  # of one number, 4 px wide
    for edge in {left} if knee.open else {left, right}:
        drawing.line((edge, top), (edge, _FLOOR), "grid")
    beside = right + 8 + wide < _WIDTH
    place = right + 8 if beside else max(left - 8, wide)
    drawing.text((place, top + _ROW - 8), words, "mark", "start" if beside else "end")


def _draw_series(
    drawing: SvgDrawing, points: Sequence[MeasuredPoint], x: LinearScale, y: LinearScale, dash: str
) -> None:
    shape, style = load_marker(points[0].load)
    there = sorted(points, key=_point_users)
    drawing.curve(
        [(x(_users_position(_point_users(p))), y(p.mean_tps or 0.0)) for p in there], f"through {dash} {style}".strip()
    )
    for point in there:
        centre = x(_users_position(_point_users(point)))
        if point.ci95_tps:
            drawing.whisker(centre, point.ci95_tps, y, style)
        drawing.marker((centre, y(point.mean_tps or 0.0)), shape, f"dot {style}", point_tooltip(point))


def _draw_user_axis(drawing: SvgDrawing, users: Sequence[int], x: LinearScale) -> None:
    last = -_CHAR_PX * 4
    for number in users:
        centre = x(_users_position(number))
        drawing.line((centre, _FLOOR), (centre, _FLOOR + 5), "grid")
        if centre - last >= _CHAR_PX * 3:
            drawing.text((centre, _FLOOR + 18), str(number), "tick", "middle")
            last = centre
    drawing.text((_WIDTH / 2, _HEIGHT - 4), "users (logarithmic)", "axis", "middle")


def _draw_legend(drawing: SvgDrawing, point: MeasuredPoint, splits: Sequence[str]) -> None:
    shape, style = load_marker(point.load)
    drawing.text((4, 14), point.unit, "axis")
    left = max(84.0, 4 + _CHAR_PX * (len(point.unit) + 2))
    drawing.marker((left, 10), shape, f"dot {style}")
    drawing.text((left + 10, 14), load_title(point.load), "note")
    left += 28 + _CHAR_PX * len(load_title(point.load))
    for row, split in enumerate(splits):
        words = f"at {split}" if split else "original settings"
        drawing.curve([(left, 10), (left + 26, 10)], f"through {_DASHES[row % len(_DASHES)]} {style}")
        drawing.text((left + 32, 14), words, "tick")
        left += 52 + _CHAR_PX * len(words)
    drawing.text((left, 14), "whiskers: 95 % interval over trials; bar: where it stops rising", "tick")


def _point_users(point: MeasuredPoint) -> int:
    return users_of(parse_named_setting(point.split)) or 1


def _point_split(point: MeasuredPoint) -> str:
    split = split_of(parse_named_setting(point.split))
    return split.label if split else ""


def _users_position(users: int) -> float:
    return UsersSetting(users).position
