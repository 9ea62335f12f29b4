"""The results of studies that ask another question than which split: their own pictures, tables and next steps."""

from dataclasses import replace

import msgspec
import pytest

from app.main_window import MainWindow
from app.pages.capacity_plans import more_users_plan
from app.pages.result_data import result_data_of
from app.pages.result_page import ResultPage
from app.settings import Settings
from app.theme.tokens import DARK, LIGHT
from scheduler.export.html_report import report_text
from scheduler.export.material import ExportMaterial
from scheduler.model.documents import RunOutcome
from scheduler.model.plan_file import parse_plan, write_plan
from scheduler.model.setting import UsersSetting
from tests.studies_maker import QUERIES, capacity_documents, full_at, overhead_documents
from tests.ui.looks import clipped, outside
from tests.ui.recorded import recorded_result

ONE = 'host = "local:"\nstudy = "capacity"\n[[load]]\nkind = "tpcb"\nusers = {most}\n'


SIMULATED = """host = "sim:"
study = "capacity"
protocol = "quick"
splits = ["1:2"]
[[load]]
kind = "osdb-ir"
users = 16
"""


@pytest.fixture(scope="module")
def capacity():
    return result_data_of(capacity_documents())


@pytest.fixture(scope="module")
def overhead():
    return result_data_of(overhead_documents())


def not_full(most):
    return result_data_of(capacity_documents(ONE.format(most=most), full_at(tpcb=200)))


def ends(bar):
    """Return the users at which a bar begins and ends."""
    rect = bar.path().boundingRect()
    return 2 ** rect.left(), 2 ** rect.right()


def test_knees_bar_covers_the_numbers_that_its_words_name(page: ResultPage, capacity, qtbot):
    page.show_finding(capacity)
    knees = capacity.results.answer.knees
    assert [words.toPlainText() for words in page.plot.lanes.words] == [
        "IR at 1:2: 6", "IR at 2:1: 4", "OLTP at 1:2: 12 to 13", "OLTP at 2:1: 7",
    ]  # fmt: skip
    for knee, bar in zip(knees, page.plot.lanes.bars, strict=True):
        low, high = ends(bar)
        assert (low, high) == (pytest.approx(knee.above + 1, rel=0.05), pytest.approx(knee.most, rel=0.05))
    assert min(bar.path().boundingRect().bottom() for bar in page.plot.lanes.bars) > max(
        point.mean_tps for point in page.plot.shown.values()
    )
    qtbot.wait(50)
    assert clipped(page) == []
    assert outside(page) == []


def test_bar_is_open_where_it_was_not_full_and_more_users_are_offered(page: ResultPage, qtbot):
    page.show_finding(not_full(16))
    (bar,) = page.plot.lanes.bars
    assert bar.path().elementAt(0) != bar.path().elementAt(bar.path().elementCount() - 1)
    assert "not saturated in the tested range" in [entry.words for entry in page.plot.legend(LIGHT)]
    assert page.footer.confirm.text() == "Try up to 32 users\N{HORIZONTAL ELLIPSIS}"
    assert page.footer.confirm.isDefault()
    with qtbot.waitSignal(page.confirm_wanted) as asked:
        page.footer.confirm.click()
    (plan,) = asked.args
    assert [setting.users for setting in plan.settings] == [1, 2, 4, 8, 16, 32]
    assert plan.loads[0].users == 32
    assert parse_plan(write_plan(plan)) == plan


def undecided(finding):
    """Return the finding with knees that are known only to lie between 2 and 32 users."""
    knees = tuple(msgspec.structs.replace(k, above=2, most=32, open=False) for k in finding.results.answer.knees)
    found = msgspec.structs.replace(finding.results.answer, knees=knees)
    return replace(finding, results=msgspec.structs.replace(finding.results, answer=found))


def test_undecided_knee_is_no_result_and_offers_the_next_step(page: ResultPage, capacity, qtbot):
    page.show_finding(undecided(capacity))
    reported = {words.toPlainText().split(": ", 1)[1] for words in page.plot.lanes.words}
    assert reported == {"between 2 and 32: not decided"}
    legend = [entry.words for entry in page.plot.legend(LIGHT)]
    assert "undecided: saturated within this range" in legend
    assert "saturated from here" not in legend
    assert page.footer.confirm.text() == "Narrow the range\N{HORIZONTAL ELLIPSIS}"
    assert page.footer.confirm.isVisibleTo(page)
    assert page.footer.confirm.isEnabled()
    with qtbot.waitSignal(page.confirm_wanted) as asked:
        page.footer.confirm.click()
    (plan,) = asked.args
    assert plan.adapts
    assert {load.kind for load in plan.loads} == {"osdb-ir", "osdb-oltp"}
    assert parse_plan(write_plan(plan)) == plan
    finding = page.finding
    report = report_text(ExportMaterial(finding.results, finding.run.spec, finding.run.facts))
    assert "not decided: full somewhere between 2 and 32 users" in report
    assert "saturated at 3 to 32 users" not in report


def test_more_users_are_tried_only_where_some_are_missing_and_there_can_be_more(capacity):
    def wider(finding):
        return more_users_plan(finding.run.spec, finding.results.answer.knees)

    assert wider(capacity) is None
    assert wider(not_full(256)) is None
    part = wider(result_data_of(capacity_documents(rate=full_at(osdb_ir=100, osdb_oltp=6))))
    assert [(load.kind, load.users) for load in part.loads] == [("osdb-ir", 64)]
    assert UsersSetting(64, part.splits[0]) in part.settings


def test_one_button_shows_what_each_user_gets(page: ResultPage, capacity):
    page.show_finding(capacity)
    whole = {key: point.mean_tps for key, point in page.plot.shown.items()}
    page.each.button.click()
    assert page.frame.heading.text() == "Throughput per user"
    assert page.plot.lanes.bars == []
    each = {key: point.mean_tps for key, point in page.plot.shown.items()}
    assert each["8 users at 1:2", "osdb-ir"] == pytest.approx(whole["8 users at 1:2", "osdb-ir"] / 8)
    table = page._table()
    row = next(row for row in table.rows if (str(row[0]), row[1]) == ("8 users at 1:2", "IR"))
    found = dict(zip(table.headers, row, strict=True))
    assert found["Per user (tuples/s)"] == pytest.approx(found["Mean (tuples/s)"] / 8)
    page.show_finding(recorded_result())
    assert page.each.button.isHidden()
    assert page.frame.heading.text() == "Throughput per split"
    assert page.plot.lanes.bars == []


def mark_of(plot, item, side):
    """Return the mark of one item on one side."""
    tick = next(tick.position for tick in plot.chart.x.ticks if tick.tick == item)
    series = [each.name for each in plot.chart.series].index(side)
    return next(mark for mark in plot.chart.marks if mark.series == series and round(mark.x) == tick)


def test_slowdowns_are_drawn_in_percent_and_in_ms_with_noise_hollow(page: ResultPage, overhead, qtbot):
    page.show_finding(overhead)
    assert page.frame.isHidden()
    assert page.study.frame.isVisible()
    plot, side = page.study.plot, "confined at 1:1"
    assert [tick.tick for tick in plot.chart.x.ticks] == ["all", *QUERIES]
    rows = {(row.item, row.side): row for row in overhead.results.answer.items}
    fifth = mark_of(plot, "Q5", side)
    assert fifth.y.value == pytest.approx(100 * rows["Q5", side].slowdown_frac) == pytest.approx(-20, abs=3)
    assert fifth.y.low < fifth.y.value < fifth.y.high < 0
    for palette in (LIGHT, DARK):
        sides = [entry for entry in plot.legend(palette) if entry.words in {"via the I/O domain", side}]
        assert len({entry.mark for entry in sides}) == len({entry.colour for entry in sides}) == 2
    third = mark_of(plot, "Q3", side)
    assert third.hollow
    assert "below the noise" in plot.words_at(third.x, third.y.value)
    page.study.view.click()
    assert [tick.tick for tick in plot.chart.x.ticks] == list(QUERIES)
    assert mark_of(plot, "Q5", side).y.value == pytest.approx(-10, abs=2)
    assert mark_of(plot, "Q5", side).y.ends == rows["Q5", side].added_ci95_ms
    qtbot.wait(50)
    assert clipped(page) == []
    assert outside(page) == []


def test_slowdowns_have_their_table_and_leave_with_their_study(page: ResultPage, overhead):
    page.show_finding(overhead)
    page.study.frame.table_button.click()
    table = page.study.frame.table.source.table
    assert len(set(table.headers)) == len(table.headers)
    row = next(row for row in table.rows if row[1:3] == ("Q5", "confined at 1:1"))
    found = dict(zip(table.headers, row, strict=True))
    assert found["Longer by (ms)"] == pytest.approx(found["On the side (ms)"] - found["On the reference (ms)"])
    assert found["Longer by, 95 % from (%)"] < found["Longer by (%)"] < found["Longer by, 95 % to (%)"] < 0
    page.show_finding(recorded_result())
    assert page.study.frame.isHidden()
    assert page.frame.isVisible()


def test_paper_is_next_to_with_ranks_and_methods_and_without_statements(page: ResultPage, overhead):
    page.show_finding(overhead)
    assert page.papers.heading.text() == "Comparison with the paper: Minhas et al. (2008)"
    page.papers.fold.setChecked(True)
    assert page.papers.frame.heading.text() == "Rank of each query by its slowdown"
    assert page.papers.facts.isHidden()
    reported = " ".join(entry.words for entry in page.papers.frame.plot.legend(LIGHT))
    assert "Xen 3.1 beside plain Linux" in reported
    assert "via the I/O domain" in reported
    ranked = {row[0] for row in page.papers.frame.plot.table().rows}
    assert ranked == {"Q1", "Q3", "Q5", "Q7", "Q9", "Q10", "Q13", "Q18", "Q19", "Q21"}  # the paper's of one connection
    page.show_finding(recorded_result())
    assert page.papers.frame.heading.text() == "Rank of each split"
    assert page.papers.facts.isVisible()


def test_aborted_capacity_study_goes_on_where_it_stopped(theme, home, qtbot):
    window = MainWindow(theme, Settings())
    qtbot.addWidget(window)
    with qtbot.waitSignal(window.home.loaded):
        window.show()
    window.begin(parse_plan(SIMULATED), {})
    first = window.session
    qtbot.waitUntil(lambda: window.live.board is not None and len(window.live.board.trials) >= 3)
    first.abort()
    qtbot.waitUntil(lambda: not first.active)
    stopped = first.run_id
    qtbot.waitUntil(lambda: window.home.row_of(stopped) is not None)
    window.show_result(stopped)
    qtbot.waitUntil(lambda: window.result.complete)
    before = [trial.setting.users for trial in window.result.finding.trials]
    assert "unfinished" in window.result.state.text.text()
    assert window.result.footer.go_on.isDefault()
    assert window.result.footer.confirm.isHidden()  # more trials would tell, not more users
    window.result.footer.go_on.click()
    qtbot.waitUntil(lambda: window.session is not first and window.session.stopped is not None)
    assert window.session.stopped.outcome is RunOutcome.COMPLETED
    window.show_result(window.session.run_id)
    qtbot.waitUntil(lambda: window.result.complete and window.result.finding.results.run_id == window.session.run_id)
    after = [trial.setting.users for trial in window.result.finding.trials]
    assert len(after) > len(before)
    assert after[: len(before)] == before
    assert window.result.footer.go_on.isHidden()
    qtbot.waitUntil(lambda: window.runner.idle)
    window.close()
