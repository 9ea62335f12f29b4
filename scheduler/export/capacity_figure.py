"""The figure of a capacity report: throughput over users, with the knee between two numbers of them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scheduler.export.report_figures import marker_of, point_tip
from scheduler.export.svg_chart import Drawing, Scale, ticks
from scheduler.model.findings import CapacityFinding, FoundKnee
from scheduler.model.number_texts import short
from scheduler.model.results import Point, Results
from scheduler.model.setting import UsersSetting, named_setting, split_of, users_of
from scheduler.model.words import load_title

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
    return [_figure(results, finding, kind) for kind in kinds]


def _figure(results: Results, finding: CapacityFinding, kind: str) -> "Markup":
    points = [point for point in results.points if point.load == kind and point.mean_tps is not None]
    users = sorted({_users(point) for point in points})
    splits = list(dict.fromkeys(_split(point) for point in points))
    knees = [knee for knee in finding.knees if knee.load == kind]
    top = max(point.mean_tps or 0.0 for point in points)
    high = max((min(point.ci95_tps[1], 1.3 * top) for point in points if point.ci95_tps), default=top)
    rungs = ticks(max(top, high) * 1.02)
    x = Scale((_place(users[0]) - 0.25, _place(users[-1]) + 0.35), (_LEFT, _WIDTH - _RIGHT))
    y = Scale((0, rungs[-1]), (_FLOOR, _HEAD + _ROW * len(knees) + 8))
    drawing = Drawing(_WIDTH, _HEIGHT, f"Throughput of {load_title(kind)} over users, with 95 % intervals")
    for row, knee in enumerate(knees):
        _band(drawing, knee, x, row)
    for rung in rungs:
        drawing.line((_LEFT, y(rung)), (_WIDTH - _RIGHT, y(rung)), "grid")
        drawing.text((_LEFT - 8, y(rung) + 4), short(rung), "tick", "end")
    _numbers(drawing, users, x)
    for row, split in enumerate(splits):
        _series(drawing, [point for point in points if _split(point) == split], x, y, _DASHES[row % len(_DASHES)])
    _legend(drawing, points[0], splits)
    return drawing.markup()


def _band(drawing: Drawing, knee: FoundKnee, x: Scale, row: int) -> None:
    """Draw the numbers of users from which it is full, a bar in a row of its own; an open one has no right end."""
    left = x(_place(knee.above + 1))
    right = _WIDTH - _RIGHT if knee.open else x(_place(knee.most))
    beyond = f"more than {knee.above} users" if knee.above else "not known"
    between = f"not decided: full somewhere between {max(1, knee.above)} and {knee.most} users"
    known = f"full at {knee.above + 1} to {knee.most} users" if knee.decided else between
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


def _series(drawing: Drawing, points: Sequence[Point], x: Scale, y: Scale, dash: str) -> None:
    shape, style = marker_of(points[0].load)
    there = sorted(points, key=_users)
    drawing.curve([(x(_place(_users(p))), y(p.mean_tps or 0.0)) for p in there], f"through {dash} {style}".strip())
    for point in there:
        centre = x(_place(_users(point)))
        if point.ci95_tps:
            drawing.whisker(centre, point.ci95_tps, y, style)
        drawing.marker((centre, y(point.mean_tps or 0.0)), shape, f"dot {style}", point_tip(point))


def _numbers(drawing: Drawing, users: Sequence[int], x: Scale) -> None:
    last = -_CHAR_PX * 4
    for number in users:
        centre = x(_place(number))
        drawing.line((centre, _FLOOR), (centre, _FLOOR + 5), "grid")
        if centre - last >= _CHAR_PX * 3:
            drawing.text((centre, _FLOOR + 18), str(number), "tick", "middle")
            last = centre
    drawing.text((_WIDTH / 2, _HEIGHT - 4), "users (logarithmic)", "axis", "middle")


def _legend(drawing: Drawing, point: Point, splits: Sequence[str]) -> None:
    shape, style = marker_of(point.load)
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


def _users(point: Point) -> int:
    return users_of(named_setting(point.split)) or 1


def _split(point: Point) -> str:
    split = split_of(named_setting(point.split))
    return split.label if split else ""


def _place(users: int) -> float:
    return UsersSetting(users).position
