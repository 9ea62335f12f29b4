"""The plot of splits over time: steps where they are, and few enough of them to be drawn in a frame."""

import math

import numpy as np
import pytest

from app.observe.split_history_plot import SplitHistoryPlot
from app.plots.dot_thinning import thinned_dots
from scheduler.model.split import parse_split
from tests.ui.observe.lines import began, move, window

pytestmark = pytest.mark.ui


@pytest.fixture
def plot(theme, qtbot):
    made = SplitHistoryPlot(theme)
    qtbot.addWidget(made)
    made.begin(began())
    return made


def test_split_is_a_step_and_each_move_a_mark(plot: SplitHistoryPlot):
    for reported in (
        window(10),
        window(20),
        move(20, "1:2", "2:1"),
        window(30, "2:1"),
        window(40, "2:1", arm="static"),
    ):
        plot.take(reported)
    plot.take(move(40, "2:1", "1:2", arm="static", predicted_gain=None, io_used_frac=None))
    plot.draw()
    t_s, ratios = plot._set.getData()
    assert list(t_s) == [0, 20, 20, 40]
    assert list(ratios) == pytest.approx([-math.log(2), -math.log(2), math.log(2), math.log(2)])
    assert [len(marks.data) for marks in (plot._marks, plot._changes)] == [1, 1]
    assert plot.table().rows[-1] == (40.0, "2:1", "2:1", None, "comparison")
    assert "2:1" in plot.words_at(28, 0)
    assert plot.words_at(4000, 0) == ""


FAR, NEAR = parse_split("1:3"), parse_split("3:1")


def test_long_time_of_many_moves_is_drawn_by_few_points_and_marks(plot: SplitHistoryPlot):
    for place in range(6000):
        split = ("1:2", "2:1")[place // 4 % 2]
        plot.take(window(10 * place + 10, split, wish=(FAR, NEAR)[place % 2], arm=("following", "static")[place % 2]))
        if place % 4 == 3:
            plot.take(move(10 * place + 10, split, "1:1"))
    plot.draw()
    for curve in (plot._set, plot._turns):
        assert 100 < len(curve.getData()[0]) <= 301
    assert 20 <= len(plot._wish.data) <= 2 * max(40, plot.view.width() / 7)
    assert 100 < len(plot._marks.data) <= 121
    assert len(plot.table().rows) == 6000


@pytest.mark.parametrize("most", [40, 130])
@pytest.mark.parametrize("hours", [0.1, 1, 8, 168])
def test_dotted_line_loses_nothing_at_any_length_and_width(hours, most):
    """One value for each epoch of ten minutes: all have a dot where they are, and there is none elsewhere."""
    t_s = np.arange(1, int(hours * 360) + 1) * 10.0
    values = np.full(len(t_s), np.nan)
    values[30::60] = np.arange(len(values[30::60])) % 2
    there, known = t_s[30::60] - 5.0, values[30::60]
    end_s = max(300.0, t_s[-1])
    at, seen = thinned_dots(t_s, values, 10.0, end_s, most)
    near = np.abs(at[:, None] - there) <= max(5.0, end_s / most)
    same = near & (seen[:, None] == known)
    assert same.any(axis=0).all()
    assert same.any(axis=1).all()
    assert len(at) <= 2 * (most + 1)


def test_dots_are_as_dense_as_the_width_allows_and_at_equal_distances(plot: SplitHistoryPlot, qtbot):
    for place in range(360):
        plot.take(window(10.0 * place + 10))
    dots = []
    for width_px in (420, 1280):
        plot.resize(width_px, 240)
        plot.show()
        qtbot.waitUntil(lambda width_px=width_px: plot.view.width() > width_px / 2)
        plot.draw()
        dots.append(len(plot._wish.data))
        assert len(np.unique(np.diff(plot._wish.data["x"]))) == 1
    assert dots[0] < dots[1]
