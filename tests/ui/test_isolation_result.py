"""A study of two guests opens in the window: what each loses, in a plot of its own and in tables."""

import pytest

from app.panels.result_data import finding_of
from app.panels.result_page import ResultPage
from app.theme.tokens import DARK, LIGHT
from tests.data_maker import make_documents
from tests.studies_maker import isolation_documents
from tests.ui.looks import clipped, outside

pytestmark = pytest.mark.ui


@pytest.fixture(scope="module")
def finding():
    return finding_of(isolation_documents())


def test_that_what_each_guest_loses_is_drawn_in_all_and_beyond_its_share(page: ResultPage, finding, qtbot):
    page.show_finding(finding)
    assert page.frame.isHidden()
    assert page.neighbours.frame.isVisible()
    plot, costs = page.neighbours.plot, finding.results.finding.costs
    drawn = {(mark.series, round(mark.x)): mark for mark in plot.marks}
    assert len(drawn) == 2 * len(costs)
    for column, cost in enumerate(costs):
        for series, frac in (("in all", cost.cost_frac), ("beyond its share", cost.beyond_frac)):
            assert drawn[series, column].y == pytest.approx(100 * frac)
    weight = next(at for at, cost in enumerate(costs) if cost.mode == "share")
    assert drawn["in all", weight].y == pytest.approx(50, abs=1)
    assert drawn["in all", weight].told_apart
    assert "CPUs alone" in plot.words_at(*drawn["in all", weight][:2])
    for palette in (LIGHT, DARK):
        assert {entry.words for entry in plot.legend(palette)} >= {"in all", "beyond its share", "below the noise"}
    qtbot.wait(50)
    assert clipped(page) == []
    assert outside(page) == []


def test_that_its_figures_stand_in_both_tables_and_leave_with_their_study(page: ResultPage, finding):
    page.show_finding(finding)
    costs = finding.results.finding.costs
    assert [row[:3] for row in page.regret.table.source.table.rows] == [
        ("1:1:1", "cap", "first"), ("1:1:1", "cap", "second"), ("1:1:1", "weight", "first"),
        ("1:1:1", "weight", "second"),
    ]  # fmt: skip
    page.neighbours.frame.table_button.click()
    table = page.neighbours.frame.table.source.table
    for row, cost in zip(table.rows, costs, strict=True):
        found = dict(zip(table.headers, row, strict=True))
        assert (found["Alone"], found["Together"]) == (cost.alone_tps, cost.both_tps)
        assert found["95 % from (%)"] <= found["Loses in all (%)"] <= found["95 % to (%)"]
        assert found["Protected"] == "within 5 %"
    page.show_finding(finding_of(make_documents()))
    assert page.neighbours.frame.isHidden()
    assert page.frame.isVisible()
