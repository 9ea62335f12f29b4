"""What is exported of an isolation study."""

import pytest

from scheduler.errors import SpecError
from scheduler.export.html_report import report_text
from scheduler.export.material import Material
from scheduler.export.registry import exporters
from scheduler.stats.results import results_from
from tests.studies_maker import isolation_documents


@pytest.fixture(scope="module")
def material():
    started, *rest = isolation_documents()
    return Material(results_from([started, *rest]), started.spec, started.facts)


def test_that_the_report_shows_each_guests_loss_in_a_figure_and_in_its_table(material):
    page = report_text(material)
    assert "What each guest loses to the other" in page
    assert "the second guest: IR at 1:1:1, share, in all: 50 %" in page
    assert "Each guest alone and beside a loaded neighbour" in page
    assert page.count("within 5 %") == 4
    assert "partition and share, period 20 ms" in page
    assert "the guest IR 4, the second guest IR 16" in page
    assert "per split" not in page


def test_that_what_was_used_of_the_cpu_is_told_of_all_three(material):
    texts = {point.bottleneck_text for point in material.results.points if point.split.endswith("both")}
    assert any("the guest used 33 %, the second guest used 33 % and the I/O domain used 20 %" in text for text in texts)


@pytest.mark.parametrize("name", ["bundle", "machine"])
def test_that_what_needs_a_split_is_refused_with_the_question_that_was_asked(material, name, tmp_path):
    with pytest.raises(SpecError, match="Do two guests disturb each other"):
        exporters()[name].write(material.results, material.spec, material.facts, tmp_path / "out")


@pytest.mark.parametrize("name", ["csv", "json", "html"])
def test_that_what_tells_figures_is_written(material, name, tmp_path):
    assert exporters()[name].write(material.results, material.spec, material.facts, tmp_path / "out")
