"""Throughput per user: the points of a study divided by their number of users."""

from collections.abc import Mapping

import msgspec

from app.display_texts import format_full
from app.load_texts import unit_of_all
from scheduler.model.results import MeasuredPoint
from scheduler.model.setting import users_of
from scheduler.translation import _

Points = Mapping[tuple[str, str], MeasuredPoint]


def per_user_points(points: Points) -> Points:
    """Return the points with the throughput per user.

    Points without a number of users stay unchanged.
    """
    return {key: per_user_point(point) for key, point in points.items()}


def per_user_point(point: MeasuredPoint) -> MeasuredPoint:
    """Return a point with the throughput per user."""
    users = users_at(point) or 1
    interval = point.ci95_tps and (point.ci95_tps[0] / users, point.ci95_tps[1] / users)
    mean_tps = None if point.mean_tps is None else point.mean_tps / users
    return msgspec.structs.replace(point, mean_tps=mean_tps, ci95_tps=interval)


def users_at(point: MeasuredPoint) -> int:
    """Return the number of users of a point; 0 if the study does not vary users."""
    return users_of(point.setting) or 0


def per_user_words(point: MeasuredPoint) -> str:
    """Return a line with the throughput per user; empty if users are not varied."""
    got = per_user_point(point).mean_tps
    if not users_at(point) or got is None:
        return ""
    words = _("{rate} {unit} per user")
    return f"<br>{words.format(rate=format_full(got), unit=unit_of_all([point]))}"
