"""A study of two guests opens in the window: its curves, what it found, its row on Home."""

import pytest

from app.panels.result_data import finding_of
from app.panels.result_page import ResultPage
from tests.studies_maker import isolation_documents
from tests.ui.looks import outside

pytestmark = pytest.mark.ui


def test_that_its_result_is_shown_with_what_was_found(page: ResultPage, qtbot):
    finding = finding_of(isolation_documents())
    page.show_finding(finding)
    qtbot.wait(50)
    labels = {label for label, _ in page.plot.shown}
    assert labels == {setting.label for setting in finding.run.spec.settings}
    assert finding.results.finding.headline.startswith("Under the cap (partition) a busy neighbour costs at most 5 %")
    assert outside(page) == []
