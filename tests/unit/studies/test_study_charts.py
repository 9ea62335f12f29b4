"""Charts and tables of every study are consistent values, and the report writes all of them."""

import re

import msgspec
import pytest

from scheduler.export.chart_svg import chart_svg
from scheduler.export.table_cells import heading_cells, row_cells
from scheduler.model.chart import Axis, Chart, Mark, column_axis, column_position, plain_series
from scheduler.model.estimate import Estimate, estimate_of
from scheduler.model.table import CellForm, Column, Table
from scheduler.stats.results import summarise_run
from scheduler.studies.study_charts import study_brief_table, study_charts, study_tables
from tests.data_maker import make_documents
from tests.studies_maker import capacity_documents, isolation_documents, overhead_documents, scale_up_documents

MAKERS = [capacity_documents, overhead_documents, scale_up_documents, isolation_documents]


@pytest.fixture(scope="module", params=MAKERS, ids=lambda maker: maker.__name__.removesuffix("_documents"))
def results(request):
    return summarise_run(request.param())


def test_study_charts_each_mark_has_a_series_a_place_and_a_value_in_range(results):
    charts = study_charts(results)
    assert charts
    for chart in charts:
        low, high = chart.values_range
        assert chart.marks
        assert {mark.series for mark in chart.marks} == set(range(len(chart.series)))
        assert all(chart.x.ends[0] <= mark.x <= chart.x.ends[1] for mark in chart.marks)
        assert all(low <= mark.y.value <= high for mark in chart.marks)
        assert all(mark.tip[0] for mark in chart.marks)
        assert len({(series.marker, series.colour, series.dash) for series in chart.series}) == len(chart.series)


def test_study_tables_hold_the_value_of_each_mark(results):
    cells = [cell for table in study_tables(results) for row in table.rows for cell in row]
    figures = {round(factor * cell.value, 9) for cell in cells if isinstance(cell, Estimate) for factor in (1, 100)}
    figures |= {round(point.mean_tps, 9) for point in results.points}  # the table of points, of every study
    for chart in study_charts(results):
        assert {round(mark.y.value, 9) for mark in chart.marks} <= figures


def test_study_tables_have_a_cell_for_each_heading(results):
    for table in (*study_tables(results), study_brief_table(results.study, results.answer)):
        headings = list(heading_cells(table))
        assert table.rows
        assert all(len(cells) == len(headings) for cells in row_cells(table))
        assert table.title


def test_study_charts_of_split_study_are_empty():
    results = summarise_run(make_documents())
    assert study_charts(results) == study_tables(results) == ()


def test_study_charts_without_any_trial_draw_nothing(results):
    empty = msgspec.structs.replace(results, points=(), answer=type(results.answer)(headline="No answer."))
    assert study_charts(empty) == ()
    assert study_tables(empty) == ()


@pytest.mark.parametrize(
    ("ends", "reference", "expected"),
    [((0.1, 0.3), 0.0, True), ((-0.1, 0.3), 0.0, False), ((0.0, 0.3), 0.0, False), ((0.8, 0.9), 1.0, True)],
)
def test_estimate_differs_only_if_its_interval_excludes_the_reference(ends, reference, expected):
    assert estimate_of(0.2, ends).differs_from(reference) is expected
    assert not estimate_of(0.2, None).differs_from(reference)


def test_estimate_scaled_keeps_a_missing_interval():
    assert Estimate(0.5, 0.25, 0.75).scaled(100) == Estimate(50.0, 25.0, 75.0)
    assert Estimate(0.5).scaled(100) == Estimate(50.0)


def make_chart(*marks, names=("one", "two"), columns=("Q1", "Q2")):
    x = column_axis("Item", columns)
    series = plain_series(names)
    return Chart(title="<Title>", x=x, y=Axis(title="%"), series=series, marks=marks, whiskers="95 %")


def test_chart_range_cuts_wide_whiskers_and_holds_zero():
    chart = make_chart(Mark(0.0, Estimate(10.0, -40.0, 90.0), 0, ("a",)))
    assert chart.values_range == (-15.0, 15.0)
    figure = chart_svg(chart)
    assert figure.count("dot cut ir") == 2  # one at each end
    assert "&lt;Title&gt;" in figure


def test_chart_svg_long_legend_takes_further_lines():
    short, long = make_chart(), make_chart(names=tuple(f"a side with a long name, {at}" for at in range(8)))
    heights = [float(re.search(r'viewBox="0 0 \S+ (\S+)"', chart_svg(chart))[1]) for chart in (short, long)]
    assert heights[1] - heights[0] == 2 * 18.0


def test_column_position_spreads_series_evenly_around_the_column():
    places = [column_position(3, at, 2) for at in range(2)]
    assert sum(places) / 2 == pytest.approx(3.0)
    assert places[0] < 3.0 < places[1] < 3.5


def test_table_cells_write_intervals_next_to_figures_or_apart():
    columns = (
        Column("Gain", CellForm.CHANGE),
        Column("Time", CellForm.NUMBER, "ms", 2, "95 %"),
        Column("Blocks", CellForm.COUNT),
        Column("Side"),
    )
    rows = ((Estimate(-0.04, -0.05, -0.03), Estimate(1.5, 1.0, 2.0), 6, "a"), (Estimate(0.1), None, None, None))
    table = Table(title="t", columns=columns, rows=rows)
    assert [cell.text for cell in heading_cells(table)] == ["Gain", "Time, ms", "95 %", "Blocks", "Side"]
    first, second = row_cells(table)
    minus, dash = "\N{MINUS SIGN}", "\N{EN DASH}"
    assert [cell.text for cell in first] == [f"{minus}4 %", "1.50", "1.00 to 2.00", "6", "a"]
    assert first[0].interval == f"{minus}5 to {minus}3 %"
    assert [cell.text for cell in second] == ["+10 %", dash, dash, dash, dash]


def test_isolation_tip_names_no_loss_where_the_interval_is_below_zero():
    results = summarise_run(isolation_documents())
    costs = (msgspec.structs.replace(results.answer.costs[0], beyond_frac=-0.2, beyond_ci95_frac=(-0.3, -0.1)),)
    found = msgspec.structs.replace(results, answer=msgspec.structs.replace(results.answer, costs=costs))
    assert "no interference" in study_charts(found)[0].marks[0].tip
