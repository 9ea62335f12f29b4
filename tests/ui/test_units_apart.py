"""Loads whose rates have different units share no axis of rates: each stands relative to its own best."""

import re
from itertools import pairwise

import msgspec
import pytest

from app.background import BackgroundWorker
from app.pages.live_page import LivePage
from app.plots.axis_positions import axis_bounds
from app.plots.compare_plot import ComparePlot
from app.plots.split_throughput_plot import SplitThroughputPlot
from app.theme.theme import Theme
from scheduler.export.report_figures import load_marker, throughput_figure
from scheduler.model.results import MeasuredPoint
from scheduler.model.setting import BASELINE, parse_split_setting
from scheduler.model.spec import PAPER_SPLITS
from tests.data_maker import make_documents, make_spec
from tests.settings import setting_at
from tests.ui.plots.helpers import redrawn
from tests.ui.recorded import recorded_result
from tests.ui.stages import shown

pytestmark = pytest.mark.ui

FIVE = ["osdb-ir", "osdb-oltp", "tpcb", "order-entry", "tpch"]
MIXED = ["osdb-ir", "tpch"]
BEST_TPS = {"osdb-ir": 8000.0, "osdb-oltp": 2000.0, "tpcb": 900.0, "order-entry": 500.0, "tpch": 2.5}


def point(split: str, load: str, tps: float) -> MeasuredPoint:
    return MeasuredPoint(
        setting=setting_at(split), load=load, mean_tps=tps, ci95_tps=(0.9 * tps, 1.1 * tps), cv=0.05, trials=3
    )


def points_of(kinds) -> dict[tuple[str, str], MeasuredPoint]:
    """Return the best of each load at another split, half of it elsewhere, three quarters as found."""
    found = {}
    for number, kind in enumerate(kinds):
        best = PAPER_SPLITS[number]
        for split in PAPER_SPLITS:
            found[split, kind] = point(split, kind, BEST_TPS[kind] / (1 if split == best else 2))
        found[BASELINE, kind] = point(BASELINE, kind, 0.75 * BEST_TPS[kind])
    return found


@pytest.fixture
def plot(theme: Theme, qtbot):
    made = SplitThroughputPlot(theme)
    with shown(made, qtbot):
        yield made


def heights(plot: SplitThroughputPlot) -> dict[str, list[float]]:
    return {load.kind: sorted(set(load.marks.getData()[1].round(6))) for load in plot._loads}


def test_each_load_is_in_percent_of_its_best_where_units_differ(plot: SplitThroughputPlot):
    plot.prepare(make_spec(kinds=FIVE))
    plot.set_points(points_of(FIVE))
    assert heights(plot) == {kind: [50.0, 100.0] for kind in FIVE}
    assert [load.base.value() for load in plot._loads] == pytest.approx([75.0] * len(FIVE))
    assert plot.canvas.getAxis("left").labelText == "% of each load's best"
    assert {point.mean_tps for point in plot.shown.values() if point.load == "tpch"} == {1.25, 2.5}


def test_rates_of_one_unit_remain_as_they_are(plot: SplitThroughputPlot):
    kinds = ["osdb-ir", "osdb-oltp"]
    plot.prepare(make_spec(kinds=kinds))
    plot.set_points(points_of(kinds))
    assert heights(plot) == {"osdb-ir": [4000.0, 8000.0], "osdb-oltp": [1000.0, 2000.0]}
    assert plot.canvas.getAxis("left").labelText == "Throughput (tuples/s)"


def test_better_split_moves_what_was_drawn_before(plot: SplitThroughputPlot):
    plot.prepare(make_spec(kinds=MIXED))
    plot.set_points({("1:1", "tpch"): point("1:1", "tpch", 1.0)})
    assert heights(plot)["tpch"] == [100.0]
    plot.set_points({("1:1", "tpch"): point("1:1", "tpch", 1.0), ("1:2", "tpch"): point("1:2", "tpch", 4.0)})
    assert heights(plot)["tpch"] == [25.0, 100.0]


def test_trial_before_any_figure_is_its_own_best(plot: SplitThroughputPlot):
    plot.prepare(make_spec(kinds=MIXED))
    plot.show_now(setting_at("1:1"), "osdb-ir", 8000.0, settling=False)
    assert plot._shape[1] < 200
    plot.set_points({(BASELINE, "osdb-ir"): point(BASELINE, "osdb-ir", 4000.0)})
    plot.show_now(setting_at("1:1"), "osdb-ir", 8000.0, settling=False)
    assert plot._shape[1] == pytest.approx(200 * 1.12)


def test_pointing_at_a_mark_reports_its_rate_in_its_unit(plot: SplitThroughputPlot):
    plot.prepare(make_spec(kinds=MIXED))
    plot.set_points(points_of(MIXED))
    load = plot._loads[1]
    at = next(x for x, each in load.shown if each.mean_tps == 2.5)
    words = plot.words_at(at, 100.0)
    assert "2.500 queries/s" in words, words


@pytest.mark.parametrize("splits", [PAPER_SPLITS, ("1:1", "1:2", "2:1"), ("19:20", "1:1", "20:19")])
@pytest.mark.parametrize("kinds", [FIVE[:2], FIVE], ids=["two", "five"])
def test_no_loads_marks_come_near_another_split(plot: SplitThroughputPlot, kinds, splits):
    spec = make_spec(kinds=kinds, splits=splits)
    plot.prepare(spec)
    positions = sorted(parse_split_setting(label).position for label in splits)
    gaps = [right - left for left, right in pairwise(positions)]
    shifts = [load.shift for load in plot._loads]
    assert shifts == sorted(shifts)
    assert max(shifts) == pytest.approx(-min(shifts))
    assert max(shifts) - min(shifts) < min(gaps)
    low, high = axis_bounds(spec.settings)
    assert shifts[1] - shifts[0] <= 0.02 * (high - low)


@pytest.mark.parametrize("kinds", [FIVE[:1], FIVE[:2], FIVE], ids=["one", "two", "five"])
def test_no_axis_title_is_cut_off_in_the_smallest_window(theme: Theme, background: BackgroundWorker, qtbot, kinds):
    page = LivePage(theme, background)
    page.resize(1024, 600)
    with shown(page, qtbot):
        for document in make_documents(spec=make_spec(kinds=kinds)):
            page.take(document)
        redrawn(page)
        for plot in (page.plots.split, page.plots.throughput):
            axis = plot.canvas.getAxis("left")
            assert axis.label.boundingRect().width() <= axis.size().height(), axis.labelText


def test_runs_with_other_units_are_compared_in_percent_of_the_best_of_its_unit(theme: Theme, qtbot):
    counted = msgspec.structs.replace(point("1:1", "command", 2.0), unit="pages")
    plot = ComparePlot(theme)
    qtbot.addWidget(plot)
    plot.show_runs([[point("1:1", "command", 8000.0)], [point("1:1", "command", 4000.0)], [counted]], 0)
    assert plot.item.getAxis("left").labelText == "% of the best of its unit"
    assert [float(curve.line.yData[0]) for curve in plot.curves] == [100.0, 50.0, 100.0]
    plot.show_runs([[point("1:1", "osdb-ir", 8000.0)]], 0)
    assert plot.item.getAxis("left").labelText.startswith("Throughput (")


def test_reports_figure_has_every_loads_best_at_a_hundred():
    results = recorded_result(spec=make_spec(kinds=MIXED)).results
    svg = str(throughput_figure(results))
    assert "Throughput per split, % of each load&#x27;s best" in svg
    [hundred] = re.findall(r'<text x="[^"]*" y="([^"]*)"[^>]*>100</text>', svg)
    for kind in MIXED:
        [curve] = re.findall(rf'<polyline points="([^"]*)" class="through {load_marker(kind)[1]}"', svg)
        top = min(float(corner.split(",")[1]) for corner in curve.split())
        assert top + 4 == pytest.approx(float(hundred), abs=0.2)
