"""Laws of mixes in the window and in files: each load of a mix is a curve, a row and a name of its own."""

import csv
import json

import msgspec
import pytest

from app.pages.result_data import result_data_of
from app.pages.result_head import cost_line
from app.pages.result_page import ResultPage
from app.plots.progress_strip import ProgressStrip
from app.plots.run_board import RunBoard
from app.theme.tokens import LIGHT
from app.wizard.sweep_form import SweepForm
from scheduler.export.exporters import list_exporters
from scheduler.export.weights_remark import weights_remark
from scheduler.model.codec import encode_json, make_decoder
from scheduler.model.load import LoadSpec
from scheduler.model.load_name import LoadName
from scheduler.model.plan_file import parse_plan
from scheduler.model.results import Results
from scheduler.plans.study_plan import list_certain_trials
from tests.mixed_run import mixed_documents
from tests.ui.looks import clipped, outside
from tests.unit.run.test_mixes import MIXED, NOON

NAMES = ("osdb-ir", "osdb-oltp", *NOON)
WITH_MIX = 'host = "local:"\n[[mix]]\nname = "noon"\nloads = ["osdb-ir", "osdb-oltp"]\n'
LOADS = '[[load]]\nkind = "osdb-ir"\n[[load]]\nkind = "osdb-oltp"\n'


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    return mixed_documents(tmp_path_factory.mktemp("mix"), MIXED)


def test_result_of_a_mix_shows_each_of_its_loads(page: ResultPage, documents, qtbot):
    page.show_finding(result_data_of(documents))
    qtbot.wait(50)
    assert {kind for _, kind in page.plot.shown} == {*NAMES}
    reported = {entry.words: (entry.mark, entry.filled) for entry in page.plot.legend(LIGHT)}
    assert reported["IR"] == (reported["IR in noon"][0], True)
    assert reported["IR in noon"][1] is False  # hollow: distinguished from the same kind by itself
    headers = page.regret.table_of(page.answer, page.finding.run.spec).headers
    assert {"IR loss", "IR in noon loss", "OLTP in noon loss"} <= {*headers}
    assert list(page.weights.each.sliders) == list(NAMES)
    assert clipped(page) == []
    assert outside(page) == []


def test_live_run_counts_trials_and_not_results(documents, theme, qtbot):
    board, strip = RunBoard(), ProgressStrip(theme)
    qtbot.addWidget(strip)
    for document in documents:
        board.take(document)
        strip.show_board(board)
    assert board.done == strip.done == len(list_certain_trials(MIXED))
    assert len(board.trials) == sum(len(trial.mix) for trial in list_certain_trials(MIXED))
    assert {span.mix for span in board.spans} == {("osdb-ir",), ("osdb-oltp",), NOON}
    mixed = next(span.trial for span in board.spans if span.mix == NOON)
    assert "noon" in strip.words_for(mixed)


def test_mix_is_exported_under_the_names_of_its_loads(documents, tmp_path):
    finding = result_data_of(documents)
    given = finding.results, finding.run.spec, finding.run.facts
    for name, suffix in (
        ("html", ".html"),
        ("csv", ".csv"),
        ("json", ".json"),
        ("plan", ".toml"),
        ("machine", ".machine"),
    ):
        list_exporters()[name].write(*given, tmp_path / f"run{suffix}")
    page = (tmp_path / "run.html").read_text()
    assert 'class="load circle ir mixed"' in page
    assert "OLTP in noon" in page
    rows = list(csv.DictReader((tmp_path / "run.csv").read_text().splitlines()))
    assert {row["load"] for row in rows} == {*NAMES}
    found = make_decoder(Results).decode((tmp_path / "run.json").read_bytes())
    assert {(point.load, point.load.mix) for point in found.points} == {(name, LoadName.of(name).mix) for name in NAMES}
    reasons = {model.load: model.reason for model in found.model}
    assert all("one class of users" in reasons[name] for name in NOON)
    assert set(json.loads((tmp_path / "run.machine").read_text())["loads"]) == {"osdb-ir", "osdb-oltp"}
    assert parse_plan((tmp_path / "run.toml").read_text()).loads == MIXED.loads


def test_stored_results_show_kind_and_mix_of_each_load(documents, tmp_path):
    finding = result_data_of(documents)
    spec, results = finding.run.spec, make_decoder(Results).decode(encode_json(finding.results))
    weights = results.answer.weights
    assert {type(name) for name in weights} == {str}  # keys of JSON are texts
    assert "IR in noon" in cost_line(results.answer, spec)
    assert "OLTP in noon 25 %" in weights_remark(msgspec.structs.replace(results, planned_weights=weights), spec)
    list_exporters()["html"].write(results, spec, finding.run.facts, tmp_path / "run.html")
    assert "OLTP in noon against its best split" in (tmp_path / "run.html").read_text()


@pytest.mark.parametrize("more", ["", '[objective]\nweights = { osdb-ir = 1.0, "noon/osdb-oltp" = 2.0 }\n'])
def test_wizard_keeps_the_mix_of_a_plan(more):
    spec = parse_plan(WITH_MIX + LOADS + more)
    assert SweepForm.from_spec(spec).to_spec() == spec
    apart = msgspec.structs.replace(spec, loads=(LoadSpec("osdb-ir"), *spec.loads[2:]))
    assert SweepForm.from_spec(apart).to_spec() == apart


def test_load_that_is_taken_out_in_the_wizard_leaves_its_mix():
    form = SweepForm.from_spec(parse_plan(WITH_MIX + LOADS))
    form.loads["osdb-oltp"]["on"] = "no"
    assert [load.name for load in form.to_spec().loads] == ["osdb-ir"]
