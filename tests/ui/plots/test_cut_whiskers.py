"""Intervals that leave a plot of the window get an arrow head there, and the legend says so."""

import msgspec
import pyqtgraph as pg
import pytest

from app.plots.chart_plot import ChartPlot
from app.plots.split_throughput_plot import SplitThroughputPlot
from app.theme.theme import Theme
from app.theme.tokens import LIGHT
from scheduler.model.chart import Axis, Chart, Mark, column_axis, plain_series
from scheduler.model.estimate import Estimate
from scheduler.model.results import MeasuredPoint
from tests.data_maker import make_spec
from tests.settings import setting_at

GOES_ON = "continues beyond the axis"


def legend(plot):
    return [entry.words for entry in plot.legend(LIGHT)]


@pytest.fixture
def plot(theme: Theme, qtbot):
    made = SplitThroughputPlot(theme)
    qtbot.addWidget(made)
    made.prepare(make_spec(splits=("1:2", "1:1"), kinds=("osdb-ir",)))
    return made


def points(high_tps):
    point = MeasuredPoint(
        setting=setting_at("1:2"), load="osdb-ir", mean_tps=100.0, ci95_tps=(50.0, high_tps), cv=0.1, trials=3
    )
    other = msgspec.structs.replace(point, setting=setting_at("1:1"), mean_tps=90.0, ci95_tps=(80.0, 101.0))
    return {(one.label, one.load): one for one in (point, other)}


def test_split_plot_marks_a_whisker_that_leaves_the_axis(plot: SplitThroughputPlot):
    plot.set_points(points(1000.0))
    [load] = plot._loads
    places, heights = load.cut.getData()
    assert list(heights) == pytest.approx([130.0])
    assert list(places) == [load.shown[0][0]]
    assert max(load.whiskers.opts["y"] + load.whiskers.opts["top"]) == pytest.approx(130.0)
    assert GOES_ON in legend(plot)


def test_split_plot_marks_no_whisker_that_fits(plot: SplitThroughputPlot):
    plot.set_points(points(1000.0))
    plot.set_points(points(120.0))
    assert len(plot._loads[0].cut.getData()[0]) == 0
    assert GOES_ON not in legend(plot)


def one_mark(low, high):
    x, y = column_axis("Item", ["Q1"]), Axis(title="Longer by (%)")
    marks = (Mark(0.0, Estimate(10.0, low, high), 0, ("Q1",), hollow=low < 0),)
    return Chart(title="marks", x=x, y=y, series=plain_series(["side"]), marks=marks, whiskers="95 %", hollow="noise")


def test_chart_plot_marks_whiskers_at_both_ends(theme: Theme, qtbot):
    plot = ChartPlot(theme)
    qtbot.addWidget(plot)
    plot.show_chart(one_mark(-40.0, 90.0))
    heads = [item.opts["symbol"] for item in plot._items if isinstance(item, pg.ScatterPlotItem)]
    assert sorted(heads) == ["o", "t", "t1"]
    assert GOES_ON in legend(plot)
    plot.show_chart(one_mark(8.0, 12.0))
    heads = [item.opts["symbol"] for item in plot._items if isinstance(item, pg.ScatterPlotItem)]
    assert heads == ["o"]
    assert GOES_ON not in legend(plot)
