"""Further figures: one per name and unit, in an order that people expect."""

from scheduler.model.figures import Figure, medians


def test_that_each_name_has_its_median_and_q2_stands_before_q10():
    found = medians([Figure("Q10 time", 3, "ms"), *(Figure("Q2 time", value, "ms") for value in (9, 1, 2))])
    assert found == (Figure("Q2 time", 2, "ms"), Figure("Q10 time", 3, "ms"))
    assert medians([]) == ()


def test_that_one_name_in_two_units_is_two_figures():
    assert len(medians([Figure("read", 1, "bytes"), Figure("read", 1, "rows")])) == 2
