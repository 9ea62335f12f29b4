"""Moves are looked at afterwards: by whole windows, the first one dropped, and never for another arm's turn."""

import math

import pytest

from scheduler.follow.gain_audit import AuditedMove, GainAudit


def fed(audit, *rates):
    return [reported for reported in map(audit.window, rates) if reported is not None]


def test_move_is_reported_with_what_was_promised_and_what_the_rate_did():
    audit = GainAudit()
    fed(audit, 50.0, *[100.0] * 6)  # the newest six count
    audit.changed(70.0, 0.21)
    assert fed(audit, 900.0, *[118.0] * 5) == []  # the first lies between two splits
    assert fed(audit, 118.0, 118.0) == [AuditedMove(70.0, 0.21, pytest.approx(0.18))]


@pytest.mark.parametrize(
    ("before", "predicted_gain", "after"),
    [(2, 0.2, 6), (6, 0.2, 2), (6, None, 6), (0, 0.2, 6)],
)
def test_too_few_windows_or_no_promise_report_nothing(before, predicted_gain, after):
    audit = GainAudit()
    fed(audit, *[100.0] * before)
    assert audit.changed(60.0, predicted_gain) is None
    assert fed(audit, 1.0, *[120.0] * after) == []
    assert audit.changed(200.0, 0.1) is None
    assert audit.moves == []


def test_move_which_another_one_cuts_short_is_reported_by_what_was_seen_of_it():
    audit = GainAudit()
    fed(audit, *[100.0] * 6)
    audit.changed(60.0, 0.2)
    fed(audit, 1.0, None, *[110.0] * 4)
    assert audit.changed(120.0, None) == AuditedMove(60.0, 0.2, pytest.approx(0.1))


def test_database_that_stopped_or_was_idle_is_no_effect_of_a_move():
    for before, after in ((100.0, 0.0), (0.0, 100.0)):
        audit = GainAudit()
        fed(audit, *[before] * 6)
        audit.changed(60.0, 0.2)
        assert fed(audit, 1.0, *[after] * 6) == []


def test_slope_is_how_much_of_the_promises_was_seen():
    audit, rate = GainAudit(), 100.0
    for number, predicted_gain in enumerate((0.1, 0.3, 0.5)):
        assert audit.slope is None
        fed(audit, *[rate] * 7)
        audit.changed(60.0 * number, predicted_gain)
        rate *= math.exp(0.8 * math.log1p(predicted_gain))
        fed(audit, 1.0, *[rate] * 6)
    assert len(audit.moves) == 3
    assert audit.slope == pytest.approx(0.8)
