"""Splits by time of day, for a load whose days are alike.

A timetable made from some days is tried on another day, once for each day. Only a timetable that gains on these days is
offered. Hours are those of the watching computer's calendar. A timetable has at most three stretches, and its last
stretch may pass midnight.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import msgspec
import numpy as np

from scheduler.follow.gain_model import GRID, LoadMinute, mean_losses
from scheduler.stats.queueing.mva import Floats

_HOURS = 24
_MOST_STRETCHES = 3
_LEAST_HOURS = 20  # of a day; a day with fewer is not used
LEAST_GAIN = 0.02  # of throughput, as for following

Day = Mapping[int, Floats]
"""Mean losses of the minutes of each hour."""

HourOf = Mapping[float, tuple[int, int]]
"""Day and hour of each minute, by its end in seconds since 1970."""


class TimetableStretch(msgspec.Struct, frozen=True):
    """Split from an hour until the next stretch begins.

    Attributes:
        begins_hour: First hour, 0..23.
        place: Index of the split on the grid.
    """

    begins_hour: int
    place: int


class SplitTimetable(msgspec.Struct, frozen=True):
    """Splits by time of day, and their gain.

    Attributes:
        stretches: At least two, by rising hour.
        gain: ln(throughput) over the best static split, mean over days that the tried timetable was not made from.
    """

    stretches: tuple[TimetableStretch, ...]
    gain: float


def build_timetable(minutes: Sequence[LoadMinute], hour_of: HourOf) -> SplitTimetable | None:
    """Return the timetable; None with fewer than two whole days, or a gain below 2 %.

    Args:
        minutes: The minutes of the watch.
        hour_of: Day and hour of the end of each minute.
    """
    days = _group_by_day(minutes, hour_of)
    if len(days) < 2:
        return None
    gains = [_gain_on_day(_best_stretches(days[:tried] + days[tried + 1 :]), days, tried) for tried in range(len(days))]
    stretches, gain = _best_stretches(days), float(np.mean(gains))
    return SplitTimetable(stretches, gain) if gain > LEAST_GAIN and len(stretches) > 1 else None


def _group_by_day(minutes: Sequence[LoadMinute], hour_of: HourOf) -> list[Day]:
    found: dict[tuple[int, int], list[LoadMinute]] = {}
    for minute in minutes:
        found.setdefault(hour_of[minute.unix_s], []).append(minute)
    days: dict[int, dict[int, Floats]] = {}
    for (day, hour), those in found.items():
        days.setdefault(day, {})[hour] = mean_losses(those)
    return [day for day in days.values() if len(day) >= _LEAST_HOURS]


def _sum_by_hour(days: Sequence[Day]) -> Floats:
    """Return the summed losses by hour and split; 0 for an hour without data."""
    empty = np.zeros(len(GRID))
    return np.array([sum((day[hour] for day in days if hour in day), empty) for hour in range(_HOURS)])


def _best_stretches(days: Sequence[Day]) -> tuple[TimetableStretch, ...]:
    """Return the stretches that lose least, by trying every division of the day."""
    hours = _sum_by_hour(days)
    turned = np.cumsum(np.vstack([np.zeros(len(GRID)), hours, hours]), axis=0)
    worth = np.full((2 * _HOURS + 1, 2 * _HOURS + 1), -np.inf)
    for begin in range(2 * _HOURS):
        for end in range(begin + 1, min(begin + _HOURS, 2 * _HOURS) + 1):
            worth[begin, end] = (turned[end] - turned[begin]).max()
    cuts = max(
        (cuts for first in range(_HOURS) for cuts in _stretch_starts(first)), key=lambda cuts: _total_worth(worth, cuts)
    )
    ends = (*cuts[1:], cuts[0] + _HOURS)
    pairs = zip(cuts, ends, strict=True)
    found = [TimetableStretch(begin % _HOURS, int((turned[end] - turned[begin]).argmax())) for begin, end in pairs]
    return _join_stretches(sorted(found, key=lambda stretch: stretch.begins_hour))


def _stretch_starts(first: int) -> Iterator[tuple[int, ...]]:
    """Yield the starting hours of stretches, with a given first hour."""
    later = range(first + 1, first + _HOURS)
    for count in range(_MOST_STRETCHES):
        yield from ((first, *others) for others in combinations(later, count))


def _total_worth(worth: Floats, cuts: tuple[int, ...]) -> float:
    ends = (*cuts[1:], cuts[0] + _HOURS)
    return float(sum(worth[begin, end] for begin, end in zip(cuts, ends, strict=True)))


def _join_stretches(stretches: Sequence[TimetableStretch]) -> tuple[TimetableStretch, ...]:
    """Return the stretches without those that repeat the previous split."""
    kept = [stretch for place, stretch in enumerate(stretches) if stretch.place != stretches[place - 1].place]
    return tuple(kept or stretches[:1])


def _gain_on_day(stretches: Sequence[TimetableStretch], days: Sequence[Day], tried: int) -> float:
    """Return a timetable's gain on one day over the best static split of other days."""
    others = [*days[:tried], *days[tried + 1 :]]
    static = int(_sum_by_hour(others).sum(axis=0).argmax())
    day = days[tried]
    gains = [losses[grid_index_at(stretches, hour)] - losses[static] for hour, losses in day.items()]
    return float(np.mean(gains))


def grid_index_at(stretches: Sequence[TimetableStretch], hour: int) -> int:
    """Return the grid index of the split at an hour.

    The last stretch applies before the first one begins.

    Args:
        stretches: Stretches by rising hour, at least one.
        hour: Hour of the day, 0..23.
    """
    begun = [stretch for stretch in stretches if stretch.begins_hour <= hour]
    return (begun or stretches)[-1].place
