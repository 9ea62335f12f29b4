"""Further figures: one per name and unit, in an order that people expect."""

from scheduler.model.named_figures import NamedFigure, median_figures


def test_each_name_has_its_median_and_q2_remains_before_q10():
    found = median_figures(
        [NamedFigure("Q10 time", 3, "ms"), *(NamedFigure("Q2 time", value, "ms") for value in (9, 1, 2))]
    )
    assert found == (NamedFigure("Q2 time", 2, "ms"), NamedFigure("Q10 time", 3, "ms"))
    assert median_figures([]) == ()


def test_one_name_in_two_units_is_two_figures():
    assert len(median_figures([NamedFigure("read", 1, "bytes"), NamedFigure("read", 1, "rows")])) == 2
