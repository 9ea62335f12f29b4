"""A study of two guests opens in the window: what each loses, in a plot of its own and in tables."""

import msgspec
import pytest

from app.pages.result_data import result_data_of
from app.pages.result_page import ResultPage
from app.plots.split_delegate import PercentDelegate
from app.theme.tokens import DARK, LIGHT
from app.widgets.value_table import table_data
from scheduler.model.split import GUEST
from scheduler.studies.study_charts import study_brief_table
from tests.studies_maker import isolation_documents
from tests.ui.looks import clipped, outside
from tests.ui.recorded import recorded_result

pytestmark = pytest.mark.ui


@pytest.fixture(scope="module")
def finding():
    return result_data_of(isolation_documents())


def test_loss_of_each_guest_is_drawn_in_all_and_beyond_its_share(page: ResultPage, finding, qtbot):
    page.show_finding(finding)
    assert page.frame.isHidden()
    assert page.study.frame.isVisible()
    assert page.study.view.isHidden()
    plot, costs = page.study.plot, finding.results.answer.costs
    names = [series.name for series in plot.chart.series]
    assert len(plot.chart.marks) == 2 * len(costs)
    drawn = {(names[mark.series], round(mark.x)): mark for mark in plot.chart.marks}
    columns = list(dict.fromkeys((cost.split, cost.mode) for cost in costs))
    for cost in costs:
        column, guest = columns.index((cost.split, cost.mode)), "first" if cost.guest == GUEST else "second"
        assert drawn[f"{guest} guest, total", column].y.value == pytest.approx(100 * cost.cost_frac)
        assert drawn[f"{guest} guest, interference", column].y.value == pytest.approx(100 * cost.beyond_frac)
    lost = drawn["second guest, total", next(at for at, (_, mode) in enumerate(columns) if mode == "weights")]
    assert lost.y.value == pytest.approx(50, abs=1)
    assert not lost.hollow
    assert "CPUs alone" in plot.words_at(lost.x, lost.y.value)
    for palette in (LIGHT, DARK):
        assert {entry.words for entry in plot.legend(palette)} >= {"first guest, total", "below the noise"}
    qtbot.wait(50)
    assert clipped(page) == []
    assert outside(page) == []


def test_brief_table_interval_without_0_does_not_read_as_if_it_held_0(finding):
    costs = finding.results.answer.costs
    cost = msgspec.structs.replace(costs[0], beyond_frac=-0.032, beyond_ci95_frac=(-0.0641, -0.0018))
    found = msgspec.structs.replace(finding.results.answer, costs=(cost,))
    (row,) = table_data(study_brief_table("isolation", found)).rows
    minus = "\N{MINUS SIGN}"
    assert row[1:] == (-3.2, f"{minus}6.4 to {minus}0.2")
    assert PercentDelegate().words(row[1]) == f"{minus}3.2"
    assert PercentDelegate().words(-0.04) == "0.0"


def test_figures_are_in_both_tables_and_leave_with_their_study(page: ResultPage, finding):
    page.show_finding(finding)
    costs = finding.results.answer.costs
    assert [row[0] for row in page.regret.table.source.table.rows] == [
        "1:1:1 cap, 1st", "1:1:1 cap, 2nd", "1:1:1 weight, 1st", "1:1:1 weight, 2nd",
    ]  # fmt: skip
    page.study.frame.table_button.click()
    table = page.study.frame.table.source.table
    for row, cost in zip(table.rows, costs, strict=True):
        found = dict(zip(table.headers, row, strict=True))
        assert (found["Alone (tuples/s)"], found["Together (tuples/s)"]) == (cost.alone_tps, cost.both_tps)
        assert found["Loses, 95 % from (%)"] <= found["Loses (%)"] <= found["Loses, 95 % to (%)"]
        assert found["Protected"] == "within 5\N{NO-BREAK SPACE}%"
    page.show_finding(recorded_result())
    assert page.study.frame.isHidden()
    assert page.frame.isVisible()
