"""The plot of splits over time: steps where they are, and few enough of them to be drawn in a frame."""

import math

import pytest

from app.follow.split_plot import SplitPlot
from tests.ui.follow.lines import began, move, window

pytestmark = pytest.mark.ui


@pytest.fixture
def plot(theme, qtbot):
    made = SplitPlot(theme)
    qtbot.addWidget(made)
    made.begin(began())
    return made


def test_that_a_split_is_a_step_and_each_move_a_mark(plot: SplitPlot):
    for told in (window(10), window(20), move(20, "1:2", "2:1"), window(30, "2:1"), window(40, "2:1", arm="static")):
        plot.take(told)
    plot.take(move(40, "2:1", "1:2", arm="static", promise=None, io_used_frac=None))
    plot.draw()
    t_s, ratios = plot._set.getData()
    assert list(t_s) == [0, 20, 20, 40]
    assert list(ratios) == pytest.approx([-math.log(2), -math.log(2), math.log(2), math.log(2)])
    assert [len(marks.data) for marks in (plot._marks, plot._changes)] == [1, 1]
    assert plot.table().rows[-1] == (40.0, "2:1", "2:1", None, "what it is compared with")
    assert "2:1" in plot.words_at(28, 0)
    assert plot.words_at(4000, 0) == ""


def test_that_a_long_time_of_many_moves_is_drawn_by_few_points_and_marks(plot: SplitPlot):
    for place in range(6000):
        split = ("1:2", "2:1")[place // 4 % 2]
        plot.take(
            window(10 * place + 10, split, wish=("1:3", "3:1")[place % 2], arm=("following", "static")[place % 2])
        )
        if place % 4 == 3:
            plot.take(move(10 * place + 10, split, "1:1"))
    plot.draw()
    for curve in (plot._set, plot._wish, plot._turns):
        assert 100 < len(curve.getData()[0]) <= 301
    assert 100 < len(plot._marks.data) <= 121
    assert len(plot.table().rows) == 6000
