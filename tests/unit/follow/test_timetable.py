"""A timetable is offered where it gains on days that it was not made from, and nowhere else."""

import math

import numpy as np
import pytest

from scheduler.follow.gain_model import GRID, LoadMinute, build_minute
from scheduler.follow.split_rule import PairLimits, PairUsage
from scheduler.follow.timetable import build_timetable, grid_index_at

HOUR_S = 3600.0
READS, WRITES = PairUsage(0.48, 0.17), PairUsage(0.1, 0.48)  # two loads whose best splits are far apart, seen at 1:1


def day_of(use_at, days, every_s=600.0):
    """Return the minutes of some days, one every ten minutes, and their hours; `use_at(day, hour)` is the load."""
    found, hours = [], {}
    for step in range(int(days * 24 * HOUR_S / every_s)):
        unix_s = step * every_s
        day, hour = int(unix_s // (24 * HOUR_S)), int(unix_s % (24 * HOUR_S) // HOUR_S)
        minute = build_minute(use_at(day, hour), PairLimits(0.5, 0.5), unix_s)
        assert isinstance(minute, LoadMinute)
        found.append(minute)
        hours[unix_s] = (day, hour)
    return found, hours


def test_days_alike_have_a_timetable_that_changes_when_the_load_does():
    table = build_timetable(*day_of(lambda day, hour: READS if 8 <= hour < 18 else WRITES, days=3))
    assert table is not None
    assert [stretch.begins_hour for stretch in table.stretches] == [8, 18]
    by_day, by_night = (math.exp(GRID[grid_index_at(table.stretches, hour)]) for hour in (12, 2))
    assert by_day > 1.5
    assert by_night < 0.6
    assert table.gain > 0.05


def test_three_stretches_are_found():
    def load(day, hour):
        return READS if 6 <= hour < 12 else WRITES if hour < 18 else PairUsage(0.3, 0.3)

    table = build_timetable(*day_of(load, days=2))
    assert table is not None
    assert len(table.stretches) == 3


@pytest.mark.parametrize(
    "load",
    [
        lambda day, hour: READS,  # always the same
        lambda day, hour: READS if (hour < 12) == (day % 2 == 0) else WRITES,  # each day the other way round
        lambda day, hour: READS if np.random.default_rng(100 * day + hour).random() < 0.5 else WRITES,  # by chance
    ],
)
def test_days_that_are_not_alike_have_none(load):
    assert build_timetable(*day_of(load, days=4)) is None


@pytest.mark.parametrize("days", [0.02, 1.0, 1.5])
def test_fewer_than_two_whole_days_have_none(days):
    assert build_timetable(*day_of(lambda day, hour: READS if 8 <= hour < 18 else WRITES, days=days)) is None
