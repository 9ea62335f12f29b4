"""What a host does now is looked at before anybody is asked: time goes on while it sleeps, others' work is said."""

import time

import pytest

from scheduler.commands.simulation import lasting_control
from scheduler.run.first_look import warn_of_other_guests
from tests.unit.follow.test_current_split import facts_of

MIB = 1 << 20


@pytest.mark.parametrize(
    ("moved", "words"),
    [
        ({"db1": 70 * MIB, "db7": 20 * MIB, "mail": 10 * MIB}, "Other guests do 30 % of"),
        ({"db1": 70 * MIB, "db7": 20 * MIB, "mail": 10 * MIB}, "(db7 20 %, mail 10 %)"),
        ({"db7": 5 * MIB}, "Other guests do 100 % of"),
        ({"db1": 95 * MIB, "db7": 5 * MIB}, ""),
        ({"db1": 0, "db7": 0}, ""),
        ({}, ""),
    ],
)
def test_other_guests_whose_input_and_output_the_io_domain_does_are_named_with_their_share(moved, words):
    before = dict.fromkeys(moved, 7 * MIB)
    after = {name: 7 * MIB + count for name, count in moved.items()}
    reported = "".join(warn_of_other_guests(facts_of(), before, {**after, "new": 10**12}))
    assert words in reported
    assert bool(reported) is bool(words)
    assert not reported or "counts as demand of db1" in reported


def test_what_lasts_for_hours_goes_by_a_clock_that_neither_steps_nor_stops():
    assert abs(lasting_control("xl:").clock.now() - time.clock_gettime(time.CLOCK_BOOTTIME)) < 5
