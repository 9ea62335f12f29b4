"""What each of several computers did of a load: in the report, in JSON and in the window; nowhere of a single one."""

import re

import msgspec
import pytest

from app.plots.client_texts import clients_words
from scheduler.export.html_report import report_text
from scheduler.export.material import ExportMaterial
from scheduler.model.client_figures import ClientFigures, average_clients
from scheduler.model.codec import encode_json

CLIENTS = {"load1": ClientFigures(1_234.4, 3, 0.125, 0.44), "load2": ClientFigures(800.0, 2, 0.05, 1.0)}


@pytest.fixture
def made(measured: ExportMaterial) -> ExportMaterial:
    points = tuple(msgspec.structs.replace(point, clients=CLIENTS) for point in measured.results.points)
    return msgspec.structs.replace(measured, results=msgspec.structs.replace(measured.results, points=points))


def test_report_has_a_row_for_each(made, measured):
    page = report_text(made)
    assert "Computers of the load generator" in page
    row = page[page.index("<td>load1</td>") :]
    cells = re.findall(r'<td class="n">([^<]*)</td>', row[: row.index("</tr>")])
    assert cells == ["3", "1,234", "12.5", "0.4"]
    assert "Computers of the load generator" not in report_text(measured)


def test_json_has_them(made):
    reported = msgspec.json.decode(encode_json(made.results))
    assert reported["points"][0]["clients"]["load2"] == {
        "rate_tps": 800.0,
        "users": 2,
        "cpu_frac": 0.05,
        "clock_error_ms": 1.0,
    }


def test_window_reports_them_once_for_each_load(made, measured):
    words = clients_words(made.results.points)
    assert len(words) == 2 * len({point.load for point in made.results.points})
    assert "load1: 3 users" in words[0]
    assert clients_words(measured.results.points) == []


def test_mean_over_trials_keeps_the_worst_clock():
    found = average_clients([{"a": ClientFigures(100.0, 2, 0.2, 0.5)}, {"a": ClientFigures(200.0, 3, 0.4, 3.0)}, {}])
    assert found == {"a": ClientFigures(150.0, 3, pytest.approx(0.3), 3.0)}
