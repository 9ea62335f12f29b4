"""What is exported of an isolation study."""

import csv
import re

import pytest

from app.theme.tokens import DARK, LIGHT
from scheduler.errors import SpecError
from scheduler.export.csv_points import GUEST_HEADER, POINT_HEADER, SECOND_HEADER
from scheduler.export.exporters import list_exporters
from scheduler.export.html_report import report_text
from scheduler.export.material import ExportMaterial
from scheduler.model.guests import LoadedGuests
from scheduler.stats.results import summarise_run
from tests.studies_maker import isolation_documents


@pytest.fixture(scope="module")
def material():
    started, *rest = isolation_documents()
    return ExportMaterial(summarise_run([started, *rest]), started.spec, started.facts)


def test_report_shows_loss_of_each_guest_as_chart_and_table(material):
    page = report_text(material)
    assert "Loss of each guest to the other" in page
    assert "1:1:1, weight, the second guest: IR: loses 50 % (50 to 50 %) in all" in page
    assert "Each guest alone and with load on the other guest" in page
    assert page.count("within 5 %") == 4
    assert "caps and weights, period 20 ms" in page
    assert "the guest IR 4, the second guest IR 16" in page
    assert "per split" not in page


def test_what_was_used_of_the_cpu_is_reported_all_three(material):
    both = [p for p in material.results.points if p.setting and p.setting.loaded is LoadedGuests.BOTH]
    texts = {point.bottleneck_text for point in both}
    assert any("the guest used 33 %, the second guest used 33 % and the I/O domain used 20 %" in text for text in texts)


def test_report_and_csv_have_the_second_guests_cpu_and_share(material, tmp_path):
    page = report_text(material)
    table = page[page.index("CPU used and allotted") :]
    assert [head in table for head in ("I/O domain got", "Guest got", "Second guest got")] == [True] * 3
    row = re.search(r"1:1:1 weights, both.*?</tr>", table, re.DOTALL)[0]
    assert re.findall(r'class="n(?: dim)?">([\d.]+)', row) == ["20.0", "33.3", "33.4", "33.3", "33.4", "33.3"]
    assert '<i class="tickmark">' not in page  # no key where there is no figure
    assert '<b style="width:33.3%">' in page
    assert f"--guest-2: {LIGHT.guest_2.lower()};" in page
    assert f"--guest-2: {DARK.guest_2.lower()};" in page
    points, _ = list_exporters()["csv"].write(material.results, material.spec, material.facts, tmp_path / "out.csv")
    with points.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    both, other = (row for row in rows if row["setting"] == "1:1:1 weights, both")
    assert (both[GUEST_HEADER], other[GUEST_HEADER]) == ("guest", "guest-2")
    assert tuple(rows[0]) == ("run", "simulated", "setting", *POINT_HEADER[3:], *SECOND_HEADER, GUEST_HEADER)
    assert float(both[SECOND_HEADER[0]]) == pytest.approx(float(both["guest used (CPUs)"]))
    assert float(both[SECOND_HEADER[1]]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", ["bundle", "machine"])
def test_what_needs_a_split_is_refused_with_the_question_that_was_asked(material, name, tmp_path):
    with pytest.raises(SpecError, match="Do two guests disturb each other"):
        list_exporters()[name].write(material.results, material.spec, material.facts, tmp_path / "out")


@pytest.mark.parametrize("name", ["csv", "json", "html"])
def test_what_reports_figures_is_written(material, name, tmp_path):
    assert list_exporters()[name].write(material.results, material.spec, material.facts, tmp_path / "out")
