"""Places of the window that name a split: each follows the decision, and shows a bar of a split only for an order."""

import re
from dataclasses import replace

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QMessageBox, QWidget

from app.display_texts import NARROW
from app.observe.answer_card import WatchAnswerCard
from app.observe.observe_page import ObservePage
from app.observe.progress_card import ObservationProgressCard
from app.pages.comparison import decisions_table, read_sweeps
from app.pages.decision_texts import rank_words
from app.pages.live_page import LivePage
from app.pages.result_actions import ResultActions
from app.pages.result_head import ResultHead, cost_line, gain_line, sure_line
from app.pages.result_page import longer_run
from app.pages.result_parts import RegretCard
from app.pages.sweep_rows import read_rows
from app.pages.window_title import WindowTitle
from app.plots.split_throughput_plot import SplitThroughputPlot
from app.settings import Settings
from scheduler import places
from scheduler.model.command_answers import ParameterChange
from scheduler.model.decision import DecisionKind
from scheduler.model.documents import DecisionSoFar, RunOutcome, TrialDone
from scheduler.model.observation_documents import ObservationStarted, ObservationWindow, WatchOutlook, WatchResult
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO, Mode, parse_split
from scheduler.stats.results import summarise_run
from tests.data_maker import make_documents, make_facts, make_spec
from tests.decisions import with_decision
from tests.settings import setting_at
from tests.ui.observe.lines import began, hold, window
from tests.ui.recorded import RecordedSession, recorded_result
from tests.ui.test_home_page import RECOMMEND, put_sweep

pytestmark = pytest.mark.ui

KINDS = list(DecisionKind)
ORDERS = re.compile(r"\b(change to|set|take|divide|recommend\w*|advis\w*)\b", re.IGNORECASE)


@pytest.mark.parametrize("kind", KINDS)
def test_result_head_shows_a_bar_only_for_an_order(theme, qtbot, kind):
    head = ResultHead(theme)
    qtbot.addWidget(head)
    answer = with_decision(summarise_run(make_documents()), kind).answer
    head.show_answer(answer, make_spec())
    assert head.sentence.text().replace("\N{NO-BREAK SPACE}", " ").replace("\N{MINUS SIGN}", "-") == answer.headline
    assert head._splits == ((parse_split("1:2"),) if kind is DecisionKind.CHANGE else ())


@pytest.mark.parametrize("kind", KINDS)
def test_words_on_the_plot_order_a_split_only_for_a_change(kind):
    answer = with_decision(summarise_run(make_documents()), kind).answer
    assert ("change to 1:2" in rank_words(answer, setting_at("1:2"))) is (kind is DecisionKind.CHANGE)


@pytest.mark.parametrize("kind", KINDS)
def test_comparison_names_a_split_only_for_an_order(home, kind):
    put_sweep("one", 0, RunOutcome.COMPLETED, RECOMMEND)
    (row,) = read_rows(places.store_path())
    decision = with_decision(summarise_run(make_documents()), kind).answer.decision
    answer = msgspec.structs.replace(row.newest.answer, decision=decision)
    row = replace(row, chain=(msgspec.structs.replace(row.newest, answer=answer),))
    (cells,) = decisions_table(read_sweeps(places.store_path(), [row]), 0).rows
    assert ("1:2" in cells[2]) is (kind is DecisionKind.CHANGE)


@pytest.mark.parametrize("kind", KINDS)
def test_sweeps_list_shows_a_split_only_for_an_order(home, kind):
    put_sweep("one", 0, RunOutcome.COMPLETED, RECOMMEND)
    (row,) = read_rows(places.store_path())
    decision = with_decision(summarise_run(make_documents()), kind).answer.decision
    answer = msgspec.structs.replace(row.newest.answer, decision=decision)
    row = replace(row, chain=(msgspec.structs.replace(row.newest, answer=answer),))
    assert (row.split is not None) is (kind is DecisionKind.CHANGE)
    assert row.verdict.startswith("change to") is (kind is DecisionKind.CHANGE)


def test_sweeps_list_leaves_out_the_interval_where_it_has_no_room(home):
    put_sweep("one", 0, RunOutcome.COMPLETED, RECOMMEND)
    (row,) = read_rows(places.store_path())
    assert row.marks.startswith(f"+38{NARROW}% (31 to 46{NARROW}%)")
    assert row.short_marks == row.marks.replace(f" (31 to 46{NARROW}%)", "")


@pytest.mark.parametrize("kind", KINDS)
def test_regret_table_selects_a_split_only_for_an_order(theme, qtbot, kind):
    card = RegretCard(theme)
    qtbot.addWidget(card)
    card.show_answer(with_decision(summarise_run(make_documents()), DecisionKind.CHANGE, "2:1").answer, make_spec())
    card.table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    card.show_answer(with_decision(summarise_run(make_documents()), kind).answer, make_spec())
    selected = [row.data() for row in card.table.selectionModel().selectedRows()]
    assert selected == (["1:2"] if kind is DecisionKind.CHANGE else [])


@pytest.mark.parametrize("kind", KINDS)
def test_lines_under_the_headline_order_no_split(kind):
    answer = with_decision(summarise_run(make_documents()), kind).answer
    for line in (gain_line(answer), sure_line(answer), cost_line(answer, make_spec())):
        assert not ORDERS.search(line)


@pytest.mark.parametrize("kind", KINDS)
def test_result_actions_lead_to_apply_only_for_an_order(theme, qtbot, kind):
    footer = ResultActions(theme)
    qtbot.addWidget(footer)
    finding = recorded_result()
    finding = replace(finding, results=with_decision(finding.results, kind))
    footer.show_finding(finding, finding.results.answer)
    assert (footer.apply.property("kind") == "primary") is (kind is DecisionKind.CHANGE)
    assert bool(footer.apply.toolTip()) is (kind is not DecisionKind.CHANGE)
    made = kind in (DecisionKind.CHANGE, DecisionKind.STAY)
    assert footer.confirm.text().startswith("Confirm with" if made else "Decide with")


@pytest.mark.parametrize("kind", KINDS)
def test_longer_run_measures_the_split_and_the_original_settings(kind):
    finding = recorded_result(spec=msgspec.structs.replace(make_spec(), baseline=False, name="Mine"))
    longer = longer_run(finding.run.spec, with_decision(finding.results, kind).answer)
    assert "1:2" in [setting.label for setting in longer.settings]
    assert longer.baseline
    assert longer.name == "Mine, longer"


@pytest.mark.parametrize("kind", [DecisionKind.CHANGE, DecisionKind.NOT_YET])
def test_live_page_marks_no_split_while_measuring(theme, background, qtbot, kind):
    live, frame = LivePage(theme, background), QWidget()
    for widget in (live, frame):
        qtbot.addWidget(widget)
    live.show()
    session = RecordedSession(make_documents(samples=False))
    WindowTitle(frame).follow(session)
    live.attach(session)
    session.play_until(TrialDone, 10)
    text = f"So far: 1:2 {kind.value}."
    decision = with_decision(summarise_run(make_documents()), kind).answer.decision
    session.document.emit(DecisionSoFar(t_s=1.0, decision=decision, text=text, blocks=2))
    live.redraw()
    assert live.strip.so_far.text() == text
    assert not live.plots.split.crown.isVisible()
    assert live.plots.split.bands.shown == []
    assert "1:2" not in frame.windowTitle()
    assert not ORDERS.search(live.strip.state.text() + live.strip.detail.text())


def test_live_plot_names_original_settings_only_where_they_are_measured(theme, qtbot):
    plot = SplitThroughputPlot(theme)
    qtbot.addWidget(plot)
    for baseline in (True, False):
        plot.prepare(msgspec.structs.replace(make_spec(), baseline=baseline))
        words = [entry.words for entry in plot.legend(theme.palette)]
        assert ("original settings" in words) is baseline


def answer_of_watching(kind: DecisionKind, **more) -> WatchResult:
    reported = {
        "split": parse_split("1:2"),
        "split_low": parse_split("1:3"),
        "split_high": parse_split("1:1"),
        "headline": f"{kind.value} 1:2.",
        "mode": "caps",
    }
    change = ParameterChange(domain="io", parameter="quota", before="50000 us", after="33333 us")
    return WatchResult(host="local:", title="This", decision=kind, changes=(change,), **reported, **more)


@pytest.mark.parametrize("kind", KINDS)
def test_watch_answer_shows_and_applies_a_split_only_for_an_order(theme, qtbot, kind):
    card = WatchAnswerCard(theme)
    qtbot.addWidget(card)
    card.show_answer(answer_of_watching(kind))
    ordered = kind is DecisionKind.CHANGE
    assert card.tag.isVisible() is ordered
    assert card.apply_button.isVisible() is ordered
    assert card.headline.text() == f"{kind.value} 1:2."
    assert card.as_good.text().startswith("Equally good, within 2 % of the best")


@pytest.mark.parametrize(
    ("kind", "outlook", "primary"),
    [
        (DecisionKind.CHANGE, WatchOutlook.STATIC, "apply"),
        (DecisionKind.CHANGE, WatchOutlook.TRIAL, "follow"),
        (DecisionKind.NOT_YET, WatchOutlook.TRIAL, ""),
    ],
)
def test_watch_answer_leads_to_what_its_headline_orders(theme, qtbot, kind, outlook, primary):
    card = WatchAnswerCard(theme)
    qtbot.addWidget(card)
    card.show_answer(answer_of_watching(kind, outlook=outlook))
    buttons = {"apply": card.apply_button, "follow": card.follow_button}
    strong = [name for name, each in buttons.items() if each.isVisible() and each.property("kind") == "primary"]
    assert strong == ([primary] if primary else [])


@pytest.mark.parametrize("kind", KINDS)
def test_watch_so_far_shows_a_bar_only_for_an_order(theme, qtbot, kind):
    card = ObservationProgressCard(theme)
    qtbot.addWidget(card)
    card.show()
    card.begin(
        ObservationStarted(
            host="local:",
            host_id="this",
            title="This",
            simulated=False,
            mode=Mode.CAPS,
            split=parse_split("1:1"),
            cpus=1,
            for_s=600,
        )
    )
    used = {"io_cpus": 0.1, "guest_cpus": 0.2, "io_allowed_cpus": 0.5, "guest_allowed_cpus": 0.5}
    card.take(
        ObservationWindow(
            t_s=90,
            split=parse_split("1:1"),
            **used,
            headline=f"{kind.value} 1:2.",
            wish=parse_split("1:2"),
            decision=kind,
        )
    )
    assert card.tag.isVisible() is (kind is DecisionKind.CHANGE)
    assert card.so_far.text() == f"So far: {kind.value} 1:2."


@pytest.mark.parametrize("kind", KINDS)
def test_watch_export_asks_first_without_an_order(theme, runner, background, qtbot, kind):
    page = ObservePage(theme, Settings(), runner, background)
    qtbot.addWidget(page)
    quotas = {IO: CgroupParams(100, 33_333), GUEST: CgroupParams(100, 66_667)}
    page.observer.answered.emit(answer_of_watching(kind, params=quotas, facts=make_facts()))
    page.card.export_button.click()
    asking = page.findChild(QMessageBox)
    assert (asking is None) is (kind is DecisionKind.CHANGE)
    assert (page.findChild(QFileDialog) is not None) is (kind is DecisionKind.CHANGE)
    if asking is not None:
        assert asking.text() == f"{kind.value} 1:2."
        assert asking.defaultButton().text() == "&Cancel"


def test_follow_card_calls_a_split_target_only(theme, qtbot):
    card = ObservationProgressCard(theme)
    qtbot.addWidget(card)
    card.begin(began())
    card.take(window(600.0, "1:2", wish=parse_split("1:3")))
    card.take(hold(600.0, "little", "the gain is too small for a move"))
    card.refresh()
    named = {label.text() for label in card.findChildren(QLabel) if "1:3" in label.text()}
    assert named == {"1:3"}
    assert next(each.text() for each in card.wish.parent().findChildren(QLabel)) == "Target split"
    assert card.now.words.text() == "1:2"
    assert not ORDERS.search(" ".join(label.text() for label in card.findChildren(QLabel)))
