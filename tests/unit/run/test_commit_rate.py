"""The rate of the user's database: gaps belong to no window, and failed looks are remarked."""

import pytest

from scheduler.errors import DatabaseUnreachable
from scheduler.model.commit_counter import CommitCount
from scheduler.run.commit_counter import CommitRate


class Counter:
    """Counts ten commits a second; fails while `broken`."""

    def __init__(self):
        self.now_s, self.broken, self.looks = 0.0, False, 0

    def look(self):
        self.looks += 1
        if self.broken:
            raise DatabaseUnreachable("no connection to db")
        return CommitCount(int(10 * self.now_s))


def count_at(rate, counter, *times):
    found = []
    for now_s in times:
        counter.now_s = now_s
        found.append(rate.count(now_s))
    return [None if each is None else each.rate_tps for each in found]


def test_count_after_gap_returns_none():
    counter = Counter()
    assert count_at(CommitRate(counter), counter, 0, 10, 41, 51) == [None, pytest.approx(10), None, pytest.approx(10)]


def test_count_around_failed_look_returns_none():
    counter = Counter()
    rate = CommitRate(counter)
    count_at(rate, counter, 0, 10)
    counter.broken = True
    assert count_at(rate, counter, 20) == [None]
    counter.broken = False
    assert count_at(rate, counter, 30, 40) == [None, pytest.approx(10)]
    (remark,) = rate.remarks
    assert "around 1 of 5 looks" in remark
    assert "no connection to db" in remark


def test_count_after_stop_looks_no_more():
    counter = Counter()
    rate = CommitRate(counter)
    rate.stop()
    assert count_at(rate, counter, 0, 10) == [None, None]
    assert (counter.looks, rate.named) == (0, True)
