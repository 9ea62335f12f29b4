"""Comparison of runs with a base: sentences, tables, plot."""

import re
from dataclasses import replace

import msgspec
import pytest

from app.background import BackgroundWorker
from app.pages.compare_page import ComparePage
from app.pages.comparison import (
    ComparedRun,
    compared_results,
    comparison_sentences,
    decisions_table,
    differences,
    points_table,
    read_sweeps,
)
from app.pages.sweep_rows import read_rows
from app.theme.theme import Theme
from scheduler import places
from scheduler.model.documents import RunOutcome
from scheduler.model.results import MeasuredPoint
from scheduler.model.setting import BASELINE
from scheduler.stats.results import summarise_run
from tests.data_maker import make_documents
from tests.settings import setting_at
from tests.ui.test_home_page import RECOMMEND, put_sweep

pytestmark = pytest.mark.ui


@pytest.fixture
def one(home) -> ComparedRun:
    put_sweep("one", 0, RunOutcome.COMPLETED, RECOMMEND)
    (sweep,) = read_sweeps(places.store_path(), read_rows(places.store_path()))
    return sweep


@pytest.fixture
def page(theme: Theme, background: BackgroundWorker, qtbot) -> ComparePage:
    made = ComparePage(theme, background)
    qtbot.addWidget(made)
    return made


def _faster(run: ComparedRun, factor: float, half: float = 50.0) -> ComparedRun:
    """Return the run as it would have been on a host that is faster by a factor under IR."""
    points = [
        msgspec.structs.replace(point, mean_tps=mean, ci95_tps=(mean - half, mean + half))
        for point in run.points
        for mean in (point.mean_tps * (factor if point.load == "osdb-ir" else 1.0),)
    ]
    return replace(run, name=f"times {factor:g}", points=tuple(points))


def test_comparison_sentence_names_faster_run_with_certainty(one: ComparedRun):
    ir, oltp = comparison_sentences(one, _faster(one, 1.25))
    assert re.match("IR: 25\N{NO-BREAK SPACE}% faster than the base over 3 splits \\(95 % interval \\d", ir)
    assert "Largest at" in ir
    assert oltp.startswith("OLTP: no clear difference over 3 splits (95 % interval \N{MINUS SIGN}")
    assert comparison_sentences(one, _faster(one, 0.8))[0].startswith("IR: 20\N{NO-BREAK SPACE}% slower than the base")
    assert "no clear difference" in comparison_sentences(one, _faster(one, 1.02, half=3000.0))[0]


def test_comparison_of_different_hosts_compares_no_heights(one: ComparedRun, page: ComparePage):
    other = replace(_faster(one, 1.25), host_id="another")
    sentence = "These are different hosts. Compare the shapes, not the heights."
    assert comparison_sentences(one, other) == [sentence]
    page.show_runs([one, other])
    assert page.sentences.text() == sentence
    assert set(page.table.source.table.rows[1][7:13]) == {None}
    page.show_runs([one, other, one])
    assert page.sentences.text().startswith("1 of 2 runs are of other hosts than the base")


def test_comparison_of_unrelated_runs_is_refused(one: ComparedRun):
    empty = replace(one, points=())
    assert comparison_sentences(one, empty) == [
        "These runs have no split and load in common, so they cannot be compared."
    ]


def test_comparison_names_another_host_load_and_condition(one: ComparedRun):
    assert differences(one, one) == ""
    other = replace(one, host_id="another", loads="IR with 20 users", conditions="scheduler credit")
    assert differences(one, other) == "another host; IR with 20 users; scheduler credit"


def test_decisions_table_compares_every_run_with_the_chosen_base(one: ComparedRun, page: ComparePage):
    runs = [one, _faster(one, 1.25), _faster(one, 0.8)]
    table = decisions_table(runs, 1)
    assert [row[:2] for row in table.rows] == [(1, "one"), (2, "times 1.25"), (3, "times 0.8")]
    assert [row[7] for row in table.rows] == [pytest.approx(-20), None, pytest.approx(-36)]
    assert [row[3] for row in table.rows] == ["", "the base", ""]
    page.show_runs(runs)
    assert page.table.source.table == decisions_table(runs, 0)
    page.base.setCurrentIndex(1)
    assert page.table.source.table == table


def test_points_table_uses_words(one: ComparedRun):
    point = MeasuredPoint(
        setting=setting_at(BASELINE), load="osdb-ir", mean_tps=100.0, ci95_tps=None, cv=None, trials=1
    )
    run = replace(one, points=(*one.points, point))
    rows = points_table([run, one]).rows
    assert rows[0][:2] == ("1:2", "IR")
    assert rows[-1] == ("the original settings", "IR", 100.0, None, None, None, None, None)


def test_plot_marks_an_interval_that_leaves_it_and_shows_the_chosen_load(one: ComparedRun, page: ComparePage):
    page.show_runs([one, _faster(one, 1.0, half=one.points[0].mean_tps * 5)])
    heads = [len(curve.heads.getData()[0]) for curve in page.plot.curves]
    assert heads[0] == 0
    assert heads[1] > 0
    best = max(page.plot.curves[0].line.yData)
    page.load.setCurrentIndex(1)
    assert max(page.plot.curves[0].line.yData) < best


def test_results_of_a_file_are_shown_without_a_run(page: ComparePage):
    results = msgspec.structs.replace(summarise_run(list(make_documents())), name="<b>bold</b>\n")
    run = compared_results(results)
    page.show_runs([run])
    assert page.table.source.table.rows[0][1] == "<b>bold</b>"
    assert len(page.plot.curves) == 1
    assert page.sentences.text() == ""
