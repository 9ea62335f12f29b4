"""Further figures of a load: behind a fold of the result page, and in the report; nothing where there are none."""

import msgspec
import pytest

from app.pages.result_data import result_data_of
from app.pages.result_page import ResultPage
from scheduler.export.exporters import list_exporters
from scheduler.model.documents import TrialDone
from scheduler.model.named_figures import NamedFigure
from tests.data_maker import make_documents, make_spec
from tests.ui.looks import clipped, outside
from tests.ui.recorded import recorded_result


@pytest.fixture
def finding():
    figures = tuple(NamedFigure(f"Q{number} time", 1.5 * number, "ms") for number in (1, 22))
    documents = make_documents(spec=make_spec(splits=["1:3", "1:1"], kinds=["tpch"]), samples=False)
    return result_data_of(
        [msgspec.structs.replace(d, figures=figures) if isinstance(d, TrialDone) else d for d in documents]
    )


def test_figures_fold_out_as_a_table(page: ResultPage, finding):
    page.show_finding(finding)
    card = page.measured.figures
    assert not card.isHidden()
    assert card.table.isHidden()
    card.fold.click()
    assert not card.table.isHidden()
    table = card.table_of(finding.results.points)
    assert table.headers[:3] == ("Load", "Figure", "Unit")
    assert {"1:3", "1:1"} <= set(table.headers)
    assert [row[:4] for row in table.rows] == [("TPC-H", "Q1 time", "ms", 1.5), ("TPC-H", "Q22 time", "ms", 33.0)]
    assert clipped(page) == []
    assert outside(page) == []


def test_run_without_figures_has_no_fold(page: ResultPage):
    page.show_finding(recorded_result(samples=False))
    assert page.measured.figures.isHidden()


def test_report_has_the_same_table(finding, tmp_path):
    list_exporters()["html"].write(finding.results, finding.run.spec, finding.run.facts, tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text()
    assert "Further figures of TPC-H" in page
    assert '<th scope="row">Q22 time</th>' in page
    assert 'class="load wedge seventh"' in page
