"""A database that hangs holds nobody up: its counter answers in time, or is not asked again."""

import contextlib
import threading
import time

import pytest

from scheduler.errors import DatabaseUnreachable, LoadError
from scheduler.model.commit_counter import CommitCount
from scheduler.run.bounded_counter import BoundedCounter


class Counter:
    def __init__(self):
        self.count, self.held, self.error, self.asked = 0, threading.Event(), None, 0
        self.held.set()

    def look(self):
        self.asked += 1
        self.held.wait(10)
        if self.error:
            raise self.error
        self.count += 1
        return CommitCount(self.count)


def test_answers_come_in_order_and_errors_are_raised_where_it_was_asked():
    counter = Counter()
    with contextlib.closing(BoundedCounter(counter)) as bounded:
        assert [bounded.look().commits for _ in range(3)] == [1, 2, 3]
        counter.error = DatabaseUnreachable("no connection to db")
        with pytest.raises(DatabaseUnreachable, match="no connection to db"):
            bounded.look()
        counter.error = None
        assert bounded.look() == CommitCount(4)


def test_counter_that_hangs_is_given_up_in_time_and_asked_again_after_its_late_answer():
    counter = Counter()
    counter.held.clear()
    with contextlib.closing(BoundedCounter(counter, limit_s=0.1)) as bounded:
        began_s = time.monotonic()
        for _ in range(2):
            with pytest.raises(LoadError, match=r"did not answer within 0\.1 s"):
                bounded.look()
        assert time.monotonic() - began_s < 5
        assert counter.asked == 1
        counter.held.set()
        bounded._answers.put(bounded._answers.get(timeout=10))  # the late answer has come
        assert bounded.look() == CommitCount(2)
