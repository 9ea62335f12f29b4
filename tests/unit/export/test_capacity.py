"""What is exported of a capacity study."""

import csv
import io
import math
import re

import pytest

from scheduler.errors import SpecError
from scheduler.export.chart_svg import chart_svg
from scheduler.export.exporters import list_exporters
from scheduler.export.html_report import report_text
from scheduler.export.material import ExportMaterial
from scheduler.model.documents import RunOutcome, RunStarted, RunStopped
from scheduler.model.plan_file import parse_plan
from scheduler.stats.results import summarise_run
from scheduler.studies.study_charts import study_charts
from tests.data_maker import make_facts
from tests.unit.plans.carrying import carried_out

PLAN = """host = "local:"
study = "capacity"
splits = ["1:2", "2:1"]
demand_users = 4
[[load]]
kind = "osdb-ir"
users = 32
"""


@pytest.fixture(scope="module")
def material():
    spec, facts = parse_plan(PLAN), make_facts()
    trials = carried_out(
        spec, lambda trial: 1000.0 * min(trial.members[0].users, 6 if trial.setting.split.io == 1 else 3)
    )
    started = RunStarted(t_s=0.0, run_id="r1", spec=spec, facts=facts, wall_unix_s=1.0, trials=len(trials))
    stopped = RunStopped(t_s=9.0, outcome=RunOutcome.COMPLETED, restored=True)
    return ExportMaterial(summarise_run([started, *trials, stopped]), spec, facts)


def test_results_carry_the_finding_and_recommend_no_split(material):
    results = material.results
    assert results.study == "capacity"
    assert [(knee.split, knee.above, knee.most) for knee in results.answer.knees] == [("1:2", 5, 6), ("2:1", 2, 3)]
    assert (results.answer.recommendation, results.answer.decision.ordered) == (None, None)


def test_report_shows_the_curve_its_knees_and_its_table(material):
    page = report_text(material)
    assert "Throughput over users" in page
    assert "saturated at 6 users at 1:2" in page
    assert "saturated at 3 users at 2:1" in page
    assert "Each user" in page
    assert "8 users at 1:2" in page
    assert "at most 32" in page
    assert "Objective" not in page
    assert "per split" not in page


def test_chart_svg_knee_covers_the_users_that_its_label_names():
    spec, facts = parse_plan(PLAN.replace('splits = ["1:2", "2:1"]', 'protocol = "grid"')), make_facts()
    trials = carried_out(spec, lambda trial: 1000.0 * min(trial.members[0].users, 3))
    started = RunStarted(t_s=0.0, run_id="r1", spec=spec, facts=facts, wall_unix_s=1.0, trials=len(trials))
    results = summarise_run([started, *trials])
    (chart,) = study_charts(results)
    figure = chart_svg(chart)
    assert "saturated at 3 to 4 users" in figure
    bar = re.search(r'<rect x="([\d.]+)" [^>]*?width="([\d.]+)"[^>]*band', figure)
    left, wide = (float(part) for part in bar.groups())
    at = {text: float(x) for x, text in re.findall(r'<text x="([\d.]+)"[^>]*>(\d+)</text>', figure)}
    step_px = at["4"] - at["2"]  # one doubling
    assert left + 2 == pytest.approx(at["2"] + math.log2(1.5) * step_px, abs=0.2)
    assert left + wide - 2 == pytest.approx(at["4"], abs=0.2)


@pytest.mark.parametrize("name", ["bundle", "machine"])
def test_what_needs_a_split_is_refused_with_the_question_that_was_asked(material, name, tmp_path):
    with pytest.raises(SpecError, match="How many users can it carry"):
        list_exporters()[name].write(material.results, material.spec, material.facts, tmp_path / "out")


def test_its_table_of_points_names_settings(material, tmp_path):
    list_exporters()["csv"].write(material.results, material.spec, material.facts, tmp_path / "out.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert {"1 user at 1:2", "32 users at 2:1"} <= {row["setting"] for row in rows}
