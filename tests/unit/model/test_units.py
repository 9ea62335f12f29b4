"""Rates carry their unit, one of the plan's too, from the plan to every answer; those of two are no comparison."""

import csv

import msgspec
import pytest

from app.pages.result_data import result_data_of
from app.pages.result_head import cost_line
from app.plots import live_texts, plot_tables
from scheduler.errors import SpecError
from scheduler.export.exporters import list_exporters
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS, UNIT_PARAMETER
from scheduler.model.plan_file import parse_plan
from scheduler.stats.run_comparison import compare_overall
from tests.data_maker import make_documents, make_spec

OWN = "requests/s"


def finding(unit: str):
    parameters = {UNIT_PARAMETER: unit} if unit else {}
    spec = msgspec.structs.replace(make_spec(), loads=(LoadSpec("command", parameters=parameters),))
    return result_data_of(make_documents(spec=spec))


@pytest.fixture(scope="module")
def own():
    return finding(OWN)


def test_plan_names_the_unit_of_an_own_command():
    plan = f"host = 'local:'\n[[load]]\nkind = 'command'\ncommand = 'true'\n{UNIT_PARAMETER} = '{{}}'\n"
    assert parse_plan(plan.format(OWN)).units == {"command": OWN}
    assert parse_plan(plan.format("")).units == {"command": LOAD_KINDS["command"].unit}
    for wrong in ("<b>bold</b>", "x" * 25, "a\\tb", "&amp;"):
        with pytest.raises(SpecError, match=r"load\[0\]\.unit"):
            parse_plan(plan.format(wrong))


def test_every_answer_has_it(own, tmp_path):
    results = own.results
    assert {point.unit for point in results.points} == {OWN}
    assert results.answer.units == results.units == {"command": OWN}
    shown = [live_texts.point_words(results.points[0]), cost_line(results.answer, own.run.spec)]
    shown += [
        " ".join(plot_tables.points_table(results.points, results.model).headers),
        *results.answer.sentences,
    ]
    assert all(OWN in words for words in shown[:3])
    given = results, own.run.spec, own.run.facts
    for name, suffix in (("html", ".html"), ("csv", ".csv")):
        list_exporters()[name].write(*given, tmp_path / f"run{suffix}")
    page, rows = (tmp_path / "run.html").read_text(), (tmp_path / "run.csv").read_text()
    assert f"Mean, {OWN}" in page
    assert next(csv.reader(rows.splitlines()))[4] == f"mean ({OWN})"
    assert LOAD_KINDS["command"].unit not in " ".join([*shown, page, rows])


def test_figures_of_two_units_are_not_compared(own):
    assert compare_overall(own.results.points, own.results.points)
    assert compare_overall(own.results.points, finding("").results.points) == []
