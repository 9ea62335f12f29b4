"""What a scale-up study found, in the window's table."""

import pytest

from app.pages.result_data import result_data_of
from app.pages.result_page import ResultPage
from app.pages.study_titles import rates_title
from app.plots.curves import curves_of, entry_of
from app.theme.tokens import LIGHT
from app.widgets.value_table import table_data
from scheduler.model.plan_file import parse_plan
from scheduler.model.reference_comparison import ReferenceRatio
from scheduler.studies.scaling.declaration import SaturatedPart, ScaleUpFinding, VcpuThroughput
from scheduler.studies.study_charts import study_brief_table
from tests.studies_maker import capacity_documents, isolation_documents, overhead_documents, scale_up_documents
from tests.ui.looks import clipped, outside
from tests.ui.recorded import recorded_result

_BESIDE_RAIL_PX = 1024 - 113  # what the rail leaves of the smallest window


def size(vcpus, ratio, ci95, filled):
    return VcpuThroughput(
        load="order-entry", unit="orders/s", vcpus=vcpus, mean_tps=1.0, ratio=ratio, ci95=ci95, blocks=6, filled=filled
    )


def test_each_number_of_vcpus_is_a_row_with_what_was_full():
    sizes = tuple(
        size(2**n, 1.0 + n, (0.9 + n, 1.1 + n) if n else None, filled) for n, filled in enumerate(SaturatedPart)
    )
    brief = study_brief_table("scale-up", ScaleUpFinding(headline="", sizes=sizes))
    table = table_data(brief)
    assert brief.title
    assert brief.note
    assert [row[:2] for row in table.rows] == [(2**n, 1.0 + n) for n in range(len(SaturatedPart))]
    assert table.rows[0][2] is None
    assert "1.9 to 2.1" in table.rows[1][2]
    assert len({row[-1] for row in table.rows}) == len(SaturatedPart)
    assert rates_title("scale-up") == "Throughput over vCPUs"


@pytest.mark.parametrize("documents", [scale_up_documents, capacity_documents, overhead_documents, isolation_documents])
def test_what_a_study_found_fits_next_to_its_plot_in_the_smallest_window(page: ResultPage, qtbot, documents):
    window = page.window()
    window.resize(_BESIDE_RAIL_PX, 500)
    page.show_finding(result_data_of(documents()))
    table = page.regret.table
    qtbot.waitUntil(lambda: table.width() > 0 and outside(page) == [])
    qtbot.waitUntil(lambda: page.area.horizontalScrollBar().maximum() == 0)
    assert table.horizontalScrollBar().maximum() == 0
    assert clipped(page.regret) == []


def test_regret_table_at_smallest_window_shows_all_columns_next_to_the_plot(page: ResultPage, qtbot):
    page.window().resize(_BESIDE_RAIL_PX, 500)
    page.show_finding(recorded_result())
    table = page.regret.table
    qtbot.waitUntil(lambda: table.width() > 0 and outside(page) == [])
    qtbot.waitUntil(lambda: page.area.horizontalScrollBar().maximum() == 0)
    assert table.horizontalScrollBar().maximum() == 0


def reference(vcpus, ratio, ci95):
    rates = {"load": "order-entry", "unit": "orders/s", "guest_tps": ratio, "base_tps": 1.0}
    return ReferenceRatio(vcpus=vcpus, ratio=ratio, ci95=ci95, blocks=6, **rates)


def test_what_is_reached_of_reference_is_next_to_each_number_and_noise_is_called_so():
    sizes = tuple(size(n, 1.0, None, SaturatedPart.GUEST) for n in (1, 2, 4))
    references = (reference(1, 0.99, (0.97, 1.01)), reference(2, 0.85, (0.83, 0.87)), reference(4, 0.9, None))
    brief = study_brief_table("scale-up", ScaleUpFinding(headline="", sizes=sizes, references=references))
    table = table_data(brief)
    assert "Reference" in brief.note
    assert [len(row) for row in table.rows] == [len(table.headers)] * 3
    assert [row[2] for row in table.rows] == [99.0, 85.0, 90.0]
    spans = [row[3] for row in table.rows]
    assert "noise" in spans[0]
    assert spans[1].split() == ["83", "to", "87"]
    assert spans[2] is None


def test_base_is_a_curve_of_its_own_over_the_same_numbers():
    plan = 'host = "local:"\nstudy = "scale-up"\nvcpus = [1, 2]\n'
    assert curves_of(parse_plan(plan)) == [("order-entry", None)]
    both = [("order-entry", (0, "")), ("order-entry", (1, "direct"))]
    assert curves_of(parse_plan(f'{plan}base = "direct"\n')) == both


def test_guest_and_reference_are_two_curves_with_their_ratio_next_to(page: ResultPage, qtbot):
    found = result_data_of(scale_up_documents())
    page.show_finding(found)
    curves = page.plot._loads
    assert [entry_of(curve, LIGHT).words for curve in curves] == ["Orders", "Orders direct"]
    assert [len(curve.shown) for curve in curves] == [4, 4]
    assert [curve.filled for curve in curves] == [True, False]
    references = found.results.answer.references
    assert [reference.ratio for reference in references] == pytest.approx([1.0, 0.95, 0.9, 0.85], abs=0.03)
    assert "of the reference" in found.results.answer.headline
    qtbot.waitUntil(lambda: clipped(page) == [] and outside(page) == [])
