"""What the result page shows of the queueing model, on documents of whole sweeps."""

from app.display_texts import format_full, typeset_text
from app.load_texts import load_name
from app.pages.result_data import result_data_of
from app.pages.result_page import ResultPage
from tests.data_maker import make_documents, make_spec


def _show(page: ResultPage, **options) -> None:
    page.show_finding(result_data_of(make_documents(**options)))


def _legend(page: ResultPage) -> list[str]:
    return [entry.words for entry in page.plot.legend(page._theme.palette)]


def test_model_is_drawn_under_the_points_with_its_bottlenecks_for_who_wants_it(page: ResultPage):
    _show(page)
    assert page.plot.model.points == {}
    assert len(_legend(page)) == 4, "two loads, the original settings, the interval"
    page.model.button.click()
    for model in page.finding.results.model:
        _, tps = page.plot.model.lines[model.load].getData()
        assert tps.tolist() == [reported.predicted_tps for reported in model.points]
    ends = {"t1": page._theme.palette.io, "d": page._theme.palette.guest}
    outlines = list(page.plot.model.marks.points())
    assert [outlines[0].symbol(), outlines[-1].symbol()] == list(ends)  # 1:10 first, 10:1 last
    assert [outlines[0].pen().color().name(), outlines[-1].pen().color().name()] == [c.lower() for c in ends.values()]
    assert {"Model, limited by:", "I/O domain", "Guest"} <= set(_legend(page))
    reported = page.finding.results.model[0].points[0]
    x, point = page.plot._loads[0].shown[0]
    assert f"model: {format_full(reported.predicted_tps)} tuples/s" in page.plot.words_at(x, point.mean_tps)


def test_table_twin_has_the_models_figures(page: ResultPage):
    _show(page)
    page.frame.table_button.setChecked(True)
    table = page.frame.table.source.table
    at = table.headers.index("Model (tuples/s)")
    reported = {(p.label, load_name(m.load)): p.predicted_tps for m in page.finding.results.model for p in m.points}
    assert {(str(row[0]), row[1]): row[at] for row in table.rows if row[at] is not None} == reported
    assert {row[at + 1] for row in table.rows} >= {"", "I/O domain", "Guest"}


def test_page_reports_where_model_and_measurement_part(page: ResultPage):
    _show(page)
    assert page.why.models.isVisibleTo(page)
    for model in page.finding.results.model:
        assert typeset_text(" ".join(model.sentences)) in page.why.models.text()


def test_too_few_splits_have_no_curve_and_a_reason(page: ResultPage):
    _show(page)
    page.model.button.click()
    assert page.plot.model.points
    _show(page, spec=make_spec(splits=("1:2", "1:1", "2:1")))
    assert page.plot.model.points == {}
    assert not page.model.button.isVisibleTo(page)
    assert "Model, limited by:" not in _legend(page)
    assert "3 splits were measured" in page.why.models.text()
    page.frame.table_button.setChecked(True)
    assert "Model (tuples/s)" not in page.frame.table.source.table.headers
