"""Splits by time of day, for a load whose days are alike.

What is made from some days is tried on another, once for each day; only what gains there is offered. Hours are those
of the watching computer's calendar, a timetable has up to three stretches and goes round midnight.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import msgspec
import numpy as np

from scheduler.follow.gain_model import GRID, LoadMinute, mean_losses
from scheduler.stats.queueing.mva import Floats

_HOURS = 24
_MOST_STRETCHES = 3
_LEAST_HOURS = 20  # of a day: with fewer it is no day to try anything on
LEAST_GAIN = 0.02  # of throughput: what following must gain, too, before it is worth anybody's time

Day = Mapping[int, Floats]
"""Hour to the mean losses of its minutes."""

HourOf = Mapping[float, tuple[int, int]]
"""When a minute ended to its day and hour."""


class TimetableStretch(msgspec.Struct, frozen=True):
    """From an hour on, until the next stretch begins: the place of a split on the grid."""

    begins_hour: int
    place: int


class SplitTimetable(msgspec.Struct, frozen=True):
    """What repeats.

    Attributes:
        stretches: At least two, by rising hour.
        gain: ln(throughput) over the best static split, mean over days that it was not made from.
    """

    stretches: tuple[TimetableStretch, ...]
    gain: float


def build_timetable(minutes: Sequence[LoadMinute], hour_of: HourOf) -> SplitTimetable | None:
    """Return the timetable; None for fewer than two whole days, or where it gains under 2 %."""
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
    """Return hour, split to the sum over the days; 0 for an hour that none of them has."""
    empty = np.zeros(len(GRID))
    return np.array([sum((day[hour] for day in days if hour in day), empty) for hour in range(_HOURS)])


def _best_stretches(days: Sequence[Day]) -> tuple[TimetableStretch, ...]:
    """Return the stretches that lose least: every way to cut a day round midnight is looked at."""
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
    """Yield the hours at which stretches begin, the first of them given."""
    later = range(first + 1, first + _HOURS)
    for count in range(_MOST_STRETCHES):
        yield from ((first, *others) for others in combinations(later, count))


def _total_worth(worth: Floats, cuts: tuple[int, ...]) -> float:
    ends = (*cuts[1:], cuts[0] + _HOURS)
    return float(sum(worth[begin, end] for begin, end in zip(cuts, ends, strict=True)))


def _join_stretches(stretches: Sequence[TimetableStretch]) -> tuple[TimetableStretch, ...]:
    """Return the stretches without those that go on with the split of the one before."""
    kept = [stretch for place, stretch in enumerate(stretches) if stretch.place != stretches[place - 1].place]
    return tuple(kept or stretches[:1])


def _gain_on_day(stretches: Sequence[TimetableStretch], days: Sequence[Day], tried: int) -> float:
    """Return what a timetable gains on a day over the static split that the other days name."""
    others = [*days[:tried], *days[tried + 1 :]]
    static = int(_sum_by_hour(others).sum(axis=0).argmax())
    day = days[tried]
    gains = [losses[grid_index_at(stretches, hour)] - losses[static] for hour, losses in day.items()]
    return float(np.mean(gains))


def grid_index_at(stretches: Sequence[TimetableStretch], hour: int) -> int:
    """Return the split's place at an hour; before the first stretch the last one goes on."""
    begun = [stretch for stretch in stretches if stretch.begins_hour <= hour]
    return (begun or stretches)[-1].place
