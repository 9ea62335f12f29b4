"""What each single user gets: a study's points divided by their users."""

from collections.abc import Mapping

import msgspec
from PySide6.QtCore import QCoreApplication

from app.load_words import unit_of_all
from app.words import full
from scheduler.model.results import Point
from scheduler.model.setting import setting_of, users_of

Points = Mapping[tuple[str, str], Point]


def each(points: Points) -> Points:
    """Return the points with what one user gets of them; those of no number of users stay as they are."""
    return {key: one_users(point) for key, point in points.items()}


def one_users(point: Point) -> Point:
    """Return a point with what one user gets."""
    users = users_at(point) or 1
    interval = point.ci95_tps and (point.ci95_tps[0] / users, point.ci95_tps[1] / users)
    mean_tps = None if point.mean_tps is None else point.mean_tps / users
    return msgspec.structs.replace(point, mean_tps=mean_tps, ci95_tps=interval)


def users_at(point: Point) -> int:
    """Return how many users a point is of; 0 where users were not what was varied."""
    return users_of(setting_of(point.split)) or 0


def each_words(point: Point) -> str:
    """Return what one user gets, to stand below a point's figures; empty where users were not what was varied."""
    got = one_users(point).mean_tps
    if not users_at(point) or got is None:
        return ""
    words = QCoreApplication.translate("per_user", "{rate} {unit} for each user")
    return f"<br>{words.format(rate=full(got), unit=unit_of_all([point]))}"
